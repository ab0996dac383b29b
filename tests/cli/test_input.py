# SPDX-License-Identifier: MIT
"""Bad input exits 2 and says which value, where it stood and what is allowed."""
import os
import unittest

from vmasim import Case, HAVE_VIRTUAL, SHORT, SOURCE


class BadInput(Case):
    def test_commands(self):
        self.bad([], "Usage: vmasim COMMAND")
        self.bad(["runn"], "'runn'", "position 1", "allowed: run, compare, replay, list, machine, bench")
        self.bad(["--frobnicate"], "'--frobnicate'", "allowed: run")

    def test_lists_of_tasks(self):
        for text, value in [("0", "'0'"), ("-1", "'-1'"), ("abc", "'abc'"), ("1..", "''"),
                            ("99999999", "'99999999'"), ("4097", "'4097'"), ("1,,2", "''"),
                            ("", "''"), ("8..1", "'8..1'"), ("1..9:x1", "'x1'"), ("2,2", "'2'")]:
            for command in ("run", "compare"):
                self.bad([command, "mmap1", "--tasks=" + text], "--tasks: ", value, "position",
                         "allowed: numbers from 1 to 4096")

    def test_numbers(self):
        for text in ["0", "-1", "abc", "1001", "", "1.5", "99999999999999999999"]:
            self.bad(["run", "mmap1", "--runs=" + text], f"--runs: '{text}'", "allowed: 1 to 1000")
        for text in ["-1", "x", "18446744073709551616"]:
            self.bad(["run", "mmap1", "--seed=" + text], f"--seed: '{text}'", "allowed: 0 to")
        for text in ["0", "-5", "many"]:
            self.bad(["run", "mmap1", "--ops=" + text], f"--ops: '{text}'", "allowed: 1 to")
        for text in ["0", "-1", "abc", "1h", "1.2.3", "86401", ""]:
            self.bad(["run", "mmap1", "--duration=" + text], f"--duration: '{text}'", "allowed: seconds")
        self.bad(["run", "mmap1", "--warmup=x"], "--warmup: 'x'", "allowed: seconds")
        for option in ["--threshold", "--fail-on"]:
            for text in ["0", "-5%", "x", "5%%"]:
                self.bad(["compare", "mmap1", f"{option}={text}"], f"{option}: '{text}'", "allowed: above 0")
        self.bad(["bench", "slab", "--passes=0"], "--passes: '0'", "allowed: 1 to 1000")

    def test_names(self):
        self.bad(["run", "mmap9"], "'mmap9'", "allowed: ", "mmap1")
        self.bad(["run"], "no WORKLOAD", "allowed")
        self.bad(["run", "mmap1", "brk1", "mmap1"], "'mmap1'", "twice")
        self.bad(["run", *(f"w{n}" for n in range(17))], "'w16'", "at most 16")
        self.bad(["run", "mmap1", "--engine=warp"], "--engine: 'warp'", "allowed: native, virtual")
        self.bad(["run", "mmap1", "--machine=cray"], "'cray'", "allowed: host, turin")
        self.bad(["run", "mmap1", "--mode=fibres"], "--mode: 'fibres'", "allowed: processes, threads")
        self.bad(["run", "mmap1", "--placement=left"], "--placement: 'left'", "allowed: cores, smt, none")
        self.bad(["run", "mmap1", "--format=xml"], "--format: 'xml'", "allowed: table, json, jsonl")
        self.bad(["bench", "slab", "--format=csv"], "--format: 'csv'", "allowed: table, json, jsonl")
        self.bad(["bench", "slob"], "'slob'", "allowed: slab, sim")
        self.bad(["bench"], "missing", "allowed: slab, sim")
        self.bad(["list", "cats"], "'cats'", "allowed: workloads, kernels, knobs, events")
        self.bad(["machine"], "missing", "allowed: list, show NAME")
        self.bad(["machine", "show"], "missing", "allowed: list, show NAME")
        self.bad(["machine", "show", "cray"], "'cray'", "allowed: host, turin")
        self.bad(["machine", "draw"], "'draw'", "allowed: list, show NAME")
        self.bad(["machine", "list", "turin"], "'turin'", "allowed")

    def test_kernels(self):
        for command, option in [("run", "--kernel"), ("compare", "--base"), ("compare", "--test"),
                                ("replay", "--kernel"), ("bench", "--kernel")]:
            what = {"run": "mmap1", "compare": "mmap1", "bench": "slab", "replay": "x.jsonl"}[command]
            for spec, says in [("5.15", ["'5.15'", "position 1", "allowed: 6.17, 6.18"]),
                               ("7.0", ["'7.0'", "not built yet", "allowed: 6.17, 6.18"]),
                               ("6.18:speed=1", ["'speed'", "position 6", "allowed: sheaves"]),
                               ("6.18:gp=lazy", ["gp='lazy'", "position 9", "not built yet", "allowed: normal"]),
                               ("6.18:maple_node.order=9", ["'9'", "position 23", "allowed: 0 to 3"]),
                               ("6.18:", ["position 6", "allowed: KNOB=VALUE"])]:
                self.bad([command, what, f"{option}={spec}"], *says)
        self.bad(["run", "mmap1", "--kernel=6.17||6.18"], "''", "allowed: 6.17, 6.18")
        self.bad(["run", "mmap1", "--kernel=" + "|".join(f"6.17:barn.max_full={n}" for n in range(17))],
                 "'6.17:barn.max_full=16'", "number 17", "at most 16")
        self.bad(["run", "mmap1", "--kernel=6.17|6.18", "--kernel=6.17"], "--kernel: '6.17'", "twice")

    def test_options(self):
        for command in ["run", "compare", "replay", "list", "machine", "bench"]:
            answer = self.bad([command, "--no-such-option"], "--no-such-option")
            self.assertIn(f"vmasim {command}", answer.err)

    def test_engines_and_machines(self):
        self.bad(["run", "mmap1", "--machine=turin"], "'turin'", "native", "allowed: host")
        if HAVE_VIRTUAL:
            self.bad(["run", "mmap1", "--engine=virtual", "--tasks=2", *SHORT], "2")
        else:
            self.bad(["run", "mmap1", "--engine=virtual"], "'virtual'", "not part of this build", "allowed: native")

    def test_layouts(self):
        self.bad(["run", "mmap1", "--layout=/nowhere.maps", *SHORT], "/nowhere.maps")
        path = os.path.join(SOURCE, "CMakeLists.txt")
        self.bad(["run", "mmap1", "--layout=" + path, *SHORT], path)

    def test_replay_files(self):
        self.bad(["replay"], "no FILE", "allowed")
        self.bad(["replay", "/nowhere.jsonl"], "/nowhere.jsonl")
        path = os.path.join(SOURCE, "CMakeLists.txt")
        self.bad(["replay", path], path)


if __name__ == "__main__":
    unittest.main()
