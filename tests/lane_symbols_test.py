"""Checks that nothing in the lane objects can be merged by the linker with code of another instruction set.

A weak symbol that is not in the lanes' own namespace could be taken from the AVX-512 object and run on any
processor. Usage: lane_symbols_test.py OBJECT...   (or --self-test)
"""
import re
import subprocess
import sys


def foreign(listing):
    """Weak or unique symbols of `nm -C` output that carry no lanes_ namespace."""
    return [line for line in listing.splitlines()
            if re.match(r"^[0-9a-f]* [WVuw] ", line) and "lanes_" not in line]


def main():
    if sys.argv[1:] == ["--self-test"]:
        good = "0000 W void stride::F<stride::lanes_avx2::Lanes>()\n     U memset\n0000 T stride::KernelAvx2()"
        bad = good + "\n0000 W std::vector<float>::size() const"
        sys.exit(0 if not foreign(good) and len(foreign(bad)) == 1 else 1)
    if len(sys.argv) < 2:
        sys.exit("expected lane objects")
    found = 0
    for path in sys.argv[1:]:
        listing = subprocess.run(["nm", "-C", path], check=True, capture_output=True, text=True).stdout
        if "lanes_" not in listing:
            sys.exit(f"{path}: holds no lane code")
        for line in foreign(listing):
            print(f"{path}: {line}")
            found += 1
    sys.exit(1 if found else 0)


main()
