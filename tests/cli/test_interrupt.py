# SPDX-License-Identifier: MIT
"""Ctrl-C keeps what is finished; kill -9 leaves no half-written record."""
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest

from vmasim import Case, PROGRAM, check_record, read_set

# A first point that ends soon is not possible with one duration for all, so many short runs.
LONG = ["run", "mmap1", "--tasks=1,2", "--mode=processes|threads", "--runs=200",
        "--duration=20ms", "--warmup=0"]
ENDLESS = ["run", "mmap1", "--duration=3600", "--warmup=0"]


class Interrupt(Case):
    def start(self, *arguments):
        process = subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()

    def wait_for_points(self, folder, wanted, seconds=60):
        """Until set.json lists @wanted records."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                with open(os.path.join(folder, "set.json"), encoding="ascii") as file:
                    if len(json.load(file)["points"]) >= wanted:
                        return
            except FileNotFoundError:
                pass
            time.sleep(0.01)
        self.fail(f"no {wanted} points after {seconds} s")

    def test_finished_points_are_kept_and_the_set_is_partial(self):
        with tempfile.TemporaryDirectory() as folder:
            process = self.start(*LONG, "-o", folder, "--format=json")
            self.wait_for_points(folder, 1)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
            self.assertEqual(process.returncode, 130, err)
            self.assertIn("interrupted", err)
            listing, records = read_set(folder)
            self.assertEqual(listing["status"], "partial")
            self.assertEqual(records[0]["flags"]["interrupted"], False)
            self.assertEqual(len(records[0]["runs"]), 200)
            printed = json.loads(out)
            self.assertEqual(len(printed), len(records))
            for record in printed:
                check_record(record)
            for record in records[1:]:
                self.assertTrue(record["flags"]["interrupted"])
                self.assertLess(len(record["runs"]), 200)

    def test_a_run_that_would_last_an_hour_stops_at_once(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start(*ENDLESS, "--format=json")
            time.sleep(0.7)
            process.send_signal(number)
            out, err = process.communicate(timeout=20)
            self.assertEqual(process.returncode, 130, err)
            self.assertEqual(json.loads(out), [])

    def test_kill_leaves_whole_records_only(self):
        with tempfile.TemporaryDirectory() as folder:
            process = self.start("run", "mmap1", "--tasks=1..400", "--ops=2", "--warmup=0",
                                 "-o", folder)
            self.wait_for_points(folder, 3)
            process.kill()
            process.wait()
            self.assertEqual(process.returncode, -signal.SIGKILL)
            listing, records = read_set(folder)
            self.assertEqual(listing["status"], "partial")
            self.assertGreaterEqual(len(records), 3)
            for name in os.listdir(folder):
                if name.endswith(".json"):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        json.load(file)
                else:
                    self.assertTrue(name.startswith(".") and name.endswith(".tmp"), name)


if __name__ == "__main__":
    unittest.main()
