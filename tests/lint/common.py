# SPDX-License-Identifier: MIT
"""What the lint checks share: the project's files, C source without its comments, reports."""
import os
import re
import subprocess
import sys

FLOORS = ["base", "engine", "alloc", "mtree", "sim", "workloads", "lab", "cli"]


def listed_by_git(root):
    """Tracked and new files that are not ignored; None where there is no git to ask."""
    if not os.path.exists(os.path.join(root, ".git")):
        return None
    try:
        made = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "-z"],
                              capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return [name for name in made.stdout.decode().split("\0") if name]


def listed_by_walk(root):
    names = []
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in (".git", "build")]
        names += [os.path.relpath(os.path.join(folder, name), root) for name in files]
    return names


def project_files(root, *endings):
    """Paths below root, sorted, of all files or of those that end so. No recorded data."""
    names = listed_by_git(root)
    if names is None:
        names = listed_by_walk(root)
    return sorted({name for name in names
                   if os.path.isfile(os.path.join(root, name))
                   and not name.startswith("tests/data/")
                   and (not endings or name.endswith(endings))})


def c_files(root):
    return project_files(root, ".c", ".h")


def floor_of(name):
    """The floor a path lies in, or None: tests and documents belong to no floor."""
    top = name.split("/")[0]
    return top if top in FLOORS else None


def read(root, name):
    with open(os.path.join(root, name), encoding="utf-8", errors="replace") as file:
        return file.read()


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def without_comments(text, keep_strings=False):
    """C source with comments, and what stands in quotes, replaced by spaces; lines stay."""
    token = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)

    def replace(match):
        found = match.group()
        if found[0] == "/":
            return blank(found)
        return found if keep_strings else found[0] + blank(found[1:-1]) + found[-1]

    return token.sub(replace, text)


def without_directives(text):
    """The same without preprocessor lines and their continuations."""
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: blank(m.group()), text,
                  flags=re.MULTILINE)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


class Report:
    """Findings as file:line: message, and the exit status they make."""

    def __init__(self):
        self.nr_findings = 0

    def add(self, name, line, message):
        print(f"{name}:{line}: {message}")
        self.nr_findings += 1

    def status(self):
        return 1 if self.nr_findings else 0


def run(check):
    """Call check(root, report, *more arguments) and exit with the report's status."""
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} ROOT [ARGUMENT...]")
    if not os.path.isdir(sys.argv[1]):
        sys.exit(f"{sys.argv[0]}: '{sys.argv[1]}' is no directory")
    report = Report()
    check(os.path.abspath(sys.argv[1]), report, *sys.argv[2:])
    sys.exit(report.status())
