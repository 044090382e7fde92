#!/usr/bin/env python3
"""Tests of the command line, but for learning and experiments: cli_test.py STRIDE [CLASS...]."""

import json
import os
import subprocess
import tempfile

from case import Case, main

VERBS = {"list", "simulate", "info", "convert", "import", "bench", "learn", "view", "reproduce",
         "report", "gait", "character"}  # at least
ENGINES = ["native", "batch", "mujoco", "ode", "bullet"]


class Usage(Case):
    def test_version(self):
        self.assertRegex(self.succeed("--version").stdout, r"^stride \d+\.\d+\.\d+\n$")

    def verbs(self):
        lines = self.succeed("--help").stdout.split("Subcommands:\n")[1].splitlines()
        return [line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "]

    def test_help_lists_every_verb(self):
        self.assertLessEqual(VERBS, set(self.verbs()))

    def test_every_verb_has_help_with_an_example_and_the_common_options(self):
        for verb in self.verbs():
            text = self.succeed(verb, "--help").stdout
            self.assertIn(f"Example:\n  stride {verb} ", text)
            self.assertIn("--json", text)
            self.assertIn("--seed", text)

    def test_usage_errors(self):
        self.refuse([], "expected a verb", code=2)
        self.refuse(["fly"], "'fly'", code=2)
        self.refuse(["simulate", "--warp"], "--warp", code=2)
        self.refuse(["simulate", "--seconds", "soon"], "--seconds", "soon", code=2)
        self.refuse(["simulate", "--seed", "-1"], "--seed", code=2)
        self.refuse(["info"], "file", code=2)
        self.refuse(["convert", "liu16"], "out", code=2)

    def test_full_disk_is_a_failure(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([self.stride, "list"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output", done.stderr)


class List(Case):
    def test_all_kinds(self):
        result = self.json_of("list")
        self.assertEqual(list(result), ["controllers", "characters", "motions", "skills", "engines",
                                        "experiments"])
        self.assertEqual([entry["name"] for entry in result["engines"]], ENGINES)
        names = [entry["name"] for entry in result["characters"]]
        for name in ["lee10", "liu16", "kwon17", "wang09-short", "wang09-longarm", "biped", "android",
                     "tripod", "snake"]:
            self.assertIn(name, names)
        motions = [entry["name"] for entry in result["motions"]]
        for name in ["stand", "walk", "run", "cartwheel", "get_up_back"]:
            self.assertIn(name, motions)
        for entries in result.values():
            for entry in entries:
                self.assertTrue(entry["description"])

    def test_one_kind_and_none_yet(self):
        self.assertEqual(list(self.json_of("list", "engines")), ["engines"])
        self.assertIn("liu16", self.succeed("list", "characters").stdout)
        for kind, entries in self.json_of("list").items():
            if not entries:
                self.assertIn("none yet", self.succeed("list", kind).stdout)

    def test_unknown_kind(self):
        self.refuse(["list", "dogs"], "'dogs'", "characters")


class Bodies(Case):
    """Bodies that users bring."""
    FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "characters")

    def path(self, name):
        return os.path.join(self.FOLDER, name)

    def test_planar_bodies_stand_fall_and_are_drawn(self):
        for name in ["half_cheetah.xml", "planar_hopper.xml", "planar_walker.xml", "swimmer.xml"]:
            for engine in ["native", "batch", "mujoco"]:
                result = self.json_of("simulate", "--character", self.path(name), "--engine", engine,
                                      "--seconds", "1", "--controller", "passive")
                self.assertIs(result["failed"], False, name + engine)
                self.assertAlmostEqual(result["final_root"][1], 0, delta=1e-3)
        held = self.json_of("simulate", "--character", self.path("half_cheetah.xml"), "--seconds", "2")
        self.assertIs(held["fell"], False)
        with tempfile.TemporaryDirectory() as folder:
            sheet = os.path.join(folder, "sheet.png")
            self.succeed("simulate", "--character", self.path("half_cheetah.xml"), "--seconds", "1",
                         "--sheet", sheet)
            self.assertGreater(os.path.getsize(sheet), 10000)

    def test_a_urdf_is_shown_simulated_and_converted(self):
        urdf = self.path("walker.urdf")
        info = self.json_of("info", urdf)
        self.assertEqual(info["name"], "walker")
        self.assertGreater(len(info["warnings"]), 3)
        self.assertIs(self.json_of("simulate", "--character", urdf, "--seconds", "0.5")["failed"], False)
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "walker.xml")
            self.succeed("convert", urdf, out)
            self.assertEqual(self.json_of("info", out)["mass"], info["mass"])

    def test_roles_are_guessed_given_and_written(self):
        urdf = self.path("walker.urdf")
        result = self.json_of("character", urdf, "--roles")
        self.assertEqual(result["roles"]["left_foot"], "left_foot")
        self.assertIs(result["human"], False)
        self.assertIn("slides", result["why_not_human"])
        tripod = self.json_of("character", "tripod", "--roles")
        self.assertIn("left_foot", tripod["why_not_human"])
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "man.xml")
            given = self.json_of("character", "tripod", "--roles", "--role", "left_foot=left_shank",
                                 "--role", "right_foot=right_shank", "-o", out)
            self.assertIs(given["human"], True)
            self.assertIs(self.json_of("character", out)["human"], True)
            self.assertIn("stride:role:left_foot", given["custom"])
            self.refuse(["character", "tripod", "-o", os.path.join(folder, "man.txt")], ".xml")
        self.refuse(["character", "tripod", "--role", "wing=pelvis"], "'wing'", "left_foot")
        self.refuse(["character", "tripod", "--role", "head=hat"], "'hat'", "left_shank")
        self.refuse(["character", "tripod", "--role", "head"], "ROLE=BODY")

    def test_a_motion_belongs_to_a_body_not_to_a_name(self):
        with tempfile.TemporaryDirectory() as folder:
            body, motion = os.path.join(folder, "body.xml"), os.path.join(folder, "walk.motion")
            copy = os.path.join(folder, "copy.xml")
            self.succeed("convert", "liu16", body)
            self.succeed("convert", "walk", motion, "--character", body)
            os.rename(body, copy)
            self.refuse(["info", motion], "body.xml", "--character")
            result = self.json_of("convert", motion, os.path.join(folder, "walk.bvh"),
                                  "--character", copy)
            self.assertEqual(result["character"], copy)
            self.assertTrue(any("cannot be loaded" in w for w in result["warnings"]))
            self.succeed("convert", "walk", motion, "--character", "liu16")
            self.succeed("convert", motion, os.path.join(folder, "walk.bvh"), "--character",
                         "liu16-strong")
            self.refuse(["convert", motion, os.path.join(folder, "walk.bvh"), "--character", "lee10"],
                        "another body", "hangs on")


class Simulate(Case):
    KEYS = {"fell", "fell_at", "failed", "seconds", "engine", "character", "controller", "seed",
            "realtime_factor", "distance", "speed", "max_penetration", "final_root", "steps",
            "tracking_error_deg", "joint_power", "leg_power_ratio", "com_sway", "head_motion",
            "foot_slip", "peak_force", "missed_deadlines", "recording"}

    def test_every_engine_holds_a_stand(self):
        for engine in ENGINES:
            result = self.json_of("simulate", "--engine", engine, "--seconds", "2")
            self.assertLessEqual(self.KEYS, set(result))
            self.assertIs(result["fell"], False, engine)
            self.assertIsNone(result["fell_at"])
            self.assertIs(result["failed"], False)
            self.assertAlmostEqual(result["seconds"], 2)
            self.assertEqual(result["engine"], engine)
            self.assertEqual(result["character"], "liu16")
            self.assertGreater(result["realtime_factor"], 0)

    def test_a_fall_is_a_result(self):
        result = self.json_of("simulate", "--controller", "passive", "--seconds", "2")
        self.assertIs(result["fell"], True)
        self.assertEqual(result["seconds"], result["fell_at"])
        self.assertLess(result["seconds"], 2)
        text = self.succeed("simulate", "--controller", "passive", "--seconds", "2").stdout
        self.assertIn("fell after", text)

    def test_same_seed_same_output(self):
        def run(seed, engine):
            result = self.json_of("simulate", "--seconds", "1", "--disturb", "20", "--seed", seed,
                                  "--engine", engine)
            del result["realtime_factor"], result["wall_seconds"], result["missed_deadlines"]
            return result
        for engine in ENGINES:
            self.assertEqual(run("3", engine), run("3", engine))
            self.assertNotEqual(run("3", engine)["final_root"], run("4", engine)["final_root"])

    def test_pushes_add_up_and_point_where_they_say(self):
        def end(*pushes):
            options = [word for push in pushes for word in ("--push", push)]
            return self.json_of("simulate", "--seconds", "0.5", *options)["final_root"]
        still, left, right = end(), end("60,90,0.2,0.2"), end("60,-90,0.2,0.2")
        self.assertGreater(left[1], still[1] + 1e-3)
        self.assertLess(right[1], still[1] - 1e-3)
        self.assertGreater(end("60,0,0.2,0.2")[0], still[0] + 1e-3)
        self.assertAlmostEqual(end("60,90,0.2,0.2", "60,-90,0.2,0.2")[1], still[1], places=6)

    def test_worlds(self):
        for options in (["--slope", "-10"], ["--slope", "10,90"], ["--slope=5"],
                        ["--terrain", "field:3,0.05"], ["--terrain", "steps:0.1,0.3,5"],
                        ["--load", "left_hand,2"], ["--gravity", "1.62"], ["--friction", "0.5"],
                        ["--time-step", "0.002"], ["--set", "contact.stiffness=30000"]):
            result = self.json_of("simulate", "--seconds", "1", *options)
            self.assertIs(result["fell"], False, options)
            self.assertIs(result["failed"], False, options)
        self.assertEqual(result["settings"]["contact"]["stiffness"], 30000)

    def test_ice_is_slippery(self):
        def slide(friction):
            return self.json_of("simulate", "--seconds", "0.6", "--slope", "15", "--friction",
                                friction)["distance"]
        self.assertGreater(slide("0.05"), 10 * slide("0.9"))

    def test_own_character_in_a_second_engine(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mine.xml")
            self.succeed("convert", "lee10", path)
            for engine in ENGINES:
                result = self.json_of("simulate", "--character", path, "--engine", engine,
                                      "--seconds", "1")
                self.assertIs(result["fell"], False, engine)

    def test_bad_input_is_named(self):
        for arguments, *words in (
                (["--engine", "warp"], "'warp'", "native, batch, mujoco"),
                (["--character", "cat"], "'cat'", "liu16"),
                (["--character", "missing.xml"], "missing.xml"),
                (["--controller", "run"], "'run'", "hold"),
                (["--push", "60,90"], "--push '60,90'", "N,deg,at,duration"),
                (["--push", "hard"], "--push 'hard'"),
                (["--slope", "89"], "--slope '89'"),
                (["--slope", "5", "--terrain", "field:1,0.1"], "--slope", "plane"),
                (["--terrain", "hill"], "--terrain 'hill'", "steps"),
                (["--load", "tail,2"], "'tail'", "left_foot"),
                (["--throw", "2"], "--throw '2'"),
                (["--throw", "2,5,0.1", "--engine", "batch"], "batch", "several actors"),
                (["--seconds", "0"], "--seconds"),
                (["--seconds", "nan"], "--seconds"),
                (["--time-step", "0.03"], "time_step", "0.02"),
                (["--pushes", "kick"], "'kick'", "lee10-front"),
                (["--pushes", "lee10-front:hard"], "'hard'"),
                (["--change", "legs"], "--change 'legs'"),
                (["--change", "tail,2"], "'tail'"),
                (["--command", "1"], "--command '1'", "heading"),
                (["--motion", "walk"], "hold", "--motion"),
                (["--scenario", "missing.json"], "missing.json"),
                (["--replay", "missing.stride"], "missing.stride"),
                (["--record", "/nowhere/a.stride"], "/nowhere/a.stride"),
                (["--record-every", "0"], "--record-every"),
                (["--sheet-view", "back", "--sheet", "a.png"], "'back'", "three-quarter"),
                (["--set", "controller.gain=2"], "hold", "gain"),
                (["--friction", "-1"], "friction"),
                (["--gravity", "inf"], "gravity"),
                (["--set", "contact.stiffness=-1"], "contact.stiffness", "1 to"),
                (["--set", "contact.colour=red"], "'contact.colour'", "contact.damping"),
                (["--set", "friction"], "key=value")):
            self.refuse(["simulate", *arguments], *words)
            self.refuse(["simulate", *arguments, "--json"], *words)

    def test_scenario_file_and_options_on_top(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.json")
            def write(scenario):
                with open(path, "w") as file:
                    json.dump(scenario, file)
            write({"name": "mine", "seconds": 1, "world": {"friction": 0.4}, "slope_deg": 2,
                   "pushes": [{"force": 30, "heading_deg": 90, "at": 0.2, "duration": 0.2}]})
            result = self.json_of("simulate", "--scenario", path)
            self.assertAlmostEqual(result["simulated_seconds"], 1)
            self.assertEqual(result["settings"]["friction"], 0.4)
            self.assertGreater(result["final_root"][1], 1e-3)
            result = self.json_of("simulate", "--scenario", path, "--seconds", "0.5", "--friction", "0.6")
            self.assertAlmostEqual(result["simulated_seconds"], 0.5)
            self.assertEqual(result["settings"]["friction"], 0.6)
            write({"secnods": 1})
            self.refuse(["simulate", "--scenario", path], path, "'secnods'", "seconds")
            with open(path, "w") as file:
                file.write("{")
            self.refuse(["simulate", "--scenario", path], path, "JSON")

    def test_ready_made_scenarios(self):
        folder = os.path.join(os.path.dirname(__file__), "..", "..", "data", "scenarios")
        for name in sorted(os.listdir(folder)):
            result = self.json_of("simulate", "--scenario", os.path.join(folder, name), "--seconds", "1")
            self.assertIs(result["failed"], False, name)

    def test_push_protocol(self):
        result = self.json_of("simulate", "--pushes", "lee10-front:1000", "--stop-at-fall")
        self.assertIs(result["fell"], True)
        self.assertGreater(result["seconds"], 2)
        self.assertEqual(result["simulated_seconds"], result["seconds"])
        self.assertAlmostEqual(
            self.json_of("simulate", "--pushes", "lee10-left:1")["simulated_seconds"], 40)

    def test_changed_bodies_and_commands(self):
        result = self.json_of("simulate", "--seconds", "1", "--change", "legs,1.5")
        self.assertIs(result["fell"], False)
        self.assertGreater(result["final_root"][2], 1.2)

    def test_record_replay_and_sheet(self):
        with tempfile.TemporaryDirectory() as folder:
            run, sheet = os.path.join(folder, "a.stride"), os.path.join(folder, "a.png")
            for engine in ENGINES:
                throw = [] if engine == "batch" else ["--throw", "1,5,0.3"]
                result = self.json_of("simulate", "--engine", engine, "--seconds", "1", "--disturb", "40",
                                      "--seed", "7", "--record", run, "--sheet", sheet,
                                      "--sheet-cells", "4", *throw)
                self.assertEqual((result["recording"], result["sheet"]), (run, sheet))
                self.assertEqual(sorted(os.listdir(folder)), ["a.png", "a.stride"])
                replay = self.json_of("simulate", "--replay", run)
                self.assertIs(replay["same"], True, f"{engine}: {replay}")
                self.assertIsNone(replay["difference"])
                self.assertGreater(replay["frames"], 60)
                self.assertIn("bit for bit", self.succeed("simulate", "--replay", run).stdout)
            with open(sheet, "rb") as file:
                self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")
            every = self.json_of("simulate", "--seconds", "1", "--record", run, "--record-every", "0.1")
            self.assertIs(every["fell"], False)
            self.assertEqual(self.json_of("simulate", "--replay", run)["frames"], 11)
            self.succeed("convert", "walk", run)
            self.refuse(["simulate", "--replay", run], "no simulation")

    def test_extreme_numbers_do_not_crash(self):
        for options in (["--push", "1e6,0,0.1,0.5"], ["--gravity", "1000"], ["--time-step", "0.02"],
                        ["--gravity", "-1000"], ["--load", "head,1e6"], ["--throw", "1000,100,0.1"]):
            for engine in ("native", "mujoco", "ode", "bullet"):
                result = self.json_of("simulate", "--seconds", "1", "--engine", engine, *options)
                for number in result["final_root"]:
                    self.assertLess(abs(number), 1e9, options)


    def test_the_longest_time_step_is_stable(self):
        for engine in ENGINES:
            result = self.json_of("simulate", "--engine", engine, "--controller", "passive", "--time-step",
                                  "0.02", "--seconds", "4")
            self.assertIs(result["failed"], False, engine)
            self.assertLess(abs(result["final_root"][2]), 1, engine)


class Info(Case):
    def test_character(self):
        result = self.json_of("info", "liu16")
        self.assertEqual(result["dof"], 45)
        self.assertAlmostEqual(result["mass"], 62)
        self.assertAlmostEqual(result["height"], 1.7, places=6)
        self.assertEqual(len(result["bodies"]), result["body_count"])
        self.assertEqual(result["bodies"][0]["joint"], "free")
        self.assertIsNone(result["bodies"][0]["parent"])
        self.assertGreater(len(result["contact_points"]), 7)
        self.assertEqual(result["warnings"], [])

    def test_text_shows_every_body(self):
        text = self.succeed("info", "liu16").stdout
        for body in self.json_of("info", "liu16")["bodies"]:
            self.assertIn(f"\n{body['name']} ", text)

    def test_every_character(self):
        for entry in self.json_of("list", "characters")["characters"]:
            self.assertEqual(self.json_of("info", entry["name"])["name"], entry["name"])

    def test_motion(self):
        result = self.json_of("info", "walk")
        self.assertEqual((result["kind"], result["name"], result["character"], result["origin"]),
                         ("motion", "walk", "liu16", "built-in"))
        self.assertIs(result["loops"], True)
        self.assertAlmostEqual(result["seconds"], (result["frames"] - 1) / result["fps"])
        self.assertAlmostEqual(result["speed"], 1.25, delta=0.1)
        self.assertEqual({span["part"] for span in result["contacts"]}, {"left_foot", "right_foot"})
        self.assertIn("m/s", self.succeed("info", "walk").stdout)

    def test_every_motion(self):
        for entry in self.json_of("list", "motions")["motions"]:
            self.assertEqual(self.json_of("info", entry["name"])["name"], entry["name"])

    def test_bad_files(self):
        self.refuse(["info", "missing.xml"], "missing.xml")
        self.refuse(["info", "missing.motion"], "missing.motion")
        self.refuse(["info", "/"], "folder")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "broken.xml")
            for text in ("", "<mujoco>", "not xml", "<mujoco><worldbody/></mujoco>", "\0\xff"):
                with open(path, "w", encoding="latin-1") as file:
                    file.write(text)
                self.refuse(["info", path], path)


class Gait(Case):
    def test_a_recorded_walk_against_the_built_in_band(self):
        with tempfile.TemporaryDirectory() as folder:
            run, csv, svg, band = (os.path.join(folder, name)
                                   for name in ("walk.stride", "a.csv", "a.svg", "band.csv"))
            self.succeed("simulate", "--skill", "walk", "--seconds", "7", "--record", run)
            result = self.json_of("gait", run, "--against", "walks", "--csv", csv, "--svg", svg,
                                  "--save-band", band)
            self.assertEqual(result["written"], [csv, svg, band])
            self.assertAlmostEqual(result["from"], 2, delta=0.05)
            self.assertAlmostEqual(result["speed"]["mean"], 1.3, delta=0.2)
            self.assertAlmostEqual(result["cycle_time"]["mean"] * result["cadence"], 120, delta=0.01)
            self.assertGreater(result["effort"]["power"]["hip"], 10)
            self.assertAlmostEqual(sum(result["effort"]["squared_torque_ratio"].values()), 1)
            names = [curve["name"] for curve in result["curves"]]
            self.assertEqual(names[:3], ["thigh", "knee", "foot"])
            self.assertIn("force_vertical", names)
            for curve in result["curves"]:
                self.assertEqual(len(curve["mean"]), 101)
            self.assertEqual(result["against"]["subjects"], 18)
            with open(csv) as file:
                rows = [row for row in file.read().splitlines() if not row.startswith("#")]
            self.assertEqual(len(rows), 102)
            same = self.json_of("gait", run, "--against", csv)["against"]["curves"]
            self.assertLess(max(curve["rms"] for curve in same), 1e-3)
            self.assertIn("cost of transport", self.succeed("gait", run, "--from", "0").stdout)
            # Of the folder only the recording walks.
            done = self.succeed("gait", "walk", "--against", folder)
            self.assertIn("3 of 4 files", done.stderr)
            self.assertIn(svg, done.stderr)

    def test_motions(self):
        walk, run = self.json_of("gait", "walk"), self.json_of("gait", "run")
        self.assertEqual((walk["character"], walk["effort"], walk["against"]), ("human", None, None))
        self.assertAlmostEqual(walk["speed"]["mean"], 1.27, delta=0.05)
        self.assertGreater(walk["duty_factor"]["mean"], 0.55)
        self.assertLess(run["duty_factor"]["mean"], 0.5)
        self.assertGreater(run["flight"]["mean"], 0.1)
        self.assertEqual(self.json_of("gait", "walk", "--character", "lee10")["character"], "lee10")
        with tempfile.TemporaryDirectory() as folder:
            own, bvh = os.path.join(folder, "a.motion"), os.path.join(folder, "a.bvh")
            self.succeed("convert", "walk", own, "--character", "liu16")
            self.assertEqual(self.json_of("gait", own)["character"], "liu16")
            self.succeed("convert", "walk", bvh)
            # One round of it has no two strikes; the error says what it has.
            self.refuse(["gait", bvh], bvh, "heel strike", "two of the same foot")

    def test_what_does_not_walk_leaves_no_file(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out.csv")
            self.refuse(["gait", "stand", "--csv", out], "stand", "0 heel strikes of the left foot")
            self.refuse(["gait", "walk", "--csv", out, "--against", "strolls"], "strolls", "walks")
            self.refuse(["gait", "walk", "--csv", out, "--character", "snake"], "snake")
            self.refuse(["gait", "walk", "--csv", out, "--from", "50"], "between 0.00 s and")
            self.refuse(["gait", "walk", "--csv", out, "--actor", "1"], "--actor")
            self.refuse(["gait", "walk", "--csv", out, "--save-band", "x.csv"], "--against")
            self.refuse(["gait", "missing.bvh", "--csv", out], "missing.bvh")
            self.refuse(["gait", "walk", "--csv", os.path.join(folder, "no", "x.csv")], "x.csv")
            self.assertEqual(os.listdir(folder), [])
        self.refuse(["gait"], "file", code=2)
        self.refuse(["gait", "walk", "--from", "soon"], "--from", code=2)


class Convert(Case):
    def test_round_trip_keeps_everything(self):
        with tempfile.TemporaryDirectory() as folder:
            first, second, third = (os.path.join(folder, name) for name in ("a.xml", "b.xml", "c.xml"))
            result = self.json_of("convert", "kwon17", first)
            self.assertEqual(result["format"], "mjcf")
            self.succeed("convert", first, second)
            self.succeed("convert", second, third)
            self.assertEqual(sorted(os.listdir(folder)), ["a.xml", "b.xml", "c.xml"])
            with open(second) as b, open(third) as c:  # a may hold -0 where b holds 0
                self.assertEqual(b.read(), c.read())
            info = self.json_of("info", second)
            info["source"] = "kwon17"
            self.assertEqual(info, self.json_of("info", "kwon17"))

    def test_motion_round_trip(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("a.motion", "b.motion", "a.bvh", "a.glb",
                                                             "a.csv", "c.motion", "d.motion")]
            first, second, bvh, glb, csv, from_bvh, from_glb = paths
            result = self.json_of("convert", "cartwheel", first, "--character", "kwon17")
            self.assertEqual((result["format"], result["character"]), ("motion", "kwon17"))
            self.succeed("convert", first, second)  # on the file's own character
            with open(first) as a, open(second) as b:
                self.assertEqual(a.read(), b.read())
            for path, form in ((bvh, "bvh"), (glb, "gltf"), (csv, "csv")):
                self.assertEqual(self.json_of("convert", first, path)["format"], form)
            original = self.json_of("info", first)
            for capture, path in ((bvh, from_bvh), (glb, from_glb)):
                self.succeed("convert", capture, path, "--character", "kwon17")
                info = self.json_of("info", path)
                self.assertEqual(info["frames"], original["frames"])
                self.assertEqual(info["character"], "kwon17")
                self.assertAlmostEqual(info["fps"], original["fps"], places=3)
                self.assertAlmostEqual(info["speed"], original["speed"], delta=0.1)
            with open(csv) as file:
                rows = file.read().splitlines()
            self.assertEqual(len([row for row in rows if not row.startswith("#")]) - 1,
                             original["frames"])
            self.assertEqual(sorted(os.listdir(folder)), sorted(map(os.path.basename, paths)))

    def test_recordings(self):
        with tempfile.TemporaryDirectory() as folder:
            run, bvh, csv, cut = (os.path.join(folder, name)
                                  for name in ("a.stride", "a.bvh", "a.csv", "cut.stride"))
            self.assertEqual(self.json_of("convert", "walk", run)["format"], "recording")
            info = self.json_of("info", run)
            self.assertEqual((info["kind"], info["title"], info["complete"]), ("recording", "walk", True))
            self.assertIn("liu16", self.succeed("info", run).stdout)
            self.assertEqual(self.json_of("convert", run, bvh)["frames"], info["frames"])
            self.succeed("convert", run, csv)
            with open(csv) as file:
                self.assertEqual(len(file.read().splitlines()), info["frames"] + 1)
            with open(run, "rb") as whole, open(cut, "wb") as part:
                part.write(whole.read()[:-1000])
            info = self.json_of("info", cut)
            self.assertFalse(info["complete"])
            self.assertIn("ends within", info["warnings"][0])
            self.refuse(["convert", run, os.path.join(folder, "a.xml")], "a recording", ".bvh")
            self.refuse(["info", os.path.join(folder, "none.stride")], "none.stride")

    def test_several_characters(self):
        with tempfile.TemporaryDirectory() as folder:
            others, scenario, run, csv = (os.path.join(folder, name) for name in
                                          ("others.json", "push.json", "two.stride", "two.csv"))
            with open(others, "w") as file:
                json.dump([{"controller": "passive", "y": 3}], file)
            push = {"force": 60, "at": 0.2, "duration": 0.1, "actor": 1}
            with open(scenario, "w") as file:
                json.dump({"seconds": 1, "pushes": [push]}, file)
            result = self.json_of("simulate", "--others", others, "--scenario", scenario,
                                  "--record", run)
            self.assertEqual(result["others"][0]["controller"], "passive")
            self.assertAlmostEqual(result["others"][0]["metrics"]["seconds"],
                                   result["others"][0]["fell_at"] or 1)
            self.assertGreater(result["others"][0]["metrics"]["distance"], result["distance"])
            info = self.json_of("info", run)
            self.assertEqual([actor["controller"] for actor in info["actors"]],
                             ["hold", "passive"])
            self.assertTrue(self.json_of("simulate", "--replay", run)["same"])
            self.succeed("convert", run, csv)
            with open(csv) as file:
                names = file.readline().strip().split(",")
            for name in ["left_shank.torque_Nm", "actor1.left_shank.torque_Nm",
                         "actor1.ground_force.z_N", "actor1.command.speed_m/s"]:
                self.assertIn(name, names)
            push["actor"] = 2
            with open(scenario, "w") as file:
                json.dump({"pushes": [push]}, file)
            self.refuse(["simulate", "--others", others, "--scenario", scenario],
                        "pushes[0]: there is no actor 2", "0 to 1")

    def test_bad_motions_leave_no_file(self):
        with tempfile.TemporaryDirectory() as folder:
            def out(name):
                return os.path.join(folder, name)
            self.refuse(["convert", "walk", out("a.fbx")], "'.fbx'", ".bvh", ".glb", ".csv", ".motion")
            self.refuse(["convert", "walk", out("a")], "a motion", ".bvh")
            self.refuse(["convert", "walk", out("a.xml")], "a motion", ".bvh")
            self.refuse(["convert", "prance", out("a.bvh")], "prance", "walk")
            self.refuse(["convert", "missing.bvh", out("a.glb")], "missing.bvh")
            self.refuse(["convert", "walk", out("a.bvh"), "--character", "snake"], "snake")
            self.refuse(["convert", "liu16", out("a.xml"), "--character", "lee10"], "--character")
            self.assertEqual(os.listdir(folder), [])
            self.succeed("convert", "walk", out("a.motion"))
            self.refuse(["convert", out("a.motion"), out("b.bvh"), "--character", "lee10"], "lee10",
                        "liu16")
            self.assertEqual(os.listdir(folder), ["a.motion"])

    def test_failure_leaves_no_file(self):
        with tempfile.TemporaryDirectory() as folder:
            self.refuse(["convert", "liu16", os.path.join(folder, "a.bvh")], ".bvh", ".xml")
            self.refuse(["convert", "cat", os.path.join(folder, "a.xml")], "'cat'")
            self.refuse(["convert", "liu16", os.path.join(folder, "none", "a.xml")], "written")
            self.assertEqual(os.listdir(folder), [])


class Import(Case):
    def test_a_capture_becomes_a_loop(self):
        with tempfile.TemporaryDirectory() as folder:
            capture, motion = (os.path.join(folder, name) for name in ("walk.bvh", "walk.motion"))
            self.succeed("convert", "walk", capture)
            self.assertIsNone(self.json_of("import", capture, "-o", motion)["loop"])
            self.assertFalse(self.json_of("info", motion)["loops"])
            loop = self.json_of("import", capture, "-o", motion, "--loop", "--range", "0:")["loop"]
            self.assertEqual((loop["chosen_by"], loop["first"]), ("range", 0))
            self.assertGreater(loop["travel"][0], 0.5)
            info = self.json_of("info", motion)
            self.assertTrue(info["loops"])
            self.assertEqual(info["frames"], loop["last"] + 1)
            text = self.succeed("import", capture, "-o", motion, "--loop", "--range", "0:").stdout
            self.assertIn("of the file (the range)", text)

    def test_a_preview_shows_the_motion(self):
        with tempfile.TemporaryDirectory() as folder:
            capture, motion, preview = (os.path.join(folder, name)
                                        for name in ("walk.bvh", "walk.motion", "walk.png"))
            self.succeed("convert", "walk", capture)
            self.succeed("import", capture, "-o", motion, "--preview", preview)
            with open(preview, "rb") as file:
                self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")
            missing = os.path.join(folder, "missing", "walk.png")
            self.refuse(("import", capture, "-o", motion, "--preview", missing), missing)

    def test_what_cannot_be_closed_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            capture, motion = (os.path.join(folder, name) for name in ("stand.bvh", "stand.motion"))
            self.succeed("convert", "stand", capture)
            self.refuse(("import", capture, "-o", motion, "--loop"), "stand.bvh", "--range")
            self.refuse(("import", capture, "-o", motion, "--loop-warp", "0.5"), "--loop", code=2)
            self.assertFalse(os.path.exists(motion))


class Bench(Case):
    def test_reports_every_figure(self):
        result = self.json_of("bench", "--quick", "--quiet")
        for key in ("batch_steps_per_second_per_core", "batch_realtime_factor_per_core",
                    "native_realtime_factor", "mujoco_realtime_factor", "batch_to_mujoco",
                    "native_to_mujoco", "retarget_frames_per_second", "import_frames_per_second"):
            self.assertGreater(result[key], 0, key)
        self.assertAlmostEqual(result["batch_realtime_factor_per_core"],
                               result["batch_steps_per_second_per_core"] * result["time_step"])
        self.assertAlmostEqual(result["batch_to_mujoco"] * result["mujoco_realtime_factor"] /
                               result["batch_realtime_factor_per_core"], 1)
        self.assertIn("MuJoCo", result["mujoco_settings"])
        self.assertIn(result["instruction_set"], ("sse2", "avx2", "avx512"))
        self.assertIn(result["lanes"], (4, 8, 16))
        self.assertEqual([entry["links"] for entry in result["bodies"]], [10, 20, 50, 100, 200])
        self.assertEqual(result["threads"][0]["threads"], 1)
        self.assertEqual(result["import_joints"], 31)
        learning = result["learning"]
        for work in ("sampling", "episodes"):
            self.assertGreater(learning[work]["samples_per_second"], 0)
            self.assertGreater(learning[work]["physics_share"], 0)
            self.assertLess(learning[work]["physics_share"], 1)
            self.assertAlmostEqual(learning[work]["to_raw_lanes"] * learning["raw_steps_per_second"] /
                                   learning[work]["steps_per_second"], 1)
        self.assertEqual(learning["scaling"][0]["speedup"], 1)
        self.assertEqual(learning["scaling"][-1]["ranks"], 2, learning["ranks_missing"])


if __name__ == "__main__":
    main(__doc__)
