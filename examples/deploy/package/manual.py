#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manual page of a program, and how shells complete its words, from what its --help says:
manual.py PROGRAM DIR

DIR gets the files at the places below /usr where manual pages and completions belong."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import completions
import helptext


def quoted(text):
    """Text that roff prints as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text)


def synopsis(name, way):
    """A way to call a program: what is typed as it is, bold; what stands for something, slanted."""
    marked = re.sub(
        r"(?<![\w-])([A-Z]+)(?![\w-])|(?<![\w/-])(-{0,2}[a-z][\w-]*)(?!\w)",
        lambda m: f"\\fI{m[1]}\\fR" if m[1] else f"\\fB{m[2]}\\fR",
        way,
    )
    return f".B {quoted(name)}\n{marked.replace('-', chr(92) + '-')}\n.br"


def item(term, value, about):
    value = f" \\fI{quoted(value)}\\fR" if value else ""
    return f".TP\n\\fB{quoted(term)}\\fR{value}\n{quoted(about)}."


def page(program, version):
    when = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    date = time.strftime("%Y-%m-%d", when)
    about = program.about.rstrip(".")
    lines = [
        f'.TH {program.name.upper()} 1 {date} "sluice {version}" "User Commands"',
        f".SH NAME\n{quoted(program.name)} \\- {quoted(about[0].lower() + about[1:])}",
        ".SH SYNOPSIS\n.nh\n.ad l",
        *(synopsis(program.name, way) for way in program.ways),
        ".ad b",
    ]
    if program.commands:
        lines.append(".SH COMMANDS")
        for command in program.commands:
            listed = all(command.name != way.split(" ")[0] for way in program.ways)
            value = command.ways[0] if listed and command.ways else ""
            lines.append(item(command.name, value, command.about))
    lines.append(".SH OPTIONS")
    lines += [item(o.name, o.value, o.about) for o in program.options]
    if program.exits:
        lines.append(f".SH EXIT STATUS\n{quoted(program.exits)}.")
    return "\n".join(lines) + "\n"


def said_by(program, *words):
    return subprocess.run(
        [program, *words], check=True, capture_output=True, text=True
    ).stdout


def main(path, to):
    name = Path(path).name
    program = helptext.parse(name, said_by(path, "--help"))
    version = said_by(path, "--version").split()[1]
    files = {f"share/man/man1/{name}.1": page(program, version)}
    files |= completions.files(program)
    for place, text in files.items():
        file = Path(to) / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
