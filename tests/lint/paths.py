# SPDX-License-Identifier: MIT
"""No file names a place of the machine it was written on, or leaves the repository."""
import os
import re

import common

SHORTEST = 5 # "/src" may be anything; a longer path is a place
HERE = re.compile(r"(dirname|BASH_SOURCE|__file__|CMAKE_CURRENT_(SOURCE|LIST)_DIR)")
TOP = re.compile(r"(PROJECT_SOURCE_DIR|CMAKE_SOURCE_DIR|sourceDir)")
LEAVING = re.compile(r"(?P<before>[^\s]*?)(?P<up>\.\.(?:/\.\.)*)(?=/|[\s\"'`)]|$)")


def places(root, build):
    found = {root, os.path.realpath(root), os.path.expanduser("~")}
    if build:
        found.add(os.path.abspath(build))
    return [place for place in found if len(place) >= SHORTEST]


def depth_of_base(name, before):
    """How many folders below the root the '..' start from, or None when that is unknown."""
    if TOP.search(before):
        return 0
    if HERE.search(before) or not before.rstrip("\"'`(<[=,:"):
        return name.count("/")
    if before.endswith("/"):
        return None
    return None


def check_leaving(report, name, number, line):
    for found in LEAVING.finditer(line):
        # "dirname" and its quotes stand before: look at the line, not at the word alone.
        before = line[:found.start("up")]
        before = before if HERE.search(before) and before.endswith("/") else found.group("before")
        depth = depth_of_base(name, before)
        if depth is not None and found.group("up").count("..") > depth:
            report.add(name, number, f"'{found.group('up')}' leaves the repository")


def check(root, report, build=None):
    absolute = re.compile("|".join(rf"(?<![\w./-]){re.escape(place)}(?![\w-])"
                                   for place in places(root, build)) or r"(?!)")
    for name in common.project_files(root):
        for number, line in enumerate(common.read(root, name).splitlines(), 1):
            for found in absolute.finditer(line):
                report.add(name, number, f"'{found.group()}' is a place on one machine")
            check_leaving(report, name, number, line)


common.run(check)
