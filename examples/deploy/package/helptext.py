# SPDX-License-Identifier: Apache-2.0
"""What a program's --help says, taken apart: manual pages and completions are made of it.

The form is that of sluice-sim, sluice-trace and sluice-conform: ways to call it; what it is for, in
one sentence; lists of commands and options, indented by two, with two blanks or more between a word
and what is said of it; and the exit status."""

import re
from dataclasses import dataclass, field

ITEM = re.compile(r"  (\S.*?) {2,}(\S.*)")
OPTION = re.compile(r"(?<![\w-])(--?[a-z]+)(?: ([^\s\]]+))?")
CHOICES = re.compile(r"[\w-]+(\|[\w-]+)+|[a-z]+")


@dataclass
class Option:
    name: str
    value: str = ""  # how the value is called, or one|other; empty: it takes none
    about: str = ""

    def choices(self):
        return self.value.split("|") if CHOICES.fullmatch(self.value) else []


@dataclass
class Command:
    name: str
    about: str = ""
    ways: list = field(default_factory=list)  # what may follow the name


@dataclass
class Program:
    name: str
    ways: list  # to call it: what may follow the name
    about: str = ""
    commands: list = field(default_factory=list)
    options: list = field(default_factory=list)
    exits: str = ""

    def options_of(self, command):
        """Those that the ways to call a command name."""
        named = list(OPTION.finditer(" ".join(command.ways)))
        about = {option.name: option.about for option in self.options}
        return [Option(m[1], m[2] or "", about.get(m[1], "")) for m in named]


def parse(name, said):
    lines = said.removeprefix("usage: ").splitlines()
    end = lines.index("")
    program = Program(name, ways_of(name, lines[:end]))
    item = None
    for line in lines[end + 1 :]:
        if match := ITEM.fullmatch(line):
            item = add(program, match[1], match[2])
        elif item and line.startswith("   "):
            item.about += " " + line.strip()
        elif program.exits or line.startswith("exit status: "):
            words = line.removeprefix("exit status: ")
            program.exits = f"{program.exits} {words}".strip()
        elif line:
            program.about = f"{program.about} {line}".strip()
    for command in program.commands:
        for way in program.ways:
            first, _, rest = way.partition(" ")
            if first == command.name:
                command.ways.append(rest)
    return program


def ways_of(name, lines):
    """A line that does not begin with the name goes on with the one before."""
    ways = []
    for line in lines:
        words = line.split()
        if words[0] == name:
            ways.append(words[1:])
        else:
            ways[-1] += words
    return [" ".join(words) for words in ways]


def add(program, term, about):
    """A line of a list: of an option, or of a command with what may follow it."""
    if match := OPTION.fullmatch(term):
        program.options.append(Option(match[1], match[2] or "", about))
        return program.options[-1]
    name, _, rest = term.partition(" ")
    program.commands.append(Command(name, about, [rest] if rest else []))
    return program.commands[-1]
