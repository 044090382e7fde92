#!/usr/bin/env python3
"""Checks that no source names a method outside its folder and its experiments.

A method is a folder of src/stride/controllers with a README, but for hold and passive. Elsewhere in src/ and apps/ nothing may include its headers,
name its folder, or name a controller it registers as a text or a namespace: what others need of it goes through the
registry. Allowed: controllers.def, the method's experiments and benchmarks in app/experiments/, and tests beside code.

Usage:
  method_names_test.py [ROOT]       check the repository at ROOT (default: the one of this file)
  method_names_test.py --self-test  check that planted names are found
"""

import pathlib
import re
import sys
import tempfile

SUFFIXES = {".h", ".cc", ".ts"}
NO_METHODS = {"hold", "passive"}  # no paper's; runs begin with them


def methods(root):
    """{folder: names of the controllers registered in it}"""
    found = {}
    for readme in sorted((root / "src/stride/controllers").glob("*/README.md")):
        if readme.parent.name in NO_METHODS:
            continue
        names = set()
        for source in readme.parent.glob("*.cc"):
            names |= set(re.findall(r"namespace stride::(\w+)_controller\b", source.read_text()))
        found[readme.parent.name] = names
    return found


def patterns(folder, names):
    yield re.compile(rf"controllers/{folder}/"), f"includes the folder {folder}"
    if "_" in folder:  # no word of the language
        yield re.compile(rf"\b{folder}\b"), f"names the folder {folder}"
    for name in names:
        yield re.compile(rf"\b{name}_controller\b"), f"names the controller {name}"
        yield re.compile(rf'[=(,{{]\s*"{name}"'), f'names the controller "{name}"'


def check(root):
    """Returns (methods, list of "file:line: what is wrong")."""
    known = methods(root)
    problems = []
    for top in ("src", "apps", "web/src"):
        for path in sorted((root / top).rglob("*")):
            where = path.relative_to(root).as_posix()
            if path.suffix not in SUFFIXES or not path.is_file() or "_test." in path.name:
                continue
            if where.startswith("src/stride/app/experiments/") or where.startswith("src/stride/testing/"):
                continue
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            for folder, names in known.items():
                if where.startswith(f"src/stride/controllers/{folder}/"):
                    continue
                for number, line in enumerate(lines, start=1):
                    problems += [f"{where}:{number}: {what}: {line.strip()}"
                                 for pattern, what in patterns(folder, names) if pattern.search(line)]
    return known, problems


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        method = root / "src/stride/controllers/waltz"
        method.mkdir(parents=True)
        (method / "README.md").write_text("Strauss 1866")
        (method / "waltz.cc").write_text("namespace stride::dance_controller {")
        (root / "src/stride/run").mkdir()
        planted = ['#include "stride/controllers/waltz/a.h"', 'x = "dance";', "dance_controller::Make();"]
        (root / "src/stride/run/a.cc").write_text("\n".join(planted) + '\nprint("a dance");\n')
        found = {problem.split(":")[1] for problem in check(root)[1]}
        return 0 if found == {"1", "2", "3"} else 1


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    known, problems = check(root)
    print("\n".join(problems))
    if not known:
        print("no methods found")
        return 1
    return 1 if problems else 0


sys.exit(main())
