# SPDX-License-Identifier: MIT
"""No mutable globals above the engine: what a machine owns hangs off its slots."""
import re

import common

# What has to be one a process: the flag a signal sets, and the name argp reads.
ALLOWED = {"cli/interrupt.c": None, "cli/main.c": "argp_program_version"}
NO_VARIABLE = re.compile(r"(typedef|struct\s+\w+\s*$|union\s+\w+\s*$|enum\b[^=]*$|_Static_assert)")


def statements(code):
    """(position, text) of each declaration at file scope; bodies and initialisers left out."""
    depth, start, text = 0, None, ""
    for position, mark in enumerate(code):
        if mark == "}" and code[position - 1] == "\n":
            depth = 1 # ends a definition, whatever #if has unbalanced
        if mark == "{":
            depth += 1
            if depth == 1 and re.search(r"\)\s*$", text):
                yield start, text # a function
                text = ""
                start = None
        elif mark == "}":
            depth = max(depth - 1, 0)
        elif depth == 0 and mark == ";":
            if text.strip():
                yield start, text
            start, text = None, ""
        elif depth == 0:
            if start is None and not mark.isspace():
                start = position
            text += mark


def variable(text):
    """The declared variable's name when it is mutable, else None."""
    declared = re.sub(r"^(\s*[A-Z][A-Z_0-9]*\s*\([^()]*\)\s*)+", "", text)
    declared = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", declared)
    declared = re.sub(r"\[[^\]]*\]", "", declared.split("=")[0]).strip()
    if not declared or NO_VARIABLE.match(declared):
        return None
    pointer_to_function = re.match(r"[^(]*\(\s*\*([^()]*)\)\s*\(", declared)
    if "(" in declared and not pointer_to_function:
        return None # a function, defined or declared
    last_star = pointer_to_function.group(1) if pointer_to_function else declared.rpartition("*")[2]
    if re.search(r"\bconst\b", last_star) and ("*" in declared or "const" in declared):
        return None
    words = re.findall(r"\w+", last_star)
    return words[-1] if len(re.findall(r"\w+", declared)) > 1 and words else None


def check(root, report):
    above = common.FLOORS[common.FLOORS.index("engine") + 1:]
    for name in common.c_files(root):
        if common.floor_of(name) not in above:
            continue
        code = common.without_directives(common.without_comments(common.read(root, name)))
        for position, text in statements(code):
            found = variable(text)
            if not found or (name in ALLOWED and ALLOWED[name] in (None, found)):
                continue
            report.add(name, common.line_of(code, position), f"mutable global '{found}' above the "
                       "engine: hang it off a machine slot or make it const")


common.run(check)
