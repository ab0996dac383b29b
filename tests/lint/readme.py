# SPDX-License-Identifier: MIT
"""What the documents tell to type exists: command, options, kernels, workloads and machines of each
indented line of a .md or .scd file that starts with vmasim."""
import os
import re
import shlex
import subprocess

import common

OPTION = re.compile(r"--([a-z][a-z-]*)")


def shown_commands(text):
    """(line number, words) of each 'vmasim ...' line in an indented block."""
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r"(?:    |\t)(?:\$ )?(?:build/release/)?vmasim ([a-z].*)", line)
        if found and "NAME" not in line and "..." not in line:
            yield number, shlex.split(found.group(1), comments=True)


def known_words(binary):
    """Options of each command, and every name that list and machine list print."""
    def output(*words):
        return subprocess.run([binary, *words], capture_output=True, text=True).stdout

    commands = re.findall(r"^  ([a-z]+) ", output("--help").split("Commands:")[1], re.MULTILINE)
    options = {name: set(OPTION.findall(output(name, "--help"))) for name in commands}
    workloads = {line.split()[0] for line in output("list", "workloads").splitlines()}
    kernels = {line.split()[0] for line in output("list", "kernels").splitlines()}
    knobs = {line.split()[0] for line in output("list", "knobs").splitlines()}
    machines = {line.split()[0] for line in output("machine", "list").splitlines()[1:]}
    return options, workloads, kernels, knobs, machines


def kernel_faults(spec, kernels, knobs):
    for one in spec.split("|"):
        preset, _, overrides = one.partition(":")
        if preset not in kernels:
            yield f"kernel '{preset}' is unknown"
        for override in filter(None, overrides.split(",")):
            if override.split("=")[0] not in knobs:
                yield f"knob '{override}' is unknown"


def faults(words, known):
    options, workloads, kernels, knobs, machines = known
    command, rest = words[0], words[1:]
    if command not in options:
        yield f"command '{command}' is unknown"
        return
    for word in rest:
        name, _, value = word.partition("=")
        if word.startswith("--"):
            if name[2:] not in options[command]:
                yield f"'vmasim {command}' has no '{name}'"
            elif name in ("--kernel", "--base", "--test"):
                yield from kernel_faults(value, kernels, knobs)
            elif name == "--machine" and value not in machines:
                yield f"machine '{value}' is unknown"
        elif command in ("run", "compare") and not word.startswith("-") and word not in workloads:
            yield f"workload '{word}' is unknown"
        elif command == "machine" and word not in machines | {"list", "show"}:
            yield f"machine '{word}' is unknown"


def check(root, report, binary):
    if not os.access(binary, os.X_OK):
        report.add(binary, 1, "FAIL: the program is missing; build it first")
        return
    known = known_words(binary)
    for name in common.project_files(root, ".md", ".scd"):
        for number, words in shown_commands(common.read(root, name)):
            for fault in faults(words, known):
                report.add(name, number, fault)


common.run(check)
