#!/usr/bin/env python3
"""Tests of `stride learn`: learn_test.py STRIDE [CLASS...]."""

import json
import os
import random
import signal
import subprocess
import tempfile
import time

from case import Case, main


class Learn(Case):
    # Far too little to walk; enough to go through every phase.
    SMALL = [word for setting in (
        "chains=4", "first_samples=64", "first_cycles=3", "guided_samples=32", "guided_pairs=20",
        "guided_iterations=1", "evolve_iterations=3", "evolve_pairs=16", "evolve_seconds=2")
        for word in ("--set", setting)] + ["--accept-partial"]

    def learn(self, out, *more):
        return ["learn", "skill", "walk", "-o", out, "--seed", "3", *self.SMALL, *more]

    def read(self, path):
        with open(path, "rb") as file:
            return file.read()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = lambda name: os.path.join(folder.name, name)

    def test_a_skill_can_be_looked_at_and_performed(self):
        out = self.path("a.skill")
        result = self.json_of(*self.learn(out))
        self.assertEqual(result["seed"], 3)
        self.assertTrue(result["symmetric"])
        with open(out + ".history.jsonl", encoding="utf-8") as file:
            phases = [json.loads(line)["phase"] for line in file]
        self.assertEqual(phases, ["openloop", "guided"] + 3 * ["evolve"])
        self.assertEqual(self.json_of("info", out)["character"], "liu16")
        run = self.json_of("simulate", "--skill", out, "--seconds", "1")
        self.assertEqual(run["controller"], "control_graph")
        self.assertGreater(run["distance"], 0.3)
        self.assertIsNotNone(run["tracking_error_deg"])

    def test_ranks_give_the_same_bits(self):
        one, three = self.path("one.skill"), self.path("three.skill")
        self.succeed(*self.learn(one, "--threads", "1"))
        done = subprocess.run(
            ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", self.stride,
             *self.learn(three), "--json"], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["ranks"], 3)
        self.assertEqual(self.read(one), self.read(three))

    def test_killed_again_and_again_it_ends_the_same(self):
        whole, out = self.path("whole.skill"), self.path("a.skill")
        self.succeed(*self.learn(whole))
        moments = random.Random(3)
        for _ in range(10):
            process = subprocess.Popen([self.stride, *self.learn(out, "--resume")],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(moments.uniform(0.05, 1))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.succeed(*self.learn(out, "--resume"))
        self.assertEqual(self.read(out), self.read(whole))

    def test_a_run_that_is_over_is_made_longer(self):
        whole, out = self.path("whole.skill"), self.path("a.skill")
        longer = ["--set", "evolve_iterations=5"]
        self.succeed(*self.learn(whole, *longer))
        self.succeed(*self.learn(out))
        self.refuse(self.learn(out, "--resume", *longer, "--set", "chains=5"), "'chains' is 4 there",
                    "made longer, by more of 'evolve_iterations'")
        self.succeed(*self.learn(out, "--resume", *longer))
        self.assertEqual(self.read(out), self.read(whole))

    def test_the_script_that_checks_it(self):
        script = os.path.join(os.path.dirname(__file__), "..", "..", "scripts", "check_resume.sh")
        def run(*arguments):
            return subprocess.run(["bash", script, *arguments], capture_output=True, text=True,
                                  timeout=120, check=False)
        helped = run("--help")
        self.assertEqual((helped.returncode, helped.stderr), (0, ""))
        for word in ("-s SEED", "-k KILLS", "-b STRIDE", "Example"):
            self.assertIn(word, helped.stdout)
        self.assertNotIn("set -e", helped.stdout)
        self.assertEqual(run().returncode, 2)
        done = run("-k", "2", "-b", self.stride, "walk", "--seed", "3", *self.SMALL)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("bit for bit, after 2 kills", done.stdout)

    def test_a_rank_that_dies_ends_the_run_and_the_checkpoint_goes_on(self):
        whole, out = self.path("whole.skill"), self.path("a.skill")
        longer = ["--set", "evolve_iterations=30"]
        self.succeed(*self.learn(whole, *longer))
        written = lambda: (os.path.exists(out + ".checkpoint") and
                           os.stat(out + ".checkpoint").st_mtime_ns)
        for victim in (0, 2):
            before = written()
            run = subprocess.Popen(
                ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", self.stride,
                 *self.learn(out, *longer, "--resume")],
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            while written() == before and run.poll() is None:
                time.sleep(0.02)
            with open(f"/proc/{run.pid}/task/{run.pid}/children", encoding="ascii") as file:
                ranks = [int(pid) for pid in file.read().split()]
            os.kill(ranks[victim], signal.SIGKILL)
            _, errors = run.communicate(timeout=60)
            self.assertNotEqual(run.returncode, 0)
            self.assertIn("another rank died", errors)
            self.assertIn("--resume", errors)
            self.assertFalse(os.path.exists(out))
        self.succeed(*self.learn(out, *longer, "--resume"))
        self.assertEqual(self.read(out), self.read(whole))

    def test_open_loop_performs_a_clip_once(self):
        out, sheet = self.path("kick.motion"), self.path("kick.png")
        result = self.json_of("learn", "openloop", "kick", "-o", out, "--sheet", sheet,
                              "--samples", "80", "--paths", "2", "--passes", "1", "--seed", "3")
        self.assertTrue(result["complete"])
        self.assertEqual(len(result["costs"]), result["fragments_wanted"])
        self.assertEqual(self.read(sheet)[1:4], b"PNG")
        motion = self.json_of("info", out)
        self.assertEqual(motion["character"], "liu16")
        self.assertAlmostEqual(motion["seconds"], result["seconds"], places=3)
        self.refuse(["learn", "openloop", "kick", "-o", sheet], sheet)
        self.refuse(["learn", "openloop", "kick", "-o", out, "--samples", "1"], "samples")
        self.refuse(["learn", "openloop", "nothing", "-o", out], "nothing")

    def capture(self):
        """A file of motion capture: one round of a walk, which it does not say."""
        path = self.path("walk.bvh")
        self.succeed("convert", "walk", path)
        return path, self.json_of("info", "walk")

    def test_a_capture_becomes_a_skill_that_says_what_was_taken(self):
        capture, walk = self.capture()
        out, last = self.path("a.skill"), walk["frames"] - 1
        command = ["learn", "skill", capture, "-o", out, *self.SMALL]
        self.refuse(command, "no loop")
        slower = walk["fps"] * 0.9
        self.json_of(*command, "--range", f"0:{last}", "--fps", f"{slower:.6f}", "--loop")
        skill = json.loads(self.read(out))
        self.assertEqual(skill["provenance"]["source"], "walk.bvh")
        taken = skill["provenance"]["capture"]
        self.assertEqual((taken["range"], taken["loop"]), (f"0:{last}", True))
        self.assertAlmostEqual(taken["fps"], slower, places=5)
        self.assertTrue(skill["payload"]["clips"][0]["motion"]["loops"])
        motion = skill["payload"]["clips"][0]["motion"]  # symmetric, so at another rate than the capture
        self.assertAlmostEqual((len(motion["frames"]) - 1) / motion["fps"], last / slower, places=3)
        self.json_of(*command[:2], "walk", *command[3:])
        self.assertEqual(json.loads(self.read(out))["provenance"]["capture"],
                         {"range": None, "fps": None, "loop": False})

    def test_a_part_of_a_capture_is_performed_once(self):
        capture, walk = self.capture()
        half = (walk["frames"] - 1) // 2
        result = self.json_of("learn", "openloop", capture, "-o", self.path("half.motion"),
                              "--range", f":{half}", "--samples", "80", "--paths", "1",
                              "--passes", "1", "--seed", "3")
        self.assertTrue(result["complete"])
        self.assertAlmostEqual(result["seconds"], half / walk["fps"], delta=0.06)

    def test_options_of_captures_are_refused_with_other_clips(self):
        capture, _ = self.capture()
        out = self.path("a.out")
        for method in ("skill", "openloop"):
            for option in (["--range", "1:9"], ["--fps", "30"], ["--loop"]):
                self.refuse(["learn", method, "walk", "-o", out, *option], "walk", "captures only")
            self.refuse(["learn", method, capture, "-o", out, "--range", "9"], "--range", "'9'")
            self.refuse(["learn", method, capture, "-o", out, "--fps", "-3"], "fps", "-3")
            self.assertIn("liu16-strong", self.succeed("learn", method, "--help").stdout)
        self.assertFalse(os.path.exists(out))

    def test_control_c_leaves_a_checkpoint(self):
        out = self.path("a.skill")
        process = subprocess.Popen([self.stride, *self.learn(out), "--set", "evolve_iterations=10000"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while not os.path.exists(out + ".checkpoint") and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, errors)
        self.assertIn("--resume", errors)
        self.assertFalse(os.path.exists(out))

    def test_lanes_of_another_kind_do_not_go_on(self):
        out = self.path("a.skill")
        def run(lanes, *more):
            return self.run_stride(*self.learn(out, *more),
                                   env={**os.environ, "STRIDE_INSTRUCTION_SET": lanes})
        wrong = run("mmx")
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("mmx", wrong.stderr)
        self.assertIn("sse2", wrong.stderr)  # one of those there are
        self.assertEqual(run("sse2").returncode, 0)
        written = self.read(out)
        self.assertEqual(json.loads(written)["provenance"]["instruction_set"], "sse2")
        self.assertEqual(run("sse2", "--resume").returncode, 0)
        self.assertEqual(self.read(out), written)
        with open("/proc/cpuinfo", encoding="ascii") as file:
            lanes = "avx2" if " avx2 " in file.read() else "sse2"
        other = run(lanes, "--resume")
        if lanes != "sse2":
            self.assertEqual(other.returncode, 1)
            for word in (out + ".checkpoint", "'sse2'", "'avx2'", "STRIDE_INSTRUCTION_SET"):
                self.assertIn(word, other.stderr)
            self.assertEqual(self.read(out), written)

    def test_what_falls_short_is_said(self):
        out = self.path("a.skill")
        command = [word for word in self.learn(out) if word != "--accept-partial"]
        done = subprocess.run([self.stride, *command, "--json"], capture_output=True, text=True,
                              timeout=120, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("of 100 s alone", done.stderr)
        self.assertIn(out, done.stderr)
        result = json.loads(done.stdout)
        self.assertIn("falls after", result["shortfall"])
        self.assertEqual(json.loads(self.read(out))["metrics"], result["metrics"])
        for key in ("speed", "speed_of_the_clip", "joint_error_deg", "foot_slip", "peak_force"):
            self.assertIn(key, result["metrics"])
        with open(out + ".history.jsonl", encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        survived = [line["survived"] for line in lines if "survived" in line]
        self.assertEqual(len(survived), 3)
        self.assertEqual(survived, sorted(survived))

    def test_bad_input_is_refused_and_nothing_overwritten(self):
        out = self.path("a.skill")
        self.refuse(["learn", "skill", "kick", "-o", out], "no loop")
        self.refuse(["learn", "skill", "walk", "-o", out, "--character", "snake"], "snake")
        self.refuse(["learn", "skill", "walk", "-o", out, "--set", "chains=0"], "chains")
        self.refuse(["learn", "skill", "walk", "-o", out, "--symmetric", "maybe"], "maybe")
        with open(out, "w", encoding="utf-8") as file:
            file.write("something else")
        self.refuse(["learn", "skill", "walk", "-o", out], out)
        self.refuse(["simulate", "--skill", out], out)
        self.assertEqual(self.read(out), b"something else")
        with open(out + ".checkpoint", "w", encoding="utf-8") as file:
            file.write("not a checkpoint at all")
        self.refuse(["learn", "skill", "walk", "-o", out, "--resume"], out)
        self.assertEqual(self.read(out), b"something else")
        os.remove(out)
        self.refuse(["learn", "skill", "walk", "-o", out, "--resume"], "damaged")
        self.assertFalse(os.path.exists(out + ".history.jsonl"))


class LearnGraph(Case):
    # A loop, another, and a clip from and to the first: every kind of stage but rising.
    GRAPH = {
        "stride_control_graph": 1,
        "nodes": [{"name": "stand", "motion": "stand", "range": [0, 40], "loop": True},
                  {"name": "walk", "motion": "walk_slow", "symmetric": True},
                  {"name": "kick", "motion": "kick"}],
        "transitions": [{"from": "stand", "to": "walk", "blend": 0.8}, ["walk", "stand"],
                        ["stand", "kick"], ["kick", "stand"]]}
    SMALL = Learn.SMALL + [word for setting in ("whole_iterations=2", "whole_pairs=16")
                           for word in ("--set", setting)]

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = lambda name: os.path.join(folder.name, name)

    def write(self, graph):
        path = self.path("graph.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(graph, file)
        return path

    def learn(self, out, *more):
        return ["learn", "graph", self.write(self.GRAPH), "-o", out, "--seed", "3", *self.SMALL,
                *more]

    def test_a_graph_is_learned_in_stages_and_performed(self):
        out, picture = self.path("a.skill"), self.path("a.svg")
        result = self.json_of(*self.learn(out, "--picture", picture))
        self.assertEqual([result["nodes"], result["transitions"], result["stages"]], [3, 4, 5])
        with open(out + ".history.jsonl", encoding="utf-8") as file:
            stages = [json.loads(line)["stage"] for line in file]
        self.assertEqual(list(dict.fromkeys(stages)),
                         ["stand", "walk", "stand>walk, walk>stand", "kick, stand>kick, kick>stand",
                          "whole graph"])
        with open(picture, encoding="utf-8") as file:
            self.assertIn("stand>walk", file.read())
        self.assertIn("stand to kick", self.succeed("info", out).stdout)
        run = self.json_of("simulate", "--skill", out, "--seconds", "1")
        self.assertEqual(run["controller"], "control_graph")

    def test_stopped_and_resumed_it_ends_the_same(self):
        whole, out = self.path("whole.skill"), self.path("a.skill")
        self.succeed(*self.learn(whole))
        moments = random.Random(5)
        for _ in range(4):
            process = subprocess.Popen([self.stride, *self.learn(out, "--resume")],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(moments.uniform(0.5, 3))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.succeed(*self.learn(out, "--resume"))
        with open(whole, "rb") as a, open(out, "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_a_wrong_graph_is_refused_by_the_name_of_its_node(self):
        def refused(words, change):
            graph = json.loads(json.dumps(self.GRAPH))
            change(graph)
            self.refuse(["learn", "graph", self.write(graph), "-o", self.path("a.skill")], words)
            self.assertFalse(os.path.exists(self.path("a.skill")))
        refused('node "kick"', lambda g: g["nodes"][2].update(motion="no_such"))
        refused("'kick' cannot be reached", lambda g: g["transitions"].pop(2))
        refused("'kick' never leads back", lambda g: g["transitions"].pop(3))
        refused("poses that do not match", lambda g: g["nodes"][2].update(motion="get_up_back"))


class LearnSpline(Case):
    """Bodies that users bring get a gait by one command."""
    FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "characters")
    # A tenth of what gives a good gait; enough to go forwards without a fall.
    SMALL = ["--optimizer", "cma", "--generations", "15", "--population", "32", "--seed", "1"] + [
        word for setting in ("servo_generations=0", "trials=1", "seconds=5", "goal_seconds=8")
        for word in ("--set", setting)]

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = lambda name: os.path.join(folder.name, name)

    def body(self, name):
        return os.path.join(self.FOLDER, name)

    def test_a_body_of_ones_own_goes_forwards(self):
        for name in ("six_legs.xml", "four_legs.urdf"):
            out = self.path("own.skill")
            done = self.run_stride("learn", "spline", "--character", self.body(name), "-o", out,
                                   *self.SMALL)
            # So short an evolution may fall short of the speed, and says so; the gait is there.
            self.assertTrue(done.returncode == 0 or "was written to" in done.stderr, done.stderr)
            run = self.json_of("simulate", "--skill", out, "--seconds", "8")
            self.assertIs(run["fell"], False, name)
            self.assertGreater(run["distance"], 0.3, name)

    def test_a_fit_stays_near_its_clip_in_all_phases(self):
        out = self.path("fit.skill")
        settings = ["sigma=1", "fit_generations=60", "population=16", "seconds=3", "goal_seconds=4",
                    "trials=1"]
        self.run_stride("learn", "spline", "--character", "android", "--fit", "walk", "-o", out,
                        "--optimizer", "cma", "--seed", "1", "--accept-partial",
                        *(word for setting in settings for word in ("--set", setting)))
        with open(out, encoding="utf-8") as file:
            gait = json.load(file)["payload"]
        # The walk's cycle is 1.06 s on the android: 1.3 times as long at most, blends in within 1.5 of it.
        self.assertLess(gait["cycle_seconds"], 1.4)
        self.assertLess(gait["blend_in_seconds"], 1.61)

    def test_bad_input_is_said(self):
        out = self.path("a.skill")
        learn = ["learn", "spline", "-o", out, *self.SMALL]
        stiff = self.path("stiff.xml")
        with open(stiff, "w", encoding="utf-8") as file:
            file.write('<mujoco><worldbody><body name="box" pos="0 0 .1"><freejoint/>'
                       '<geom type="box" size=".1 .1 .1" mass="1"/></body></worldbody></mujoco>')
        self.refuse([*learn, "--character", stiff], "no joint that a servo drives")
        self.refuse([*learn, "--character", "biped", "--fitness", "beauty"], "static", "jump")
        self.refuse([*learn, "--character", "biped", "--feedback", "smell"], "inclination")
        for twice in ("roll,roll", "roll,,speed", "roll,"):
            self.refuse([*learn, "--character", "biped", "--feedback", twice], "each once")
        self.refuse([*learn, "--character", "android", "--from", "spline-biped"], "6 curves", "needs 8")
        self.refuse([*learn, "--character", "biped", "--fit", "walk", "--from", "spline-biped"],
                    "expected one of them")
        self.assertFalse(os.path.exists(out))

    def test_a_skill_with_points_out_of_range_is_refused(self):
        out = self.path("a.skill")
        self.run_stride("learn", "spline", "--character", "biped", "-o", out, "--generations", "2",
                        "--population", "8", "--set", "seconds=2", "--set", "goal_seconds=4")
        with open(out, encoding="utf-8") as file:
            skill = json.load(file)

        def refused(change, *words):
            broken = json.loads(json.dumps(skill))
            change(broken["payload"])
            with open(self.path("b.skill"), "w", encoding="utf-8") as file:
                json.dump(broken, file)
            self.refuse(["simulate", "--skill", self.path("b.skill"), "--seconds", "1"], *words)
        refused(lambda p: p["curves"][0]["cycle"]["values"].__setitem__(1, 7), "left_thigh", "-2 to 1 rad")
        refused(lambda p: p["curves"].pop(), "6 curves")
        refused(lambda p: p["servos"].pop(), "6 servos")


if __name__ == "__main__":
    main(__doc__)
