# SPDX-License-Identifier: MIT
"""Files of at most 900 lines, functions of at most 70, lines of at most 100 columns."""
import re

import common

MAX_FILE_LINES = 900
MAX_FUNCTION_LINES = 70
MAX_COLUMNS = 100


def functions(text):
    """(first line, last line) of each function: a block at file scope that follows a ')'."""
    code = common.without_directives(common.without_comments(text))
    depth, opened, end_of_last, last = 0, None, 0, ""
    for found in re.finditer(r"[{};]|\S", code):
        mark, position = found.group(), found.start()
        if mark == "{":
            if depth == 0 and last == ")":
                opened = end_of_last
            depth += 1
        elif mark == "}":
            # A closing brace in the first column ends a definition, whatever #if has unbalanced.
            depth = 0 if code[position - 1] == "\n" else max(depth - 1, 0)
            if depth == 0 and opened is not None:
                first = opened + len(code[opened:]) - len(code[opened:].lstrip())
                yield common.line_of(code, first), common.line_of(code, position)
                opened = None
        if depth == 0 and mark in "};":
            end_of_last = position + 1
        last = mark


def check_c(report, name, text):
    nr_lines = text.count("\n")
    if nr_lines > MAX_FILE_LINES:
        report.add(name, nr_lines, f"{nr_lines} lines; allowed: {MAX_FILE_LINES}")
    if not name.endswith((".c", ".h")):
        return
    for first, last in functions(text):
        if last - first + 1 > MAX_FUNCTION_LINES:
            report.add(name, first, f"function of {last - first + 1} lines; "
                       f"allowed: {MAX_FUNCTION_LINES}")


def check(root, report):
    for name in common.project_files(root, ".c", ".h", ".S", ".cmake", "CMakeLists.txt"):
        text = common.read(root, name)
        check_c(report, name, text)
        for number, line in enumerate(text.splitlines(), 1):
            columns = len(line.expandtabs(8))
            if columns > MAX_COLUMNS:
                report.add(name, number, f"{columns} columns; allowed: {MAX_COLUMNS}")


common.run(check)
