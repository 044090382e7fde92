#!/usr/bin/env python3
"""What goes wrong around the program, and what has no effect: faults_test.py STRIDE [CLASS...]."""

import json
import os
import resource
import signal
import subprocess
import tempfile
import time

from case import Case, main


class Folder(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = lambda name: os.path.join(folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()


class Input(Folder):
    def test_deep_nesting_is_refused(self):
        deep = self.write("deep.json", "[" * 100000)
        objects = self.write("objects.json", '{"a":' * 100000)
        motion = self.write("deep.motion", '{"stride_motion":' * 100000)
        for arguments in (["simulate", "--scenario", deep], ["simulate", "--others", deep],
                          ["simulate", "--scenario", objects], ["simulate", "--others", objects],
                          ["simulate", "--controller", "sampling", "--motion", motion],
                          ["learn", "graph", objects, "-o", self.path("a.skill")],
                          ["info", motion]):
            self.refuse(arguments, "nested deeper than 64")
        os.mkdir(self.path("results"))
        self.write("results/result.json", '{"a":' * 100000)
        self.refuse(["report", self.path("results"), "-o", self.path("a.html")], "nested deeper")

    def test_a_file_that_is_no_motion_is_called_so(self):
        junk = self.write("junk", "#!/bin/sh")
        empty = self.write("empty.motion", "")
        body = self.write("body.urdf", "<robot name='a'/>")
        for file in (junk, empty, body):
            for arguments in (["gait", file], ["view", "--no-browser", "--port", "0", file],
                              ["learn", "gains", file, "-o", self.path("a.skill")],
                              ["simulate", "--controller", "sampling", "--motion", file]):
                self.refuse(arguments, file, "is no motion")
        self.refuse(["learn", "gains", "walk", "-o", self.path("a.skill"), "--walk", "walk"],
                    "made by `stride learn gains`")

    def test_names_from_files_do_not_steer_the_terminal(self):
        evil = "\x1b]0;owned\x07\x1b[2J"
        scenario = self.write("a.json", json.dumps({"name": evil, evil: 1}))
        done = self.run_stride("simulate", "--scenario", scenario)
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("\x1b", done.stderr)
        self.assertIn("\\x1b", done.stderr)
        walk = self.path("walk.motion")
        self.succeed("convert", "walk", walk)
        motion = json.loads(self.read("walk.motion"))
        motion["name"] = motion["source"] = evil
        self.write("walk.motion", json.dumps(motion))
        shown = self.succeed("info", walk).stdout
        self.assertNotIn("\x1b", shown)
        self.assertIn("\\x1b[2J", shown)


class Words(Folder):
    def test_typing_errors_are_answered_with_the_nearest(self):
        self.refuse(["simulat"], "'simulate'", code=2)
        self.refuse(["learn", "skil", "walk", "-o", "a.skill"], "'skil'", "'skill'", code=2)
        self.refuse(["simulate", "--slop", "5"], "--slop;", "'--slope'", code=2)
        self.refuse(["learn", "skill", "walk", "-o", "a", "--trheads", "2"], "'--threads'", code=2)
        self.refuse(["learn"], "expected a learn method, one of: skill", code=2)
        self.refuse(["learn", "skill"], "is required", "Try: stride learn skill --help", code=2)
        self.refuse(["info", "liu61"], "'liu61'", "'liu16'")
        done = self.run_stride("list", "first", "second", "third")
        self.assertIn("second third", done.stderr)

    def test_unknown_names_are_answered_with_the_nearest(self):
        for arguments, nearest in ((["--character", "liu61"], "liu16"), (["--engine", "natvie"], "native"),
                                   (["--controller", "hodl"], "hold"), (["--skill", "locomotoin"], "locomotion"),
                                   (["--motion", "wlak"], "walk"), (["--set", "contact.passse=2"], "contact.passes")):
            self.refuse(["simulate", *arguments, "--seconds", "0.1"], arguments[1].split("=")[0],
                        f"did you mean '{nearest}'?")
        self.refuse(["reproduce", "wang09/bodeis"], "did you mean 'wang09/bodies'?")
        self.refuse(["list", "skils"], "did you mean 'skills'?")

    def test_limits_are_readable(self):
        done = self.run_stride("simulate", "--seed", "-1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("0 or more", done.stderr)
        self.assertLess(len(done.stderr), 200)
        self.refuse(["learn", "skill", "walk", "-o", "a", "--threads", "-1"], "--threads", "1024", code=2)
        self.refuse(["learn", "skill", "walk", "-o", "a", "--threads", "99999"], "--threads", code=2)
        self.refuse(["simulate", "--change", "leg,1.2"], "'leg'", "legs", "arms", "all")

    def test_empty_names_are_refused(self):
        for arguments in (["--record", ""], ["--sheet", ""], ["--skill", ""], ["--motion", ""],
                          ["--scenario", ""], ["--replay", ""]):
            self.refuse(["simulate", *arguments], arguments[0], "empty", code=2)
        self.refuse(["learn", "skill", "walk", "-o", ""], "--out", "empty", code=2)
        self.refuse(["info", ""], "empty", code=2)

    def test_info_finds_skills_and_motions(self):
        self.assertEqual(self.json_of("info", "locomotion")["controller"], "control_graph")
        walk = self.json_of("info", "walk")
        self.assertEqual((walk["kind"], walk["also"]), ("motion", "walk.skill"))
        skill = self.json_of("info", "walk.skill")
        self.assertEqual(skill["controller"], "control_graph")
        self.assertNotRegex(self.succeed("info", "walk.skill").stdout, r"seconds_of_\d+\.\d")
        self.refuse(["info", "nothing"], "'nothing'", "character, motion or skill")


class NoEffect(Folder):
    def test_options_without_effect_are_refused(self):
        for arguments, *words in (
                (["--skill", "walk", "--controller", "hold"], "control_graph", "'hold'"),
                (["--skill", "walk", "--character", "lee10"], "lee10"),
                (["--record-every", "0.1"], "--record"),
                (["--sheet-view", "top"], "--sheet"),
                (["--sheet-cells", "4"], "--sheet"),
                (["--sheet", self.path("a.jpg")], ".png"),
                (["--command", "0.05,1.2"], "speed", "'hold'"),
                (["--command", "0.05,,90"], "heading", "'hold'"),
                (["--go-to", "0.05,2,3"], "heading", "'hold'"),
                (["--controller", "sampling", "--motion", "walk", "--command", "0.05,1.2"], "speed",
                 "sampling"),
                # After the end.
                (["--push", "60,90,5,0.2"], "--push", "5 s", "0.1 s"),
                (["--throw", "2,5,1.5,180"], "--throw", "1.5 s"),
                (["--skill", "walk", "--command", "1,1.2"], "--command", "1 s"),
                (["--skill", "walk", "--go-to", "1,2,3"], "--go-to", "1 s"),
                (["--skill", "locomotion", "--style", "0.1,jump"], "--style", "0.1 s"),
                (["--replay", self.path("a.stride"), "--seconds", "3"], "--seconds", "--replay"),
                (["--replay", self.path("a.stride"), "--seed", "3"], "--seed", "--replay")):
            self.refuse(["simulate", "--seconds", "0.1", *arguments] if "--replay" not in arguments
                        else ["simulate", *arguments], *words)
        self.assertEqual(os.listdir(self.folder), [])
        self.succeed("simulate", "--skill", "walk", "--controller", "control_graph", "--seconds", "0.1")
        self.refuse(["learn", "openloop", "kick", "-o", self.path("a.motion"), "--resume"], "--resume")
        biped = ["spline", "--character", "biped", "--optimizer"]
        for arguments, *words in (
                (["retarget", "walk"], "--change", "--character"),
                (["retarget", "walk", "--change", "legs,1.1", "--set", "lead=0.5"], "'lead=0.5'"),
                ([*biped, "cma", "--set", "crossover=0.2"], "'crossover=0.2'", "cma"),
                ([*biped, "ga", "--set", "sigma=0.2"], "'sigma=0.2'", "ga"),
                ([*biped, "ga", "--set", "pressure=1.5"], "'pressure=1.5'", "rank"),
                ([*biped, "cma", "--set", "fit_reach=0.2"], "'fit_reach=0.2'", "--fit"),
                ([*biped, "cma", "--set", "layers=5"], "'layers=5'", "--feedback"),
                ([*biped, "cma", "--from", "spline-biped", "--symmetry", "none"], "symmetry", "skill")):
            self.refuse(["learn", *arguments, "-o", self.path("a.skill")], *words)

    def test_view_shows_one_thing(self):
        for arguments, *words in ((["walk", "--skill", "run"], "'walk'", "--skill"),
                                  (["walk", "--crowd", "3"], "--crowd"),
                                  (["--skill", "walk", "--controller", "hold"], "'hold'")):
            self.refuse(["view", "--no-browser", "--port", "0", "--seconds", "1", *arguments], *words)
        run = self.path("a.stride")
        self.succeed("simulate", "--seconds", "0.1", "--record", run)
        self.refuse(["view", "--no-browser", "--port", "0", run, "--character", "lee10"], "--character")

    def test_the_seed_governs_sampling(self):
        def end(seed):
            result = self.json_of("simulate", "--controller", "sampling", "--motion", "walk", "--seconds",
                                  "0.5", "--seed", seed, "--set", "controller.samples=64",
                                  "--set", "controller.border_samples=32", "--set", "controller.threads=1")
            self.assertEqual(result["controller_settings"]["seed"], int(seed))
            self.assertEqual(result["controller_settings"]["samples"], 64)
            return result["final_root"]
        self.assertEqual(end("3"), end("3"))
        self.assertNotEqual(end("3"), end("4"))

    def test_what_does_not_fall_without_gravity(self):
        shown = self.succeed("simulate", "--gravity", "-9.81", "--seconds", "1").stdout
        self.assertNotIn("stayed up", shown)
        self.assertIn("gravity does not pull down", shown)


class Output(Folder):
    def test_what_cannot_be_written_is_found_before_the_work(self):
        begin = time.monotonic()
        nowhere = self.path("no/such/a")
        for arguments in (["simulate", "--seconds", "3000", "--sheet", nowhere + ".png"],
                          ["simulate", "--seconds", "3000", "--record", nowhere],
                          ["learn", "skill", "walk", "-o", nowhere],
                          ["learn", "skill", "walk", "-o", self.folder],
                          ["learn", "openloop", "kick", "-o", self.path("a.motion"), "--sheet",
                           nowhere]):
            self.refuse(arguments, "cannot be written" if self.folder not in arguments else "folder")
        self.assertLess(time.monotonic() - begin, 60)
        self.assertEqual(os.listdir(self.folder), [])

    def test_nothing_that_is_read_is_overwritten(self):
        run, motion, skill = self.path("a.stride"), self.path("a.motion"), self.path("a.skill")
        self.succeed("simulate", "--seconds", "0.1", "--record", run)
        self.succeed("convert", "walk", motion)
        with open(os.path.join(os.path.dirname(__file__), "../../data/skills/walk.skill"), "rb") as file:
            text = file.read()
        with open(skill, "wb") as file:
            file.write(text)
        before = {name: self.read(name) for name in os.listdir(self.folder)}
        other = os.path.join(self.folder, ".", "a.stride")
        for arguments, *words in ((["gait", run, "--svg", other], "--svg", "same file as file"),
                                  (["convert", motion, motion], "out", "same file as in"),
                                  (["simulate", "--skill", skill, "--seconds", "0.1", "--record", skill],
                                   "--record", "--skill"),
                                  (["simulate", "--seconds", "0.1", "--record", self.path("b.png"),
                                    "--sheet", self.path("b.png")], "same file")):
            self.refuse(arguments, *words, code=2)
        self.assertEqual(before, {name: self.read(name) for name in os.listdir(self.folder)})

    def test_a_file_at_its_size_limit_is_an_error(self):
        def limited():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        for arguments in (["convert", "walk", self.path("a.motion")],
                          ["simulate", "--seconds", "5", "--record", self.path("a.stride")],
                          ["simulate", "--seconds", "2", "--sheet", self.path("a.png")]):
            done = self.run_stride(*arguments, preexec_fn=limited)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("stride: error: ", done.stderr)
            self.assertIn("written", done.stderr)
        self.assertEqual(os.listdir(self.folder), ["a.stride.part"])

    def test_signals_leave_a_word_and_no_litter(self):
        for number, word, command in (
                (signal.SIGTERM, "SIGTERM", ["simulate", "--seconds", "80000"]),
                (signal.SIGINT, "Ctrl-C", ["simulate", "--seconds", "80000"]),
                (signal.SIGTERM, "SIGTERM", ["reproduce", "stride/standing", "--out", "result"])):
            process = subprocess.Popen([self.stride, *command],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                       cwd=self.folder)
            time.sleep(1)
            process.send_signal(number)
            _, errors = process.communicate(timeout=30)
            self.assertEqual(process.returncode, -number)
            self.assertIn(word, errors)
        self.assertEqual(os.listdir(self.folder), [])

    def test_two_runs_do_not_learn_into_one_file(self):
        out = self.path("a.skill")
        first = subprocess.Popen([self.stride, "learn", "skill", "walk", "-o", out, "--threads", "1",
                                  "--set", "evolve_iterations=10000"],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while not os.path.exists(out + ".checkpoint") and first.poll() is None:
                time.sleep(0.05)
            self.refuse(["learn", "skill", "walk", "-o", out], out, "another run")
            self.refuse(["learn", "skill", "walk", "-o", out, "--resume"], out, "another run")
        finally:
            first.send_signal(signal.SIGINT)
            first.wait(timeout=60)
        self.assertFalse(os.path.exists(out + ".lock"))


class Replay(Folder):
    def test_a_recording_replays_without_its_files(self):
        skill = self.path("mine.skill")
        with open(os.path.join(os.path.dirname(__file__), "../../data/skills/walk.skill"), "rb") as file:
            text = file.read()
        with open(skill, "wb") as file:
            file.write(text)
        run = self.path("a.stride")
        self.succeed("simulate", "--skill", skill, "--seconds", "1", "--record", run)
        os.remove(skill)
        self.assertIs(self.json_of("simulate", "--replay", run)["same"], True)

    def test_one_that_differs_fails_and_says_where(self):
        run = self.path("a.stride")
        lanes = {**os.environ, "STRIDE_INSTRUCTION_SET": "sse2"}
        self.succeed("simulate", "--engine", "batch", "--seconds", "1", "--disturb", "40", "--record", run,
                     env=lanes)
        self.succeed("simulate", "--replay", run, env=lanes)
        with open("/proc/cpuinfo", encoding="ascii") as file:
            other = "avx2" if " avx2 " in file.read() else ""
        if not other:
            return  # a processor that knows one kind of lanes cannot differ
        done = self.run_stride("simulate", "--replay", run,
                               env={**os.environ, "STRIDE_INSTRUCTION_SET": other})
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"differs: step \d+")
        for word in ("'sse2'", "'avx2'", "STRIDE_INSTRUCTION_SET=sse2"):
            self.assertIn(word, done.stdout)
        self.assertIn("differs from the recording", done.stderr)


if __name__ == "__main__":
    main(__doc__)
