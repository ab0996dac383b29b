# SPDX-License-Identifier: MIT
"""A licence line in the first three lines of each source and script."""
import common

ENDINGS = (".c", ".h", ".S", ".cmake", "CMakeLists.txt", ".py", ".sh")


def is_script(root, name):
    return name.startswith(("scripts/", ".ci/")) or common.read(root, name)[:2] == "#!"


def check(root, report):
    for name in common.project_files(root):
        if not name.endswith(ENDINGS) and not is_script(root, name):
            continue
        head = common.read(root, name).splitlines()[:3]
        if not any("SPDX-License-Identifier: MIT" in line for line in head):
            report.add(name, 1, "no line 'SPDX-License-Identifier: MIT' in the first three")


common.run(check)
