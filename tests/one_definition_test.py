#!/usr/bin/env python3
"""No two classes of one name in one namespace: one_definition_test.py [--self-test].

Two files that never see each other may each define stride::Fragment. Nothing tells: the linker keeps one
of each inline function, std::vector<Fragment>'s copy among them, for both.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OPEN = re.compile(r"^(?:inline )?namespace ?([\w:]*) ?\{")
CLOSE = re.compile(r"^\}  // (?:namespace|inline namespace)")
TYPE = re.compile(r"^(?:struct|class|enum class|enum|union) (?:alignas\([^)]*\) )?(\w+)(?: final)?(?: :[^:;]*)? ?\{")


def types_of(text):
    """Names with their namespaces, of what is defined at a namespace's top level and not hidden."""
    spaces, found = [], []
    for line in text.splitlines():
        if opened := OPEN.match(line):
            spaces.append(opened[1])  # "": an anonymous one
        elif CLOSE.match(line) and spaces:
            spaces.pop()
        elif (named := TYPE.match(line)) and "" not in spaces:
            found.append("::".join([*spaces, named[1]]))
    return found


def doubles(files):
    """(name, file, file) of what two files define; files: name and text."""
    first, twice = {}, []
    for name, text in files:
        for each in types_of(text):
            if each in first and first[each] != name:
                twice.append((each, first[each], name))
            first.setdefault(each, name)
    return twice


def self_test():
    one = "namespace stride {\nstruct A {\n};\nnamespace {\nclass B {\n};\n}  // namespace\n}  // namespace stride\n"
    other = "namespace stride {\nnamespace {\nclass B {\n};\n}  // namespace\nclass A final : public C {\n};\n}  // namespace stride\n"
    apart = "namespace stride::x {\nstruct A {\n};\n}  // namespace stride::x\n"
    assert doubles([("1", one), ("2", other)]) == [("stride::A", "1", "2")]
    assert doubles([("1", one), ("2", apart)]) == []


def main():
    if "--self-test" in sys.argv:
        self_test()
        return
    files = [(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8"))
             for folder in ("src", "apps") for path in sorted((ROOT / folder).rglob("*"))
             if path.suffix in (".h", ".cc")]
    found = doubles(files)
    for name, one, other in found:
        print(f"one_definition_test: {name} is defined in {one} and in {other}; rename one, or put it "
              "into an anonymous namespace")
    if len(files) < 100 or found:
        sys.exit(1)


if __name__ == "__main__":
    main()
