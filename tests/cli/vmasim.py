# SPDX-License-Identifier: MIT
"""What the tests of the command share: how to call it and what a record must be."""
import json
import os
import subprocess
import unittest

import jsonschema

PROGRAM = os.environ["VMASIM"]
SOURCE = os.environ["VMASIM_SOURCE"]
HAVE_VIRTUAL = os.environ.get("VMASIM_VIRTUAL", "1") == "1"
ENGINES = ["native", "virtual"] if HAVE_VIRTUAL else ["native"]

# A run short enough for a test. Nothing here looks at how fast anything was.
SHORT = ["--ops=200", "--warmup=0"]
BRIEF = ["--duration=50ms", "--warmup=0"]


class Answer:
    def __init__(self, done):
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr

    def __str__(self):
        return f"status {self.status}\nstdout: {self.out}\nstderr: {self.err}"


def vmasim(*arguments, timeout=120, **more):
    done = subprocess.run([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=timeout, stdin=subprocess.DEVNULL, **more)
    return Answer(done)


def schema():
    with open(os.path.join(SOURCE, "lab/result.schema.json"), encoding="ascii") as file:
        return json.load(file)


def check_record(record):
    jsonschema.Draft202012Validator(schema()).validate(record)
    for run in record["runs"]:
        assert len(run["operations_by_task"]) == record["tasks"]
        assert sum(run["operations_by_task"]) == run["operations"]
        assert run["leaked"] == {"objects": 0, "pages": 0}
        lengths = {len(series) for series in run["samples"].values()}
        assert len(lengths) == 1


def read_set(folder):
    """set.json and the records it lists, each checked."""
    with open(os.path.join(folder, "set.json"), encoding="ascii") as file:
        listing = json.load(file)
    records = []
    for name in listing["points"]:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            records.append(json.load(file))
        check_record(records[-1])
    return listing, records


class Case(unittest.TestCase):
    maxDiff = None

    def good(self, *arguments, status=0, **more):
        answer = vmasim(*arguments, **more)
        self.assertEqual(answer.status, status, f"{arguments}: {answer}")
        return answer

    def bad(self, arguments, *says, status=2):
        """Refused before anything is printed, with a message that says all of @says."""
        answer = vmasim(*arguments)
        self.assertEqual(answer.status, status, f"{arguments}: {answer}")
        self.assertEqual(answer.out, "", f"{arguments}: {answer}")
        for part in says:
            self.assertIn(part, answer.err, f"{arguments}")
        return answer
