# SPDX-License-Identifier: Apache-2.0
"""What scripts share that break the engine, one line in a copy of its sources, to see that a story
which guards the rule there fails."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

COMPILE = [
    "-c",
    "-O1",
    "-std=c11",
    "-fPIC",
    "-w",
    "-I.",
]
SOURCES = ["plugin", "hooks", "abi/msg"]


# A story that takes more processor time than this does not end.
ENDLESS = 60


def shell(*command, cwd):
    return subprocess.run(
        command,
        check=False,
        cwd=cwd,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


class Copy:
    """A copy of the library's sources, each with its object, and what they link to."""

    def __init__(self, root, path):
        self.root, self.path = root, path
        self.cc = os.environ.get("CC", "cc").split()
        for folder in [*SOURCES, "abi"]:
            for file in (root / folder).rglob("*.[chs]*"):
                target = path / file.relative_to(root)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, target)
        version = (root / "abi/version.c.in").read_text()
        (path / "hooks/version.c").write_text(version.replace("@VCS_TAG@", "bite"))
        self.sources = [
            str(file.relative_to(path))
            for f in SOURCES
            for file in (path / f).rglob("*.c")
        ]

    def compile(self, source):
        out = source.replace("/", "_") + ".o"
        done = shell(*self.cc, *COMPILE, source, "-o", out, cwd=self.path)
        if done.returncode:
            sys.exit(f"Bail out! {source} does not compile:\n{done.stdout}")
        return out

    def compile_all(self):
        with ThreadPoolExecutor(2) as pool:
            self.objects = dict(zip(self.sources, pool.map(self.compile, self.sources)))

    def link(self):
        done = shell(
            *self.cc, "-shared", "-o", "sluice.so", *self.objects.values(),
            "-Wl,--version-script,abi/sluice.syms", "-Wl,-z,nodelete", "-lmsgpackc", "-lpthread",
            cwd=self.path,
        )  # fmt: skip
        if done.returncode:
            sys.exit(f"Bail out! the library does not link:\n{done.stdout}")

    def build_broken(self, source, old, new):
        """False: the line is not there, or is there twice."""
        path = self.path / source
        whole = path.read_text()
        if whole.count(old) != 1:
            return False
        path.write_text(whole.replace(old, new))
        self.compile(source)
        self.link()
        path.write_text(whole)
        return True

    def tell(self, sim, story, removal):
        file = self.root / "examples/scenarios" / f"{story}.yaml"
        told = shell(
            "prlimit", f"--cpu={ENDLESS}",
            sim, "run", "--quiet", "--lib", self.path / "sluice.so", "--removal", removal, file,
            cwd=self.root,
        )  # fmt: skip
        if told.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return subprocess.CompletedProcess(told.args, 2, "it does not end")
        return told


class Sabotage:
    def __init__(self, title):
        self.name = title.removesuffix("*").strip()
        self.quick = title.endswith("*")
        self.file = None
        self.hunks = []  # what stands there, what is put there

    def read(self, line):
        if line.startswith("-"):
            if not self.hunks or self.hunks[-1][1]:
                self.hunks.append(([], []))
            self.hunks[-1][0].append(line[1:])
        elif line.startswith("+"):
            self.hunks[-1][1].append(line[1:])
        else:
            self.file = line

    def broken(self, text):
        """None: what is to be broken is not there, or there twice."""
        for old, new in self.hunks:
            old = "\n".join(old)
            if text.count(old) != 1:
                return None
            text = text.replace(old, "\n".join(new))
        return text


def sabotages(path):
    """Those of a list: "== NAME", a * behind it for the quick share, the file, what stands there
    (-, once), what is put there (+)."""
    found = []
    for line in path.read_text().splitlines():
        if line.startswith("== "):
            found.append(Sabotage(line[3:]))
        elif line and not line.startswith("#"):
            found[-1].read(line)
    return found


def main(breaches, table):
    """Each breach: story, removal, how it is broken as the table has it, file, what stands there
    (once), what is put there, what the failure must show."""
    root = Path(__file__).resolve().parent.parent
    build = Path(os.environ.get("SLUICE_BUILD", root / "build")).resolve()
    sim = os.environ.get("SLUICE_SIM", build / "sluice-sim")
    points = failures = 0

    def point(passed, name, said):
        nonlocal points, failures
        points += 1
        failures += not passed
        print(f"{'ok' if passed else 'not ok'} {points} - {name}", flush=True)
        if not passed:
            print("\n".join(f"# {line}" for line in said.splitlines()[:20]))

    with tempfile.TemporaryDirectory() as scratch:
        copy = Copy(root, Path(scratch))
        copy.compile_all()
        copy.link()
        for story, removal in sorted({breach[:2] for breach in breaches}):
            told = copy.tell(sim, story, removal)
            point(told.returncode == 0, f"{story}, {removal}, holds", told.stdout)
        for story, removal, words, source, old, new, shows in breaches:
            name = f"{story}, {removal}, fails: {words}"
            if not copy.build_broken(source, old, new):
                point(False, name, f"this is not once in {source}: {old}")
                continue
            told = copy.tell(sim, story, removal)
            fails = told.returncode in (1, 2) and shows in " ".join(told.stdout.split())
            point(fails, name, f"want {shows}\n{told.stdout}")
            copy.compile(source)

    rows = (root / "examples/scenarios" / table).read_text()
    told = re.findall(r"\| ([^|]+) \((\w+\.c)\) \|$", rows, re.MULTILINE)
    done = [(words, Path(source).name) for _, _, words, source, *_ in breaches]
    wrong = set(told).symmetric_difference(done)
    point(told == done, f"{table} tells the same", "\n".join(map(str, wrong)))

    print(f"1..{points}")
    return failures > 0
