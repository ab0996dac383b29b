# SPDX-License-Identifier: MIT
"""replay and bench: what they print, and the status of a difference."""
import glob
import json
import os
import re
import tempfile
import unittest

from vmasim import Case, ENGINES, SOURCE

TRACE = os.path.join(SOURCE, "tests/data/kernel/11_mmap_simple.jsonl")
MAPS_LINE = r"^[0-9a-f]{8,16}-[0-9a-f]{8,16} [r-][w-][x-][ps] [0-9a-f]{8} [0-9a-f]{2,}:[0-9a-f]{2,} \d+"


def without_one_result(text):
    """The trace with one mmap claimed a page further up than the kernel put it."""
    lines = text.splitlines(keepends=True)
    for i, line in enumerate(lines):
        found = re.search(r'"op":"mmap".*"r":"a\+0x([0-9a-f]+)"', line)
        if found:
            moved = f'{int(found[1], 16) + 4096:x}'
            lines[i] = line[:found.start(1)] + moved + line[found.end(1):]
            return "".join(lines)
    raise AssertionError("the trace has no mmap")


class Replay(Case):
    def test_a_recorded_trace_agrees_and_the_counts_are_printed(self):
        for engine in ENGINES:
            answer = self.good("replay", "--check", f"--engine={engine}", TRACE)
            for what in ("operations", "layouts", "counters", "object counts"):
                self.assertRegex(answer.out, rf"[1-9]\d* {what}")
            self.assertIn("0 differences", answer.out)

    def test_several_files_have_a_total(self):
        files = sorted(glob.glob(os.path.join(SOURCE, "tests/data/kernel/1*_mmap_*.jsonl")))[:3]
        answer = self.good("replay", "--check", *files)
        self.assertRegex(answer.out.splitlines()[-1], r"^3 files: [1-9]\d* operations")

    def test_a_difference_exits_1_and_only_with_check(self):
        with open(TRACE, encoding="ascii") as file, \
                tempfile.NamedTemporaryFile("w", suffix=".jsonl") as changed:
            changed.write(without_one_result(file.read()))
            changed.flush()
            answer = self.good("replay", "--check", changed.name, status=1)
            self.assertNotIn(" 0 differences", answer.out)
            self.good("replay", changed.name)

    def test_maps_are_lines_of_proc_pid_maps(self):
        answer = self.good("replay", "--maps", TRACE)
        lines = answer.out.splitlines()
        self.assertGreater(len(lines), 5)
        for line in lines:
            self.assertRegex(line, MAPS_LINE)
        self.assertIn("operations", answer.err)


class Bench(Case):
    def test_rows_stand_beside_a_yardstick(self):
        for what in ("slab", "sim"):
            answer = json.loads(self.good("bench", what, "--passes=1", "--format=json").out)
            self.assertEqual(answer["schema"], "vmasim.bench/1")
            self.assertGreaterEqual(len(answer["rows"]), 1)
            for row in answer["rows"]:
                self.assertGreater(row["ns"], 0)
            self.assertTrue(any(row["ratio"] is None for row in answer["rows"]))
            text = self.good("bench", what, "--passes=1").out
            self.assertEqual(len(text.splitlines()), 1 + len(answer["rows"]))


if __name__ == "__main__":
    unittest.main()
