#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes examples/deploy/THIRD-PARTY.md, of what others made in what is shipped: third_party.py

With --check it says what differs from the file that is there, and writes nothing. The words
themselves are in the images and in the packages, by the same functions."""

import difflib
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent.parent
sys.path.insert(0, str(ROOT / "examples/deploy/image"))
import contents

FILE = ROOT / "examples/deploy/THIRD-PARTY.md"
PROGRAMS = {
    "sluice-scheduler": ("examples/kube-scheduler", "."),
    "sluice-manager": ("examples/kube-scheduler", "./sluice-manager"),
    "kubectl-sluice": ("examples/kubectl-sluice", "."),
}
HEAD = """\
# What others made

sluice is under Apache-2.0. What is shipped has in it, besides:

| | | licence |
|---|---|---|
| `sluice.so`, `sluice-sim`, `sluice-conform` | what stands in the headers of msgpack-c | BSL-1.0 |
| the eBPF program of `sluice-trace` | what stands in the headers of libbpf | {LIBBPF} |
| `sluice-trace` | the loader that bpftool writes | {LIBBPF} |
| the images | files of Debian's packages libc6 and ca-certificates | {DEBIAN} |
| the programs in Go | Go's library and runtime | BSD-3-Clause |

and modules of Go, those below. The words are in the images, `usr/share/doc/sluice/modules`, in \
the packages, `/usr/share/doc/sluice-tools/copyright`, and in the archives for krew, `LICENSE`. \
What a package depends on is Debian's or the distribution's, and not in it; nor is msgpack in \
the wheel.

`examples/deploy/package/third_party.py` writes this page, of the first Kubernetes that \
`examples/kube-scheduler/kubernetes` prints, and `t/third_party` looks whether it is right. The \
bills of materials of the images have the same modules.

"""
WORDS = {
    "LIBBPF": "LGPL-2.1-only OR BSD-2-Clause",
    "DEBIAN": "in `usr/share/doc/*/copyright` of the image",
}


def go_modules(folder, package):
    """The version and the licences of each module of a program, by its path."""
    version = "{{with .Replace}}{{.Version}}{{else}}{{.Version}}{{end}}"
    form = "{{with .Module}}{{.Path}}\t" + version + "{{end}}"
    env = dict(os.environ, GOARCH="amd64", GOOS="linux", CGO_ENABLED="0")
    where = {"cwd": ROOT / folder, "env": env}
    told = contents.run(contents.go(), "list", "-deps", "-f", form, package, **where)
    lines = (line.split("\t") for line in told.splitlines() if "\t" in line)
    # Those of this tree have no version.
    versions = {
        path: version for path, version in lines if not path.startswith("sluice/")
    }
    words = contents.licences(ROOT / folder, package, versions.keys(), "amd64")
    licences = contents.declared(words)
    for path in versions:
        if path not in licences:
            raise SystemExit(f"third_party: nobody knows how {path} may be used")
    return {path: (version, licences[path]) for path, version in versions.items()}


def page():
    of = {name: go_modules(*where) for name, where in PROGRAMS.items()}
    lines = [
        f"| module | version | licence | {' | '.join(of)} |",
        "|---" * (3 + len(of)) + "|",
    ]
    for path in sorted(set().union(*of.values())):
        version, licence = next(found[path] for found in of.values() if path in found)
        has = " | ".join("x" if path in found else "" for found in of.values())
        lines.append(f"| {path} | {version} | {licence} | {has} |")
    return HEAD.format(**WORDS) + "\n".join(lines) + "\n"


def main(words):
    text = page()
    if words == ["--check"]:
        there = FILE.read_text() if FILE.exists() else ""
        differs = difflib.unified_diff(
            there.splitlines(), text.splitlines(), lineterm="", n=0
        )
        sys.exit("\n".join(differs) or 0)
    if words:
        sys.exit(__doc__)
    FILE.write_text(text)


if __name__ == "__main__":
    main(sys.argv[1:])
