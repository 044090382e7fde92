#!/usr/bin/env python3
"""Tests of `stride reproduce` and `stride report`: reproduce_test.py STRIDE [CLASS...]."""

import json
import os
import tempfile

from case import Case, main


class Reproduce(Case):
    def test_prints_rows_and_leaves_a_result_and_a_report(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "standing")
            result = self.json_of("reproduce", "stride/standing", "--quick", "--seed", "3", "--out", out)
            self.assertEqual((result["experiment"], result["seed"]), ("stride/standing", 3))
            for row in result["rows"]:
                self.assertLessEqual({"name", "paper", "ours", "unit", "met", "note"}, row.keys())
            self.assertEqual(result["total"], sum(row["met"] is not None for row in result["rows"]))
            with open(os.path.join(out, "result.json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file)["rows"], result["rows"])
            again = self.json_of("reproduce", "stride/standing", "--quick", "--seed", "3", "--threads", "1",
                                 "--out", out)
            self.assertEqual(again["rows"], result["rows"])

            page = os.path.join(folder, "report.html")
            report = self.json_of("report", folder, "-o", page)
            self.assertEqual([section["title"] for section in report["sections"]], ["stride/standing"])
            with open(page, encoding="utf-8") as file:
                html = file.read()
            self.assertEqual(len(html.encode()), report["bytes"])
            self.assertIn("data:image/png;base64,", html)
            self.assertNotIn("<script", html)

    def test_a_whole_paper(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.json_of("reproduce", "liu16", "--quick", "--out", folder)
            self.assertEqual(result["experiment"], "liu16")
            self.assertIn("liu16/speed", {row["experiment"] for row in result["rows"]})
            self.assertTrue(os.path.exists(os.path.join(folder, "liu16-speed", "result.json")))

    def test_options_of_an_experiment(self):
        with tempfile.TemporaryDirectory() as folder:
            first, second = (os.path.join(folder, name) for name in ("first", "second result"))
            table = ["reproduce", "liu16/table2", "--quick", "--only", "catwalk,kick", "--out"]
            learned = self.json_of(*table, first)
            self.assertEqual(learned["command"],
                             "stride reproduce liu16/table2 --seed 0 --quick --only catwalk,kick")
            self.assertEqual([row["name"].split(":")[0] for row in learned["rows"]],
                             3 * ["catwalk"] + 3 * ["kick"])
            again = self.json_of(*table, second, "--skills", first)
            self.assertEqual([row["ours"] for row in again["rows"]],
                             [row["ours"] for row in learned["rows"]])
            self.assertIn("learned before", again["rows"][0]["note"])
            third = self.json_of(*table, first, "--skills", second)
            self.assertIn(f"--skills '{second}'", third["command"])

            out = ["--quick", "--out", os.path.join(folder, "none")]
            self.refuse(["reproduce", "liu16/table2", "--only", "polka", *out], "'polka'", "dance_spin")
            for option in ("--mocap", "--skills"):
                self.refuse(["reproduce", "liu16/table2", option, folder + "/no", *out], option,
                            "no folder")
                self.refuse(["reproduce", "liu16/speed", option, folder, *out], option,
                            "liu16/table2, ", "liu16/kick-push")
            self.refuse(["reproduce", "liu16/speed", "--only", "kick", *out], "--only", "liu16/table2")
            self.assertFalse(os.path.exists(out[-1]))
            # Where no clips are, the rows say how to give them.
            empty = self.json_of("reproduce", "liu16/table2", "--only", "waltz", "--mocap", folder, *out)
            self.assertIn("not measured", empty["rows"][0]["note"])
            self.assertIn(f"--mocap {folder}", empty["command"])

    def test_refuses(self):
        self.refuse(["reproduce", "liu17"], "liu17", "liu16/speed", "stride/standing")
        self.refuse(["reproduce"], "experiment", code=2)
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "r.html")
            self.refuse(["report", folder, "-o", page], folder, "result.json")
            self.refuse(["report", folder + "/none", "-o", page], "is no folder")
            self.refuse(["report", folder], "-o", code=2)
            with open(os.path.join(folder, "thesis.txt"), "w", encoding="utf-8") as file:
                file.write("years of work")
            self.refuse(["reproduce", "liu16/speed", "--quick", "--quiet", "--out", folder], "--out")
            self.assertEqual(os.listdir(folder), ["thesis.txt"])


if __name__ == "__main__":
    main(__doc__)
