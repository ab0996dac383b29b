# SPDX-License-Identifier: MIT
"""Records fit their schema, on stdout and in a folder, whatever the engine."""
import json
import os
import tempfile
import unittest

from vmasim import BRIEF, Case, ENGINES, SHORT, check_record, read_set


class Record(Case):
    def test_json_is_one_array_of_records(self):
        for engine in ENGINES:
            answer = self.good("run", "mmap1", "brk1", f"--engine={engine}", "--format=json",
                               "--runs=2", "--kernel=6.17|6.18:barn.max_full=40", *SHORT)
            records = json.loads(answer.out)
            self.assertEqual(len(records), 4)
            for record in records:
                check_record(record)
                self.assertEqual(record["engine"], engine)
                self.assertEqual(len(record["runs"]), 2)
                self.assertEqual([run["seed"] for run in record["runs"]], [1, 2])
                self.assertGreater(record["runs"][0]["operations"], 0)
            self.assertEqual([r["workload"] for r in records], ["mmap1", "mmap1", "brk1", "brk1"])
            self.assertEqual(records[1]["kernel"]["knobs"]["barn.max_full"], "40")
            self.assertEqual(records[0]["kernel"]["knobs"]["sheaves"], "off")

    def test_jsonl_is_one_record_a_line(self):
        answer = self.good("run", "mmap1", "--format=jsonl", "--mode=processes|threads",
                           "--tasks=1,2", *SHORT)
        records = [json.loads(line) for line in answer.out.splitlines()]
        for record in records:
            check_record(record)
        self.assertEqual([(r["mode"], r["tasks"]) for r in records],
                         [("processes", 1), ("processes", 2), ("threads", 1), ("threads", 2)])

    def test_a_timed_window_is_kept_in_the_record(self):
        record = json.loads(self.good("run", "mmap2", "--format=json", *BRIEF).out)[0]
        check_record(record)
        self.assertEqual(record["window_ns"], 50000000)
        self.assertEqual(record["warmup_ns"], 0)
        self.assertGreaterEqual(record["runs"][0]["measured_ns"], 50000000)

    def test_limited_operations_are_what_was_asked_for(self):
        for engine in ENGINES:
            record = json.loads(self.good("run", "mmap1", "--format=json", f"--engine={engine}",
                                          *SHORT).out)[0]
            self.assertEqual(record["runs"][0]["operations"], 200)
            self.assertEqual(record["max_operations"], 200)

    def test_more_tasks_than_cpus_are_flagged(self):
        many = 2 * os.cpu_count() + 1
        record = json.loads(self.good("run", "mmap1", "--format=json", f"--tasks={many}",
                                      *SHORT).out)[0]
        check_record(record)
        self.assertTrue(record["flags"]["oversubscribed"])
        self.assertIn("oversubscribed", self.good("run", "mmap1", f"--tasks={many}", *SHORT).out)

    def test_keys_are_sorted(self):
        text = self.good("run", "mmap1", "--format=json", *SHORT).out
        keys = list(json.loads(text, object_pairs_hook=lambda pairs: [k for k, _ in pairs])[0])
        self.assertEqual(keys, sorted(keys))

    def test_a_folder_holds_each_point_and_says_complete(self):
        with tempfile.TemporaryDirectory() as folder:
            target = os.path.join(folder, "new")
            self.good("run", "mmap1", "brk2", "--tasks=1,2", "-o", target, *SHORT)
            listing, records = read_set(target)
            self.assertEqual(listing["status"], "complete")
            self.assertEqual(len(records), 4)
            self.assertEqual(sorted(os.listdir(target)), sorted(listing["points"] + ["set.json"]))

    def test_compare_keeps_both_sides(self):
        with tempfile.TemporaryDirectory() as folder:
            answer = self.good("compare", "mmap1", "--runs=2", "--format=json", "-o", folder, *SHORT)
            comparison = json.loads(answer.out)[0]
            self.assertEqual(comparison["schema"], "vmasim.comparison/1")
            self.assertEqual(comparison["judgement"]["verdict"], "inconclusive")
            for side in ("base", "test"):
                check_record(comparison[side]["record"])
            listing, records = read_set(folder)
            self.assertEqual(listing["status"], "complete")
            self.assertEqual([r["side"] for r in records], ["base", "test"])


if __name__ == "__main__":
    unittest.main()
