# SPDX-License-Identifier: MIT
"""stdout carries data, stderr the rest; a folder or a disk that fails is exit 4."""
import os
import pty
import select
import subprocess
import tempfile
import unittest

from vmasim import BRIEF, Case, PROGRAM, SHORT, vmasim


def on_a_terminal(arguments, **more):
    """Status and what stderr received, with stderr a terminal and stdout not."""
    master, slave = pty.openpty()
    process = subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.DEVNULL, stderr=slave,
                               **more)
    os.close(slave)
    text = b""
    while True:
        ready, _, _ = select.select([master], [], [], 60)
        try:
            part = os.read(master, 4096) if ready else b""
        except OSError:  # the other end is closed
            break
        if not part:
            break
        text += part
    os.close(master)
    return process.wait(), text.decode()


class Output(Case):
    def test_folders_that_cannot_be_made_fail_before_the_run(self):
        with tempfile.NamedTemporaryFile() as file:
            for folder in ["/proc/no/such", "/nowhere/at/all", file.name, ""]:
                self.bad(["run", "mmap1", "--duration=3600", "-o", folder], "output folder",
                         f"'{folder}'", "allowed: ", status=4)

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full here")
    def test_a_full_disk_is_no_success(self):
        for arguments in (["list"], ["run", "mmap1", *SHORT], ["run", "mmap1", "-f", "json", *SHORT]):
            with open("/dev/full", "w", encoding="ascii") as full:
                done = subprocess.run([PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE,
                                      text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("standard output", done.stderr)

    def test_no_progress_and_no_colour_without_a_terminal(self):
        answer = self.good("compare", "mmap1", "--runs=5", *BRIEF)
        self.assertEqual(answer.err, "")
        self.assertNotIn("\033", answer.out)

    def test_progress_on_a_terminal_names_runs_and_ends_clean(self):
        status, text = on_a_terminal(["run", "mmap1", "--runs=3", "--duration=200ms", "--warmup=0"])
        self.assertEqual(status, 0)
        self.assertIn("[1/3] mmap1 6.18 processes tasks=1 run 1", text)
        self.assertIn("time left", text)
        self.assertTrue(text.endswith("\r\033[K"), repr(text[-40:]))

    def test_progress_can_be_turned_off(self):
        status, text = on_a_terminal(["run", "mmap1", "--runs=3", "--no-progress", *BRIEF])
        self.assertEqual((status, text), (0, ""))

    def test_the_table_names_each_point(self):
        lines = self.good("run", "mmap1", "--kernel=6.17|6.18", "--tasks=1,2", *SHORT).out.splitlines()
        self.assertEqual(len(lines), 5)
        self.assertTrue(lines[0].startswith("WORKLOAD"))
        self.assertEqual([line.split()[1:4] for line in lines[1:]],
                         [["6.17", "processes", "1"], ["6.17", "processes", "2"],
                          ["6.18", "processes", "1"], ["6.18", "processes", "2"]])


class Help(Case):
    def test_help_and_version(self):
        answer = self.good("--help")
        for command in ("run", "compare", "replay", "list", "machine", "bench"):
            self.assertRegex(answer.out, rf"(?m)^  {command} ")
            text = self.good(command, "--help").out
            self.assertIn(f"Usage: vmasim {command}", text)
        self.assertRegex(self.good("--version").out, r"^vmasim \d+\.\d+\.\d+\n$")
        self.assertEqual(vmasim("-V").out, vmasim("--version").out)

    def test_lists_come_from_the_tables(self):
        everything = self.good("list").out
        for part, names in [("workloads", ["mmap1", "mmap2", "brk1", "brk2"]),
                            ("kernels", ["6.17", "6.18"]),
                            ("knobs", ["sheaves", "gp", "barn.max_full", "maple_node.sheaf_capacity"]),
                            ("events", ["ma_write", "mmap_lock", "alloc_cpu_sheaf"])]:
            text = self.good("list", part).out
            self.assertIn(text, everything)
            first = [line.split()[0] for line in text.splitlines() if line]
            for name in names:
                self.assertIn(name, first)

    def test_machines(self):
        text = self.good("machine", "list").out
        for name in ("host", "turin", "turin-1s64", "bergamo", "granite-rapids", "arm80", "android8"):
            self.assertRegex(text, rf"(?m)^{name} ")
            shown = self.good("machine", "show", name).out
            self.assertRegex(shown, rf"(?m)^name +{name}$")
            self.assertRegex(shown, r"(?m)^cpus +[1-9]\d*$")
            self.assertRegex(shown, r"(?m)^provenance +\S")
        self.assertIn("cpus        512", self.good("machine", "show", "turin").out)


if __name__ == "__main__":
    unittest.main()
