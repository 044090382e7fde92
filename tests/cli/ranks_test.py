#!/usr/bin/env python3
"""Tests of `mpirun stride`: ranks_test.py STRIDE [CLASS...]."""

import os
import shutil
import subprocess
import tempfile

from case import Case, main


class Ranks(Case):
    # A rank that fails ends all of them at once; this is far more than they need.
    SECONDS = 60
    # Each rank in a folder of its own name.
    APART = ["sh", "-c", 'cd "$0/$OMPI_COMM_WORLD_RANK" && exec "$@"']

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for rank in range(3):
            os.mkdir(os.path.join(self.folder, str(rank)))

    def learn(self, out, *more):
        settings = ("chains=4", "first_samples=64", "first_cycles=3", "guided_iterations=0",
                    "evolve_iterations=1", "evolve_pairs=16", "evolve_seconds=2")
        return ["learn", "skill", "walk", "-o", out, "--threads", "1",
                "--accept-partial", *(word for setting in settings for word in ("--set", setting)),
                *more]

    def mpirun(self, *command):
        # As a user starts them: root and more ranks than cores are the test's affair.
        return subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3",
                               *command], capture_output=True, text=True, timeout=self.SECONDS,
                              check=False)

    def refuse_on_ranks(self, command, *words):
        done = self.mpirun(*command)
        self.assertNotEqual(done.returncode, 0)
        # Those that are told to end may say that they were, and why the run ended only one.
        errors = [line for line in done.stderr.splitlines()
                  if "stride: error: " in line and "was told to end" not in line]
        self.assertEqual(len(errors), 1, done.stderr)
        for word in words:
            self.assertIn(word, errors[0])
        return done.stdout

    def test_an_error_of_all_is_told_once(self):
        out = os.path.join(self.folder, "a.skill")
        printed = self.refuse_on_ranks([self.stride, "learn", "skill", "nothing", "-o", out], "nothing")
        self.assertEqual(printed, "")

    def test_an_output_that_the_leader_cannot_write_ends_all(self):
        out = os.path.join(self.folder, "missing", "a.skill")
        self.refuse_on_ranks([self.stride, *self.learn(out)], out, "cannot be written", "rank 0")

    def test_a_full_disk_ends_all(self):
        # A limit on the size of files instead: it meets the checkpoint as a full disk would.
        out = os.path.join(self.folder, "a.skill")
        limited = ["sh", "-c", 'ulimit -f 8 && exec "$0" "$@"', self.stride, *self.learn(out)]
        os.environ["OMPI_MCA_btl"] = "self,tcp"  # shared memory would need files too
        self.addCleanup(os.environ.pop, "OMPI_MCA_btl")
        self.refuse_on_ranks(limited, out, "cannot be written", "rank 0")
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("a.")], [])

    def test_ranks_of_different_instruction_sets_are_refused(self):
        with open("/proc/cpuinfo", encoding="ascii") as file:
            other = "avx2" if " avx2 " in file.read() else ""
        if not other:
            return  # a processor that knows one kind of lanes cannot differ
        out = os.path.join(self.folder, "a.skill")
        self.refuse_on_ranks(["env", "STRIDE_INSTRUCTION_SET=sse2", self.stride, *self.learn(out), ":",
                              "-n", "1", "env", "STRIDE_INSTRUCTION_SET=" + other, self.stride,
                              *self.learn(out)], "different instruction sets", "sse2", other)
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("a.")], [])

    def test_a_run_that_falls_short_says_so_once(self):
        out = os.path.join(self.folder, "a.skill")
        printed = self.refuse_on_ranks(
            [self.stride, "learn", "spline", "-o", out, "--generations", "2", "--threads", "1",
             "--population", "8", "--set", "seconds=2", "--set", "goal_seconds=4"], "was written to", out)
        written = [line for line in printed.splitlines() if line.startswith("written")]
        self.assertEqual(len(written), 1, printed)

    def test_a_checkpoint_damaged_for_one_ends_all(self):
        self.succeed(*self.learn("a.skill"), cwd=os.path.join(self.folder, "0"))
        name = "a.skill.checkpoint"
        for rank in ("1", "2"):
            shutil.copy(os.path.join(self.folder, "0", name), os.path.join(self.folder, rank))
        resumed = [*self.APART, self.folder, self.stride, *self.learn("a.skill", "--resume")]
        done = self.mpirun(*resumed)
        self.assertEqual(done.returncode, 0, done.stderr)
        os.truncate(os.path.join(self.folder, "2", name), 100)
        self.refuse_on_ranks(resumed, name, "rank 2")


if __name__ == "__main__":
    main(__doc__)
