# SPDX-License-Identifier: MIT
"""compare: the table, the verdict and the exit status that follows from it."""
import json
import re
import unittest

from vmasim import Case, HAVE_VIRTUAL, SHORT


class Compare(Case):
    def test_the_table_has_base_test_and_percent_for_each_point(self):
        answer = self.good("compare", "mmap1", "--tasks=1,2", "--runs=2", *SHORT)
        for tasks in (1, 2):
            self.assertRegex(answer.out, rf"(?m)^mmap1_{tasks}_processes \(2 \+ 2 runs\)$")
        for head in (r"\s+MIN\s+MAX\s+MEAN\s+MEDIAN\s+STDDEV", r"BASE(\s+\d+){5}", r"TEST(\s+\d+){5}",
                     r"%(\s+(-|-?\d+\.\d\d%)){5}"):
            self.assertEqual(len(re.findall(rf"(?m)^{head}$", answer.out)), 2, answer.out)
        self.assertEqual(answer.out.count("verdict: "), 2)

    def test_too_few_runs_are_inconclusive_and_strict_says_so(self):
        answer = self.good("compare", "mmap1", "--runs=2", *SHORT)
        self.assertIn("verdict: inconclusive", answer.out)
        self.assertIn("needs at least --runs=5", answer.out)
        self.good("compare", "mmap1", "--runs=2", "--strict", *SHORT, status=3)
        self.good("compare", "mmap1", "--runs=2", "--fail-on=1%", *SHORT)

    @unittest.skipUnless(HAVE_VIRTUAL, "only the virtual engine gives equal runs")
    def test_a_kernel_is_the_same_as_itself(self):
        answer = self.good("compare", "mmap1", "--base=6.18", "--test=6.18", "--engine=virtual",
                           "--strict", "--fail-on=0.1%", *SHORT)
        self.assertIn("verdict: same (median +0.00 %", answer.out)

    @unittest.skipUnless(HAVE_VIRTUAL, "only the virtual engine gives equal runs")
    def test_one_direction_regresses_and_only_with_fail_on(self):
        def compare(base, test, *more):
            return ["compare", "mmap1", f"--base={base}", f"--test={test}", "--engine=virtual",
                    "--format=json", "--threshold=0.01%", *more, *SHORT]

        change = json.loads(self.good(*compare("6.17", "6.18")).out)[0]["judgement"]["change"]
        self.assertGreater(abs(change), 0.0001)
        faster, slower = ("6.18", "6.17") if change > 0 else ("6.17", "6.18")
        judgement = json.loads(self.good(*compare(faster, slower)).out)[0]["judgement"]
        self.assertEqual(judgement["verdict"], "worse")
        self.good(*compare(faster, slower, "--fail-on=0.01%"), status=1)
        self.good(*compare(faster, slower, "--fail-on=1000%"))
        self.good(*compare(slower, faster, "--fail-on=0.01%"))

    def test_more_tasks_than_cpus_are_noted(self):
        answer = self.good("compare", "mmap1", "--tasks=65", "--runs=1", *SHORT)
        record = json.loads(self.good("run", "mmap1", "--tasks=65", "--format=json", *SHORT).out)[0]
        noted = "note: oversubscribed: 65 tasks" in answer.out
        self.assertEqual(noted, record["flags"]["oversubscribed"])


if __name__ == "__main__":
    unittest.main()
