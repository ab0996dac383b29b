# SPDX-License-Identifier: MIT
"""Calls and words that must not be there: host time and chance, plain locks, loose ends."""
import re

import common

CHANCE = r"rand|rand_r|srand|random|srandom|drand48|getrandom"
CLOCKS = r"time|gettimeofday|clock|clock_gettime"
LOOSE_ENDS = re.compile(r"\b(TODO|FIXME|XXX)\b|not implemented", re.IGNORECASE)
CALLBACK_LOCKS = r"LOCK_(?:BARN|LIST_LOCK|ZONE)\b"
LOCK_CALL = r"\bspin_(?:lock|trylock)\s*\(\s*(?P<lock>[^;]*?)\)\s*[;)&|]"

# Floors whose results must not depend on the host: neither its clock nor its chance.
PURE = ("alloc", "mtree", "sim", "workloads")


def check_calls(report, name, code):
    floor = common.floor_of(name)
    if floor in (None, "engine"):
        return
    names = f"{CHANCE}|{CLOCKS}" if floor in PURE else CHANCE
    for found in re.finditer(rf"(?<![\w.>])({names})\s*\(", code):
        report.add(name, common.line_of(code, found.start()),
                   f"{found.group(1)}() above the engine: use now_ns() or base/rng.h")


def member(expression):
    """list_lock of &get_node(s, n)->list_lock."""
    words = re.findall(r"\w+", expression)
    return words[-1] if words else ""


def callback_locks(codes):
    """{floor or file: names of locks that RCU callbacks take}; a bare 'lock' counts in its file."""
    locks = {}
    for name, code in codes.items():
        for found in re.finditer(rf"\bspin_lock_init\s*\((.*?),\s*{CALLBACK_LOCKS}", code,
                                 re.DOTALL):
            lock = member(found.group(1))
            place = name if lock == "lock" else common.floor_of(name)
            locks.setdefault(place, set()).add(lock)
    return locks


def check_locks(report, codes):
    locks = callback_locks(codes)
    for name, code in codes.items():
        floor = common.floor_of(name)
        known = locks.get(name, set()) | locks.get(floor, set())
        for found in re.finditer(LOCK_CALL, code):
            if floor == "alloc" or (floor and member(found.group("lock")) in known):
                report.add(name, common.line_of(code, found.start()),
                           "plain spin_lock on a lock of RCU callbacks: use the irqsave form")


def check(root, report):
    codes = {}
    for name in common.c_files(root):
        text = common.read(root, name)
        codes[name] = common.without_comments(text)
        check_calls(report, name, codes[name])
        for found in LOOSE_ENDS.finditer(text):
            report.add(name, common.line_of(text, found.start()), f"'{found.group()}' in a source")
    check_locks(report, codes)


common.run(check)
