# SPDX-License-Identifier: MIT
"""Each check finds what it is for, at its line, and nothing in what is right."""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SPDX = "/* SPDX-License-Identifier: MIT */\n"

# check, file, text, line of the finding (None: nothing to find)
CASES = [
    ("floors", "alloc/a.c", SPDX + '#include "sim/mm.h"\n', 2),
    ("floors", "alloc/a.c", SPDX + '#include "base/list.h"\n#include <stdio.h>\n', None),
    ("floors", "alloc/a.c", SPDX + "/*\n#include \"sim/mm.h\"\n*/\n", None),
    ("floors", "sim/a.h", SPDX + "#include <pthread.h>\n", 2),
    ("floors", "sim/a.c", SPDX + "#include <urcu/urcu-qsbr.h>\n", 2),
    ("floors", "lab/a.c", SPDX + "#include <hwloc.h>\n", 2),
    ("floors", "engine/a.c", SPDX + "#include <numa.h>\n#include <pthread.h>\n", None),
    ("floors", "mtree/a.c", SPDX + '#include "node.h"\n', 2),
    ("floors", "mtree/a.c", SPDX + "#ifdef VMASIM_VIRTUAL\n#endif\n", 2),
    ("floors", "mtree/a.c", SPDX + "#if defined(VMASIM_VIRTUAL)\n#endif\n", 2),
    ("floors", "engine/a.c", SPDX + "#ifdef VMASIM_VIRTUAL\n#endif\n", None),
    ("shape", "base/a.c", SPDX + "\n" * 900, 901),
    ("shape", "base/a.c", SPDX + "\n" * 899, None),
    ("shape", "base/a.c", SPDX + "\nint f(void)\n{\n" + "\tg();\n" * 68 + "}\n", 3),
    ("shape", "base/a.c", SPDX + "\nint f(void)\n{\n" + "\tg();\n" * 67 + "}\n", None),
    ("shape", "base/a.c", SPDX + "\nint f(void) {\n" + '\tg("}");\n' * 69 + "}\n", 3),
    ("shape", "base/a.c", SPDX + "struct s {\n" + "\tint a; /* ) */\n" * 80 + "};\n", None),
    ("shape", "base/a.c", SPDX + "#if A\nint f(int a)\n{\n#else\nint f(void)\n{\n#endif\n}\n"
     + "static const int t[] = {\n" + "\t1,\n" * 80 + "};\n", None),
    ("shape", "base/a.c", SPDX + "\t" * 12 + "12345\n", 2),
    ("shape", "base/a.c", SPDX + "\t" * 12 + "1234\n", None),
    ("shape", "cmake/a.cmake", "#" * 101 + "\n", 1),
    ("banned", "sim/a.c", SPDX + "u64 t = time(NULL);\n", 2),
    ("banned", "alloc/a.c", SPDX + "int i = rand ();\n", 2),
    ("banned", "lab/a.c", SPDX + "int i = random();\n", 2),
    ("banned", "mtree/a.c", SPDX + "clock_gettime(CLOCK_MONOTONIC, &t);\n", 2),
    ("banned", "workloads/a.c", SPDX + "gettimeofday(&t, NULL);\n", 2),
    ("banned", "sim/a.c", SPDX + "/* not time() */ u64 t = mmap_time(a) + a->clock(b);\n", None),
    ("banned", "engine/a.c", SPDX + "clock_gettime(CLOCK_MONOTONIC, &t);\n", None),
    ("banned", "alloc/a.c", SPDX + "\n/* TO" + "DO: more */\n", 3),
    ("banned", "cli/a.c", SPDX + 'fail("not imp' + 'lemented");\n', 2),
    ("banned", "alloc/a.c", SPDX + "spin_lock(&n->other);\n", 2),
    ("banned", "alloc/a.c", SPDX + "if (spin_trylock(&n->other))\n\treturn;\n", 2),
    ("banned", "alloc/a.c", SPDX + "spin_lock_irqsave(&n->other, flags);\n", None),
    ("banned", "engine/a.c", SPDX + "spin_lock_init(&z->lock, LOCK_ZONE);\nspin_lock(&z->lock);\n",
     3),
    ("banned", "engine/a.c", SPDX + "spin_lock_init(&z->lock, LOCK_VMA);\nspin_lock(&z->lock);\n",
     None),
    ("file_scope", "alloc/a.c", SPDX + "static int counter;\n", 2),
    ("file_scope", "alloc/a.c", SPDX + "int counter = 1;\n", 2),
    ("file_scope", "sim/a.c", SPDX + "static const char *names[2];\n", 2),
    ("file_scope", "sim/a.c", SPDX + "static struct thing t = {\n\t.a = {1},\n};\n", 2),
    ("file_scope", "sim/a.c", SPDX + "static int f(void)\n{\n\treturn 0;\n}\n\nstatic u64 last;\n",
     7),
    ("file_scope", "lab/a.c", SPDX + "int (*hook)(int a);\n", 2),
    ("file_scope", "cli/main.c", SPDX + "const char *argp_program_version = 0;\n", None),
    ("file_scope", "cli/main.c", SPDX + "int other;\n", 2),
    ("file_scope", "sim/a.c", SPDX + "static const char *const names[] = {\n\t\"a\",\n};\n"
     "extern const int table[3];\nstruct s {\n\tint a;\n};\nstruct s;\nenum e { A, B };\n"
     "typedef int word;\nLIST(X)\nint f(int a, bool (*visit)(void *arg));\n", None),
    ("file_scope", "sim/a.h", SPDX + "struct s {\n\tint a;\n} __attribute__((aligned(16)));\n", None),
    ("file_scope", "sim/a.c", SPDX + "struct s t __attribute__((aligned(16)));\n", 2),
    ("file_scope", "engine/a.c", SPDX + "static int counter;\n", None),
    ("spdx", "alloc/a.c", "int a;\n", 1),
    ("spdx", "cmake/a.cmake", "set(a b)\n", 1),
    ("spdx", "scripts/a", "#!/bin/sh\n", 1),
    ("spdx", "scripts/a", "#!/bin/sh\n# SPDX-License-Identifier: MIT\n", None),
    ("paths", "README.md", "see @ROOT@/docs\n", 1),
    ("paths", "README.md", "see @HOME@/notes\n", 1),
    ("paths", "README.md", "see @BUILD@/vmasim\n", 1),
    ("paths", "docs/a.md", "see ../../other\n", 1),
    ("paths", "docs/a.md", "see ../README.md, wait ...\n", None),
    ("paths", "scripts/a", 'cd "$(dirname "$0")/../.."\n', 1),
    ("paths", "scripts/a", 'cd "$(dirname "$0")/.."\n', None),
]

FAKE_PROGRAM = """#!/bin/sh
case "$1" in
--help) printf 'Usage\\n\\nCommands:\\n  run WORKLOAD    run it\\n\\n' ;;
run) printf '  -t, --tasks=LIST  numbers\\n      --seed=N  seed\\n  -?, --help  this\\n' ;;
list) echo "6.18 mmap1 maple_node.order 6.18" | tr ' ' '\\n' ;;
machine) printf 'NAME\\nhost\\n' ;;
esac
"""
GOOD_PAGE = "*vmasim run* x\n\n# OPTIONS OF RUN\n*-t*, *--tasks*=_LIST_\n\tx\n\n*--seed*=_N_\n\tx\n"
PAGE_CASES = [
    ("options", "docs/man/vmasim.1.scd", GOOD_PAGE, None),
    ("options", "docs/man/vmasim.1.scd", GOOD_PAGE.replace("*--seed*", "*--sed*"), 7),
    ("options", "docs/man/vmasim.1.scd", GOOD_PAGE.replace("*-t*, ", ""), 4),
    ("options", "docs/man/vmasim.1.scd", GOOD_PAGE.split("*--seed*")[0], 1),
    ("options", "docs/man/vmasim.1.scd", GOOD_PAGE.replace("vmasim run", "vmasim"), 1),
    ("readme", "README.md", "    vmasim run mmap1 --tasks=1 --seed=2\n", None),
    ("readme", "README.md", "    vmasim walk mmap1\n", 1),
    ("readme", "README.md", "    vmasim run mmap1 --tusks=1\n", 1),
    ("readme", "README.md", "    vmasim run mmap9\n", 1),
]


def run_case(check, name, text, with_program=False):
    """The check's findings in a tree of one file, and its exit status."""
    with tempfile.TemporaryDirectory() as top:
        root, build = os.path.join(top, "source"), os.path.join(top, "build")
        os.makedirs(os.path.join(root, os.path.dirname(name)))
        os.makedirs(build)
        text = text.replace("@ROOT@", root).replace("@BUILD@", build)
        text = text.replace("@HOME@", os.path.join(top, "home"))
        with open(os.path.join(root, name), "w", encoding="utf-8") as file:
            file.write(text)
        program = os.path.join(build, "vmasim")
        with open(program, "w", encoding="utf-8") as file:
            file.write(FAKE_PROGRAM)
        os.chmod(program, 0o755)
        more = [program] if with_program else [build] if check == "paths" else []
        made = subprocess.run([sys.executable, os.path.join(HERE, check + ".py"), root, *more],
                              capture_output=True, text=True,
                              env={**os.environ, "HOME": os.path.join(top, "home")})
    return made.stdout, made.stderr, made.returncode


def failure(case, with_program):
    """Why a case fails, or None."""
    check, name, text, line = case
    found, errors, status = run_case(check, name, text, with_program)
    if errors:
        return errors
    if line is None:
        return f"status {status}, expected 0: {found}" if found or status else None
    if status != 1 or not any(one.startswith(f"{name}:{line}: ") for one in found.splitlines()):
        return f"status {status}, expected 1 and {name}:{line}: but found: {found or 'nothing'}"
    return None


def main():
    nr_failed = 0
    cases = [(case, False) for case in CASES] + [(case, True) for case in PAGE_CASES]
    for case, with_program in cases:
        why = failure(case, with_program)
        if why:
            nr_failed += 1
            print(f"not ok - {case[0]} on {case[1]} with {case[2][:120]!r}: {why}")
    print(f"{len(cases) - nr_failed} of {len(cases)} planted cases are as expected")
    return 1 if nr_failed else 0


if __name__ == "__main__":
    sys.exit(main())
