# SPDX-License-Identifier: MIT
"""Includes point downward; only the engine sees threads, topology, and which core it is."""
import re

import common

ENGINE_ONLY = re.compile(r"(pthread|urcu|hwloc|numa|numaif|sched)(\.h|[-/])")


def check_include(report, name, line, header, quoted):
    floor = common.floor_of(name)
    target = common.floor_of(header) if quoted else None
    if target and common.FLOORS.index(target) > common.FLOORS.index(floor):
        report.add(name, line, f"{floor} includes {header}, which lies above it")
    if quoted and "/" not in header:
        report.add(name, line, f'"{header}" does not say its floor')
    if not quoted and floor != "engine" and ENGINE_ONLY.match(header):
        report.add(name, line, f"<{header}> outside engine/")


def check(root, report):
    for name in common.c_files(root):
        if not common.floor_of(name):
            continue
        text = common.without_comments(common.read(root, name), keep_strings=True)
        for found in re.finditer(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)', text, re.MULTILINE):
            check_include(report, name, common.line_of(text, found.start()), found.group(2),
                          found.group(1) == '"')
        if common.floor_of(name) == "engine":
            continue
        for found in re.finditer(r"^[ \t]*#.*\bVMASIM_VIRTUAL\b", text, re.MULTILINE):
            report.add(name, common.line_of(text, found.start()),
                       "VMASIM_VIRTUAL outside engine/: floors above do not know their core")


common.run(check)
