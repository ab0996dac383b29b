# SPDX-License-Identifier: MIT
"""One source, two cores: what does not depend on time is the same on both engines."""
import json
import unittest

from vmasim import Case, ENGINES, check_record

OPERATIONS = 100000


class Engines(Case):
    def record(self, workload, engine, kernel, *more):
        answer = self.good("run", workload, f"--engine={engine}", f"--kernel={kernel}",
                           "--format=json", f"--ops={OPERATIONS}", *more)
        record = json.loads(answer.out)[0]
        check_record(record)
        return record

    def test_objects_an_operation_are_the_real_kernels(self):
        expected = {"mmap1": (2, 1), "mmap2": (2, 1), "brk1": (1, 0.5)}
        for engine in ENGINES:
            for workload, (nodes, vmas) in expected.items():
                objects = self.record(workload, engine, "6.18")["objects_per_op"]
                self.assertAlmostEqual(objects["maple_node"], nodes, delta=0.001 * nodes)
                self.assertAlmostEqual(objects["vm_area_struct"], vmas, delta=0.001 * vmas)

    def test_allocator_counters_are_equal_under_op_end(self):
        if len(ENGINES) < 2:
            self.skipTest("the virtual core is not in this build")
        for kernel in ("6.17", "6.18"):
            for workload in ("mmap1", "brk1"):
                native, virtual = (self.record(workload, engine, kernel + ":gp=op-end")["runs"][0]
                                   for engine in ENGINES)
                self.assertEqual(native["slabs"], virtual["slabs"])
                self.assertEqual(native["events"], virtual["events"])

    def test_a_virtual_run_is_repeatable(self):
        if len(ENGINES) < 2:
            self.skipTest("the virtual core is not in this build")
        first, second = (self.record("mmap1", "virtual", "6.18")["runs"][0] for _ in range(2))
        self.assertEqual(first, second)


if __name__ == "__main__":
    unittest.main()
