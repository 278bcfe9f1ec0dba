# SPDX-License-Identifier: Apache-2.0
"""What the rules of the house look at: the files of the tree, and what is in the build."""

import os
import re
import shutil
import subprocess
from pathlib import Path

BUILD = Path(os.environ.get("SLUICE_BUILD", "build"))


class Skip(Exception):
    """The rule cannot be looked at here; says why."""


def run(*command):
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    done = subprocess.run(command, check=False, **both)
    return done.returncode, done.stdout


def complaints_of(*command):
    if not shutil.which(command[0]):
        raise Skip(f"{command[0]} is not installed")
    status, output = run(*command)
    return output.splitlines() or [f"{command[0]}: exit {status}"] if status else []


def all_files():
    tracked = "git ls-files --cached --others --exclude-standard"
    status, output = run(*tracked.split())
    if status == 0:
        return sorted(p for p in map(Path, set(output.splitlines())) if p.is_file())
    ignored = {"build", ".git", ".ruff_cache", "__pycache__"}
    files = (p for p in Path().rglob("*") if p.is_file())
    return sorted(p for p in files if not ignored & set(p.parts))


FILES = all_files()
C = [p for p in FILES if p.suffix in (".c", ".h")]


def built(name):
    return str((BUILD / name).resolve(strict=True))


def text_of(path):
    return path.read_text(errors="replace")


def nm(name, *options):
    return run("nm", "-P", *options, built(name))[1].splitlines()


def shebang(path):
    first = text_of(path).partition("\n")[0] + "\n"
    return first if first.startswith("#!") else ""


def scripts(word, suffix):
    return [p for p in FILES if p.suffix == suffix or word in shebang(p)]


SHELL, PYTHON = scripts("sh\n", ".sh"), scripts("python", ".py")
SOURCES = C + SHELL + PYTHON + [p for p in FILES if p.suffix == ".go"]


def code_of(path):
    """The text of a C file with comments and what stands in quotes blanked out."""
    junk = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"' + r"|'(?:\\.|[^'\\\n])*'"
    text = text_of(path)
    return re.sub(junk, lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.DOTALL)


def lines_with(pattern, files, text=text_of):
    for path in files:
        for number, line in enumerate(text(path).splitlines(), 1):
            if match := re.search(pattern, line):
                yield path, number, match
