# SPDX-License-Identifier: Apache-2.0
"""JSON schemas of the tree, and points of TAP, for the tests that compare documents with them."""

import json
import sys
from pathlib import Path

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(
        f"1..0 # SKIP {missing.name} is missing: apt-get install python3-{missing.name}"
    )
    sys.exit()

# Those who use this have yaml from here: where it is missing, they are skipped.
__all__ = ["Schema", "Tap", "yaml"]

ROOT = Path(__file__).resolve().parent.parent


class Tap:
    def __init__(self):
        self.points = self.failures = 0

    def point(self, name, wrong):
        self.points += 1
        self.failures += bool(wrong)
        print(f"{'not ' if wrong else ''}ok {self.points} - {name}", flush=True)
        for line in wrong:
            print(f"# {line}")


class Schema:
    def __init__(self, path):
        self.whole = json.loads((ROOT / path).read_text())
        jsonschema.Draft7Validator.check_schema(self.whole)
        self.validator = jsonschema.Draft7Validator(self.whole)

    def complaints(self, document):
        return [
            f"{'/'.join(map(str, e.absolute_path))}: {e.message[:150]}"
            for e in self.validator.iter_errors(document)
        ]

    def words(self, path):
        at = self.whole
        for part in path.split("/"):
            at = at[int(part)] if isinstance(at, list) else at[part]
        return set(at)
