"""What the tests of the command line share: running the program as a user would."""

import json
import os
import subprocess
import sys
import unittest

CRASHES = (-6, -8, -11, 134, 136, 139)


class Case(unittest.TestCase):
    stride = ""  # the program, set by main()

    def run_stride(self, *arguments, **options):
        done = subprocess.run([self.stride, *arguments], capture_output=True, text=True, timeout=120,
                              **options)
        self.assertNotIn(done.returncode, CRASHES, f"{arguments} crashed: {done.stderr}")
        return done

    def succeed(self, *arguments, **options):
        done = self.run_stride(*arguments, **options)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")
        return done

    def json_of(self, *arguments, **options):
        """The one object on standard output."""
        result = json.loads(self.succeed(*arguments, "--json", **options).stdout)
        self.assertIsInstance(result, dict)
        return result

    def refuse(self, arguments, *words, code=1):
        """Fails with the code, prints nothing on standard output, and one error with all the words."""
        done = self.run_stride(*arguments)
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stderr}")
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("stride: error: "), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)


def main(usage):
    """Runs the calling file's tests: FILE STRIDE [CLASS...]."""
    if len(sys.argv) < 2:
        sys.exit(usage)
    Case.stride = os.path.abspath(sys.argv.pop(1))
    unittest.main()
