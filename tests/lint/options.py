# SPDX-License-Identifier: MIT
"""Each command's --help and the manual page name the same options."""
import os
import re
import subprocess

import common

PAGE = "docs/man/vmasim.1.scd"
HELP_OPTION = re.compile(r"^  +(?:-(\S), +)?--([a-z][a-z-]*)", re.MULTILINE)
PAGE_OPTION = re.compile(r"^(?:\*-(\S)\*, )?\*--([a-z][a-z-]*)\*", re.MULTILINE)
OF_EVERY_COMMAND = {("?", "help"), ("", "usage"), ("V", "version")}


def help_of(binary, *command):
    return subprocess.run([binary, *command, "--help"], capture_output=True, text=True,
                          check=True).stdout


def commands(binary):
    listed = help_of(binary).split("Commands:\n")[1].split("\n\n")[0]
    return re.findall(r"^  ([a-z]+) ", listed, re.MULTILINE)


def options_in_page(text, names):
    """{command: {option: line}} from sections named OPTIONS OF RUN AND COMPARE."""
    found = {name: {} for name in names}
    for section in re.finditer(r"^# OPTIONS OF ([A-Z ]+)\n(.*?)(?=^# |\Z)", text,
                               re.MULTILINE | re.DOTALL):
        of = set(section.group(1).lower().split())
        for option in PAGE_OPTION.finditer(section.group(2)):
            line = common.line_of(text, section.start(2) + option.start())
            for name in of & set(names):
                found[name][(option.group(1) or "", option.group(2))] = line
    return found


def show(option):
    return (f"-{option[0]}, " if option[0] else "") + "--" + option[1]


def check(root, report, binary):
    if not os.access(binary, os.X_OK):
        report.add(binary, 1, "FAIL: the program is missing; build it first")
        return
    page = common.read(root, PAGE)
    names = commands(binary)
    in_page = options_in_page(page, names)
    for name in names:
        if not re.search(rf"^\*vmasim {name}\*", page, re.MULTILINE):
            report.add(PAGE, 1, f"command '{name}' is not in the manual page")
        in_help = set(HELP_OPTION.findall(help_of(binary, name)))
        for option in sorted(in_help - OF_EVERY_COMMAND - set(in_page[name])):
            report.add(PAGE, 1, f"'{show(option)}' of 'vmasim {name}' is not in the manual page")
        for option, line in sorted(in_page[name].items()):
            if option not in in_help:
                report.add(PAGE, line, f"'vmasim {name}' has no '{show(option)}'")


common.run(check)
