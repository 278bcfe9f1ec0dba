#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts what was built into packages of Debian's and of RPM's kind, by nfpm. `build` calls it."""

import argparse
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from email.utils import formatdate
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "image"))
import contents

# Where zsh looks: everywhere, and on Debian.
DEBIAN_ZSH = ("share/zsh/site-functions", "share/zsh/vendor-completions")
APACHE = re.compile(
    r" *Apache License\s+Version 2\.0, January 2004.*?incurred by,\s+or claims asserted.*?"
    r"liability\.(\s*END OF TERMS AND CONDITIONS)?",
    re.DOTALL,
)
ON_DEBIAN = "License: Apache-2.0, as in /usr/share/common-licenses/Apache-2.0 on Debian"
QUEUES = """\
sluice holds pods of Kubernetes behind a scheduling gate until their queue has
room for them, so that no autoscaler buys nodes for pods that may not run."""


@dataclass
class Package:
    """Its files are by their place below /, each with where it is: below the work folder or, with
    a ./ before it, in the tree."""

    name: str
    section: str
    about: str
    more: str
    files: dict
    manuals: list = field(default_factory=list)  # what it has of the folder of manuals
    beside: list = field(default_factory=list)  # packages of ours, of the same version
    rpm: str = ""  # its name there, if it is another one
    suggests: list = field(default_factory=list)
    provides: list = field(default_factory=list)  # told to RPM


PACKAGES = [
    Package(
        "libsluice", "libs", "queues for the Kubernetes scheduler (library)",
        "This is the library with the decisions. A host opens it by dlopen, as\n"
        "sluice-scheduler and sluice-sim do; nothing is linked with it.",
        {"usr/lib/sluice/sluice.so": "sluice.so"},
    ),
    Package(
        "libsluice-dev", "libdevel", "queues for the Kubernetes scheduler (header)",
        "This is the header of the library, a file for pkg-config that says where the\n"
        "library is, and the protocol of its messages.",
        {"usr/include/sluice.h": "./abi/sluice.h",
         "usr/share/pkgconfig/sluice.pc": "sluice.pc",
         "usr/share/doc/libsluice-dev/PROTOCOL.md": "./abi/PROTOCOL.md",
         "usr/share/doc/libsluice-dev/VERSIONS.md": "./abi/VERSIONS.md"},
        beside=["libsluice"], rpm="libsluice-devel", provides=["pkgconfig(sluice)"],
        suggests=["sluice-tools"],
    ),
    Package(
        "sluice-tools", "admin", "queues for the Kubernetes scheduler (tools)",
        "These are sluice-sim, which plays queues, pods and nodes in simulated time,\n"
        "kubectl-sluice, which shows and changes the queues of a cluster, and\n"
        "sluice-conform, which proves that a library keeps the ABI.",
        {"usr/bin/sluice-sim": "sluice-sim",
         "usr/bin/sluice-conform": "sluice-conform",
         "usr/bin/kubectl-sluice": "kubectl-sluice",
         "usr/bin/kubectl_complete-sluice": "./examples/kubectl-sluice/kubectl_complete-sluice",
         "usr/share/doc/sluice-tools/examples/three-pods.yaml":
             "./examples/scenarios/three-pods-on-bind.yaml"},
        manuals=["sluice-sim", "sluice-conform", "kubectl-sluice"],
        beside=["libsluice"],
    ),
    Package(
        "sluice-trace", "admin", "queues for the Kubernetes scheduler (tracer)",
        "This is sluice-trace, which tells by eBPF where a gated pod's time went, on a\n"
        "scheduler that runs.",
        {"usr/bin/sluice-trace": "sluice-trace"},
        manuals=["sluice-trace"], suggests=["libsluice"],
    ),
]  # fmt: skip


def packed(data):
    return gzip.compress(data, compresslevel=9, mtime=0)


class Builder:
    def __init__(self, args):
        self.args, self.work, self.root = args, args.work, args.root
        self.when = int(os.environ["SOURCE_DATE_EPOCH"])
        self.maintainer = f"{os.environ['DEBFULLNAME']} <{os.environ['DEBEMAIL']}>"

    def source(self, place):
        inside = place.startswith("./")
        return (self.root if inside else self.work) / place

    def manuals(self, package):
        """Pages of its programs and of their subcommands, packed as they are read; completions."""
        found = {}
        for path in sorted((self.work / "manuals").rglob("*")):
            stem = path.name.removeprefix("_").split(".")[0]
            owners = [
                m for m in package.manuals if stem == m or stem.startswith(m + "-")
            ]
            if not path.is_file() or not owners:
                continue
            place = f"usr/{path.relative_to(self.work / 'manuals')}"
            is_page = "/man/" in place
            found[place + ".gz" * is_page] = (
                packed(path.read_bytes()) if is_page else path.read_bytes()
            )
        if "usr/bin/kubectl_complete-sluice" in package.files:
            also = packed(b".so man1/kubectl-sluice.1\n")
            found["usr/share/man/man1/kubectl_complete-sluice.1.gz"] = also
        return found

    def changelog(self, package):
        date = formatdate(self.when, usegmt=False)
        return (
            f"{package.name} ({self.args.version}-1) unstable; urgency=medium\n\n"
            "  * See changelog.gz beside this file.\n\n"
            f" -- {self.maintainer}  {date}\n"
        )

    def copyright(self, package, kind):
        """How the package may be used: our licence, and those of what is compiled into it."""
        words = [
            f"{package.name} is part of sluice {self.args.homepage}".rstrip() + "\n",
            f"Copyright (c) {time.gmtime(self.when).tm_year} the authors of sluice\n",
            (self.root / "LICENSE").read_text(),
        ]
        if package.name == "sluice-trace":
            words.append(
                "The eBPF program in it, instead: GPL-2.0-only or BSD-2-Clause.\n"
            )
            words.append(
                "On Debian the former is in /usr/share/common-licenses/GPL-2.\n"
            )
        if "usr/bin/kubectl-sluice" in package.files:
            program, module = (
                self.work / "kubectl-sluice",
                self.root / "examples/kubectl-sluice",
            )
            words += contents.notices(program, module, self.args.arch)
        # Debian has the long text on every machine, and wants it nowhere else.
        text = "\n".join(words)
        return APACHE.sub(ON_DEBIAN, text) if kind == "deb" else text

    def files(self, package, kind):
        """All that the package has: bytes by their place, without the first slash."""
        doc = f"usr/share/doc/{package.name}"
        found = {p: self.source(s).read_bytes() for p, s in package.files.items()}
        found |= self.manuals(package)
        found[f"{doc}/copyright"] = self.copyright(package, kind).encode()
        found[f"{doc}/changelog.gz"] = packed((self.root / "CHANGELOG.md").read_bytes())
        if kind == "deb":
            found[f"{doc}/changelog.Debian.gz"] = packed(
                self.changelog(package).encode()
            )
            return {place.replace(*DEBIAN_ZSH): data for place, data in found.items()}
        return found

    def stage(self, package, kind):
        """Files on disk, as nfpm takes them, and what it is to make of each."""
        stage = self.work / "stage" / package.name
        shutil.rmtree(stage, ignore_errors=True)
        for place, data in sorted(self.files(package, kind).items()):
            file = stage / place
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
            file.chmod(0o755 if place.startswith("usr/bin/") else 0o644)
            yield ({"type": self.sort(place)} if kind == "rpm" else {}) | {
                "src": str(file),
                "dst": f"/{place}",
                "file_info": {
                    "mode": file.stat().st_mode & 0o777,
                    "mtime": time.strftime(
                        "%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.when)
                    ),
                },
            }

    def sort(self, place):
        """What RPM is told of a file."""
        if place.endswith("/copyright"):
            return "license"
        return "doc" if "/doc/" in place or "/man/" in place else ""

    def elves(self, package):
        stage = self.work / "stage" / package.name
        files = (stage / place for place in package.files)
        return [file for file in files if file.read_bytes()[:4] == b"\x7fELF"]

    def depends(self, package):
        """What its programs and its library name: for Debian by dpkg's tool, else by RPM's."""
        elves = [str(file) for file in self.elves(package)]
        if not elves:
            return [], []
        control = self.work / "control/debian"
        control.mkdir(parents=True, exist_ok=True)
        (control / "control").write_text(
            "Source: sluice\n\nPackage: sluice\nArchitecture: any\n"
        )
        said = contents.run(
            "dpkg-shlibdeps",
            "-O",
            *(f"-e{file}" for file in elves),
            cwd=control.parent,
            stderr=subprocess.DEVNULL,
        )
        debian = said.strip().removeprefix("shlibs:Depends=").split(", ")
        needs = contents.run("/usr/lib/rpm/elfdeps", "--requires", *elves)
        return debian, sorted(set(needs.split()))

    def config(self, package, kind):
        files = list(self.stage(package, kind))
        about = f"{QUEUES}\n\n{package.more}"
        debian, rpm = self.depends(package)
        same = (
            f"(= {self.args.version}-1)"
            if kind == "deb"
            else f"= {self.args.version}-1"
        )
        return {
            "name": package.rpm if kind == "rpm" and package.rpm else package.name,
            "arch": self.args.arch,
            "platform": "linux",
            "version": self.args.version,
            "version_schema": "none",
            "release": "1",
            "section": package.section,
            "priority": "optional",
            "maintainer": self.maintainer,
            "vendor": "sluice",
            "homepage": self.args.homepage,
            "license": "Apache-2.0",
            "description": f"{package.about}\n{about}" if kind == "deb" else about,
            "mtime": files[0]["file_info"]["mtime"],
            "depends": (debian if kind == "deb" else rpm)
            + [f"{name} {same}" for name in package.beside],
            "suggests": package.suggests,
            "provides": package.provides if kind == "rpm" else [],
            "contents": files,
            "deb": {"compression": "xz"},
            "rpm": {
                "compression": "xz",
                "summary": package.about[0].upper() + package.about[1:],
                "buildhost": "sluice",
                "group": "Applications/System",
            },
        }

    def make(self, package, kind):
        config = self.work / f"{package.name}.{kind}.json"
        config.write_text(json.dumps(self.config(package, kind), indent=1))
        said = contents.run(
            self.work / "nfpm", "package", "--config", config, "--packager", kind, "--target",
            f"{self.args.out}/", stderr=subprocess.STDOUT,
        )  # fmt: skip
        return Path(said.strip().splitlines()[-1].rpartition(": ")[2])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", required=True)
    parser.add_argument("--homepage", required=True)
    parser.add_argument("--arch", required=True, choices=sorted(contents.CPU))
    for folder in ("work", "out", "root"):
        parser.add_argument(f"--{folder}", required=True, type=Path)
    args = parser.parse_args()
    for kind in ("deb", "rpm"):
        for old in args.out.glob(f"*.{kind}"):
            old.unlink()
        for package in PACKAGES:
            file = Builder(args).make(package, kind)
            print(f"packages: {file.name}: {file.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
