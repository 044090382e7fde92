#!/usr/bin/env python3
"""Checks what programs link: link_test.py STRIDE EXAMPLE...

Who embeds a controller with the native engine links no MPI, no MuJoCo, no ODE, no Bullet, no Boost and not the viewer's
page. The command line links them all: if it is not found to, the test itself is blind.
"""
import re
import subprocess
import sys

LIBRARIES = ("libmpi", "libmujoco", "libode", "libBulletDynamics-float64")
# Boost and the page are compiled in.
SYMBOLS = {"MPI": r" U MPI_\w+", "MuJoCo": r" U mj_\w+", "Boost": r" boost::",
           "the page": r" stride_viewer_page$"}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def found_in(program):
    """What of LIBRARIES and SYMBOLS the program holds."""
    libraries = output("ldd", program)
    symbols = output("nm", "-C", program)
    if "stride::" not in symbols:
        sys.exit(f"{program} has no symbols to look at")
    found = {name for name in LIBRARIES if name + "." in libraries}
    found |= {"libboost"} if "libboost" in libraries else set()
    return found | {name for name, pattern in SYMBOLS.items()
                    if re.search(pattern, symbols, re.MULTILINE)}


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    failed = False
    missing = (set(LIBRARIES) | set(SYMBOLS)) - found_in(sys.argv[1])
    if missing:
        print(f"{sys.argv[1]}: expected to link {', '.join(sorted(missing))}")
        failed = True
    for program in sys.argv[2:]:
        found = found_in(program)
        if found:
            print(f"{program}: links {', '.join(sorted(found))}; expected none of them")
            failed = True
    sys.exit(1 if failed else 0)


main()
