#!/usr/bin/env python3
"""Checks the direction of includes between the folders of src/stride.

Each folder may include only itself and the folders before it in ORDER. Besides:
  - a controller includes no other controller, and neither controllers nor control/ an engine;
  - engines do not include each other;
  - testing/ is for the *_test.cc files beside the code, which may include all of it;
  - nothing in src/ includes apps/, web/, tests/ or bench/ (the viewer lives in the first two).

Usage:
  include_direction_test.py [ROOT]       check the repository at ROOT (default: the one of this file)
  include_direction_test.py --self-test  check that planted violations are found

Prints file:line of each violation. Exit code 0 if there is none, 1 otherwise.
"""

import argparse
import pathlib
import posixpath
import re
import sys
import tempfile

# The order of dependency (see CONTRIBUTING.md): a folder may use those before it.
ORDER = [
    "core",
    "math",
    "character",
    "motion",
    "draw",
    "dynamics",
    "sim",
    "scenario",
    "control",
    "optim",
    "learn",
    "controllers",
    "record",
    "run",
    "app",
]
RANK = {folder: rank for rank, folder in enumerate(ORDER)}
# What tests share: uses anything, used by tests only.
TESTING = "testing"

SUFFIXES = {".h", ".cc", ".inl", ".inc", ".def"}
OUTSIDE = ("apps", "web", "tests", "bench", "examples")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def module(path, parent):
    """The folder right below `parent` that `path` lies in, or None: ("sim/engines/ode/a.h",
    "sim/engines") gives "ode". A file that lies in `parent` itself (a registry) is in none."""
    prefix = parent + "/"
    if not path.startswith(prefix):
        return None
    head, slash, _ = path[len(prefix):].partition("/")
    return head if slash else None


def target_of(name, quote, includer):
    """The included file relative to the root ("src/stride/..." or "apps/..."), or None for a
    library's header. `includer` is relative to the root too."""
    if name.startswith("stride/"):
        return posixpath.normpath("src/" + name)
    if quote == "<":
        return None
    if name.split("/", 1)[0] in OUTSIDE:
        return name
    # A relative include must not be a way around the rules.
    return posixpath.normpath(posixpath.join(posixpath.dirname(includer), name))


def reason_against(includer, target):
    """Why `includer` may not include `target` (both relative to the root), or None if it may."""
    if not target.startswith("src/stride/"):
        if target.split("/", 1)[0] in OUTSIDE:
            return "src/ includes nothing from " + target.split("/", 1)[0] + "/"
        return None
    source = includer.removeprefix("src/stride/")
    target = target.removeprefix("src/stride/")

    source_folder = source.split("/", 1)[0]
    target_folder = target.split("/", 1)[0]
    if target_folder == TESTING:
        if source_folder == TESTING or source.endswith(("_test.cc", "_test_lanes.cc")):
            return None
        return "only tests (*_test.cc) include testing/"
    if target_folder not in RANK:
        return f"'{target_folder}' is not a known folder of src/stride"
    if source_folder == TESTING:
        return None
    if RANK[target_folder] > RANK[source_folder]:
        return f"{source_folder}/ comes before {target_folder}/"

    if source_folder in ("control", "controllers") and module(target, "sim/engines"):
        return f"{source_folder}/ includes no engine; use the contract in sim/"

    source_controller = module(source, "controllers")
    target_controller = module(target, "controllers")
    if source_controller and target_controller and source_controller != target_controller:
        return f"controller {source_controller} includes controller {target_controller}"

    source_engine = module(source, "sim/engines")
    target_engine = module(target, "sim/engines")
    if source_engine and target_engine and source_engine != target_engine:
        return f"engine {source_engine} includes engine {target_engine}"
    return None


def check(root):
    """Returns (number of files, list of "file:line: what is wrong") for the tree at `root`."""
    count = 0
    violations = []
    for path in sorted((root / "src" / "stride").rglob("*")):
        if path.suffix not in SUFFIXES or not path.is_file():
            continue
        count += 1
        includer = path.relative_to(root).as_posix()
        folder = includer.removeprefix("src/stride/").split("/", 1)[0]
        if folder not in RANK and folder != TESTING:
            violations.append(f"{includer}:1: '{folder}' is not a known folder of src/stride; "
                              "add it to ORDER in tests/include_direction_test.py")
            continue
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        for number, line in enumerate(lines, start=1):
            match = INCLUDE.match(line)
            if not match:
                continue
            target = target_of(match[2], match[1], includer)
            reason = target and reason_against(includer, target)
            if reason:
                violations.append(f'{includer}:{number}: includes "{match[2]}": {reason}')
    return count, violations


def run(root):
    count, violations = check(root)
    for violation in violations:
        print(violation)
    if count == 0:
        print(f"{root / 'src' / 'stride'}: no sources found")
        return 1
    if violations:
        print(f"{len(violations)} includes against the direction of dependency")
        return 1
    print(f"{count} files, all includes in the direction of dependency")
    return 0


# File, its lines, and the numbers of the lines that must be reported.
SELF_TEST = [
    ("core/check.h", ["#include <string>", '#include "check_detail.h"'], []),
    ("core/log.cc", ["// comment", "", '#include "stride/math/vector.h"'], [3]),
    ("math/vector.h", ['#include "stride/core/check.h"', "#include <stride/sim/engine.h>"], [2]),
    ("math/quaternion.h", ['  #  include "stride/character/character.h"'], [1]),
    ("math/spline.h", ['#include "../sim/engine.h"', '#include "../core/check.h"'], [1]),
    ("dynamics/forward.h", ['#include "stride/character/character.h"',
                            '#include "stride/math/vector.h"'], []),
    ("sim/engine.h", ['#include "stride/dynamics/forward.h"'], []),
    ("sim/registry.cc", ['#include "stride/sim/engines/native/native_engine.h"',
                         '#include "stride/sim/engines/mujoco/mujoco_engine.h"'], []),
    ("sim/engines/native/native_engine.h", ['#include "stride/sim/engine.h"',
                                            '#include "stride/sim/engines/native/contact.h"'], []),
    ("sim/engines/mujoco/mujoco_engine.h", ["#include <mujoco/mujoco.h>",
                                            '#include "stride/sim/engines/native/contact.h"',
                                            '#include "../native/contact.h"'], [2, 3]),
    ("learn/rollout.cc", ['#include "stride/sim/engines/batch/batch_engine.h"'], []),
    ("control/controller.h", ['#include "stride/sim/engine.h"',
                              '#include "stride/sim/engines/native/native_engine.h"',
                              '#include "stride/controllers/registry.h"'], [2, 3]),
    ("controllers/registry.cc", ['#include "stride/controllers/simbicon/simbicon.h"'], []),
    ("controllers/simbicon/simbicon.h", ['#include "stride/control/controller.h"',
                                         '#include "stride/controllers/simbicon/gait.h"',
                                         '#include "stride/controllers/pendulum/pendulum.h"',
                                         '#include "stride/sim/engines/mujoco/mujoco_engine.h"',
                                         '#include "stride/record/recording.h"',
                                         '#include "apps/server/server.h"',
                                         '#include "../../../../web/frame.h"'],
     [3, 4, 5, 6, 7]),
    ("record/recording.h", ['#include "stride/unknown/thing.h"', '#include "stride/version.h"'],
     [1, 2]),
    ("app/simulate.cc", ['#include "stride/record/recording.h"',
                         '#include "stride/controllers/simbicon/simbicon.h"',
                         '#include "stride/sim/engines/native/native_engine.h"'], []),
    ("utils/misc.h", ["#include <string>"], [1]),
    ("core/config_test.cc", ['#include "stride/testing/puppet.h"',
                             '#include "stride/sim/engine.h"'], [2]),
    ("math/vector_test_lanes.cc", ['#include "stride/testing/puppet.h"'], []),
    ("core/config.cc", ['#include "stride/testing/puppet.h"'], [1]),
    ("app/test_bodies.h", ['#include "../testing/puppet.h"'], [1]),
    ("testing/puppet.h", ['#include "stride/app/simulate.h"',
                          '#include "stride/testing/bodies.h"'], []),
]


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        if run(root) != 1:
            print("self-test: a tree without sources must fail")
            return 1
        clean = root / "clean"
        planted = root / "planted"
        expected = set()
        for name, lines, bad in SELF_TEST:
            expected.update(f"src/stride/{name}:{number}" for number in bad)
            good_lines = [line for number, line in enumerate(lines, 1) if number not in bad]
            for tree, text in ((clean, good_lines), (planted, lines)):
                if tree is clean and name.split("/")[0] not in RANK:
                    continue
                path = tree / "src" / "stride" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("\n".join(text) + "\n", encoding="utf-8")

        _, violations = check(planted)
        found = {":".join(violation.split(":")[:2]) for violation in violations}
        for place in sorted(expected - found):
            print(f"self-test: missed {place}")
        for place in sorted(found - expected):
            print(f"self-test: wrongly reported {place}")
        if found != expected:
            return 1
        if run(planted) != 1:
            print("self-test: planted violations must fail")
            return 1
        if run(clean) != 0:
            print("self-test: the tree without them must pass")
            return 1
    print("self-test: passed")
    return 0


def main():
    parser = argparse.ArgumentParser(description="Checks the direction of includes in src/stride.")
    parser.add_argument("root", nargs="?", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--self-test", action="store_true",
                        help="check that planted violations are found")
    arguments = parser.parse_args()
    return self_test() if arguments.self_test else run(arguments.root)


if __name__ == "__main__":
    sys.exit(main())
