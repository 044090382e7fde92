#!/usr/bin/env python3
"""A controller added in a test folder by one line is learned, performed and shown: toy_test.py STRIDE_TOY."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path += [os.path.join(os.path.dirname(__file__), "..", folder) for folder in ("cli", "server")]

import case  # noqa: E402
from client import WebSocket  # noqa: E402

RANKS = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3"]


class Toy(case.Case):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def learn(self, name, *more):
        out = self.path(name)
        result = self.json_of("learn", "toy", "-o", out, "--seed", "5", *more)
        with open(out, "rb") as file:
            return result, file.read()

    def test_is_learned_to_the_same_bits_over_threads_ranks_and_kills(self):
        result, alone = self.learn("one.skill", "--threads", "1")
        # Standing still, the root is 9 cm too high: 1 s - 100 / m^2 s * (0.09 m)^2 * 1 s = 0.19.
        self.assertGreater(result["return"], 0.4)
        with open(self.path("one.skill.history.jsonl"), encoding="utf-8") as file:
            returns = [json.loads(line)["return"] for line in file]
        self.assertEqual(returns, sorted(returns))
        self.assertGreater(returns[-1], returns[0])
        self.assertEqual(alone, self.learn("two.skill", "--threads", "2")[1])

        ranks = self.path("ranks.skill")
        done = subprocess.run([*RANKS, self.stride, "learn", "toy", "-o", ranks, "--seed", "5"],
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(ranks, "rb") as file:
            self.assertEqual(alone, file.read())

        # Ranks whose lanes round differently are refused, by one message and at once.
        mixed = subprocess.run(
            [*RANKS[:-2], "-n", "1", self.stride, "learn", "toy", "-o", ranks, "--resume", ":", "-n", "1", "-x",
             "STRIDE_INSTRUCTION_SET=sse2", self.stride, "learn", "toy", "-o", ranks, "--resume"],
            capture_output=True, text=True, timeout=60, check=False)
        self.assertNotEqual(mixed.returncode, 0)
        self.assertIn("different instruction sets", mixed.stderr)
        self.assertEqual(mixed.stderr.count("stride: error: the ranks"), 1, mixed.stderr)

        out = self.path("killed.skill")
        for _ in range(3):
            process = subprocess.Popen([self.stride, "learn", "toy", "-o", out, "--seed", "5", "--resume"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            before = self.iterations(out)
            while process.poll() is None and self.iterations(out) <= before:
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            process.wait()
        self.assertTrue(os.path.exists(out + ".checkpoint"))
        self.assertEqual(alone, self.learn("killed.skill", "--resume")[1])
        # Of another seed, setting or body: refused, with what differs.
        again = ["learn", "toy", "-o", out, "--resume"]
        self.refuse([*again, "--seed", "6"], "seed", "5", "6")
        self.refuse([*again, "--seed", "5", "--set", "height=0.8"], "height", "0.8")
        self.refuse([*again, "--seed", "5", "--character", "kwon17"], "kwon17")
        sse = subprocess.run([self.stride, *again, "--seed", "5"], capture_output=True, text=True, check=False,
                             env={**os.environ, "STRIDE_INSTRUCTION_SET": "sse2"})
        self.assertEqual(sse.returncode, 1)
        self.assertIn("sse2", sse.stderr)

    @staticmethod
    def iterations(out):
        try:
            with open(out + ".history.jsonl", encoding="utf-8") as file:
                return sum(1 for _ in file)
        except FileNotFoundError:
            return 0

    def test_its_skill_is_performed_described_and_shown(self):
        self.learn("toy.skill")
        skill = self.path("toy.skill")
        for engine in ("native", "mujoco", "batch", "ode", "bullet"):
            result = self.json_of("simulate", "--skill", skill, "--seconds", "1", "--engine", engine)
            self.assertEqual(result["controller"], "toy")
            self.assertFalse(result["failed"])
        info = self.json_of("info", skill)
        self.assertEqual((info["kind"], info["controller"], info["character"]), ("skill", "toy", "liu16"))
        self.assertIn("toy", [c["name"] for c in self.json_of("list", "controllers")["controllers"]])

        process = subprocess.Popen([self.stride, "view", "--no-browser", "--port", "0", "--seconds", "100",
                                    "--skill", skill],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            port = int(re.match(r"viewer: http://127\.0\.0\.1:(\d+)/", process.stdout.readline()).group(1))
            with WebSocket(port) as socket:
                self.assertIn('"toy"', json.dumps(socket.chunk("HEAD").json()))
                self.assertGreater(socket.chunk("FRAM").root()[2], 0.3)
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=20)

    def test_refuses_what_is_not_its_own(self):
        damaged = self.path("damaged.skill")
        self.learn("damaged.skill")
        with open(damaged, encoding="utf-8") as file:
            skill = json.load(file)
        skill["payload"]["parameters"] = [1, 2]
        with open(damaged, "w", encoding="utf-8") as file:
            json.dump(skill, file)
        self.refuse(["simulate", "--skill", damaged], damaged, "parameters", "3 numbers")
        skill["controller"] = "nobody"
        with open(damaged, "w", encoding="utf-8") as file:
            json.dump(skill, file)
        self.refuse(["simulate", "--skill", damaged], damaged, "nobody", "toy")


if __name__ == "__main__":
    case.main(__doc__)
