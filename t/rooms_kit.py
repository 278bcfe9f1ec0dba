# SPDX-License-Identifier: Apache-2.0
"""Who calls and includes whom in plugin/ and hooks/, by file and by room.

A unit is a source with its header: plugin/claim is claim.c and claim.h. What a function
of a header does is its header's doing. A use is a call, or a function's or table's
address. They are read from objects compiled without optimization, one section for each
function, so the caller is known, and nothing is inlined.
"""

import os
import re
import subprocess
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

FLAGS = "-std=c11 -w -O0 -ffunction-sections -fdata-sections -DSLUICE_PROBES -I. -c"
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
INLINE = re.compile(r"^static inline [^;{=]*?\b(\w+)\(", re.MULTILINE)
STRUCT = re.compile(r"^struct (\w+) \{\n(.*?)^\};", re.MULTILINE | re.DOTALL)
SECTION = re.compile(r"Relocation section '\.rela(\.\S+)'")
RELOCATION = re.compile(r"^[0-9a-f]+\s+[0-9a-f]+ R_\w+\s+[0-9a-f]+ (\S+)")
KINDS = r"^\.(?:text|rodata|bss|data(?:\.rel)?(?:\.ro)?(?:\.local)?)\."

# What changes something that is kept in a room's struct: e->ROOM.FIELD, or what is there.
KEPT = r"\be->(\w+)\.[\w.\[\]]+"
CHANGES = re.compile(
    rf"(?:\+\+|--){KEPT}|{KEPT}\s*(?:=(?!=)|[-+|&]=|\+\+|--)"
    r"|\b(?:heap_(?:set|clear|reserve)|index_(?:put|drop|reserve)"
    r"|slab_(?:take|give|reserve)|(?:tree|pairing)_(?:insert|remove\w*))"
    rf"\([^;{{}}()]*?&{KEPT}"
)


@dataclass(frozen=True)
class Use:
    """A function of one unit uses a function or a table of another one."""

    caller: str
    function: str
    callee: str
    name: str


@dataclass(frozen=True)
class Struct:
    name: str
    header: Path
    fields: int
    readers: int  # sources that include it, by whatever way


def unit_of(path):
    return str(Path(path).with_suffix(""))


def sources(folders=("plugin", "hooks")):
    found = (p for folder in folders for p in Path(folder).rglob("*.[ch]"))
    return sorted(found)


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def changes(text):
    """The lines that change what a room keeps, and whose that is."""
    for match in CHANGES.finditer(text):
        yield text.count("\n", 0, match.end()) + 1, next(filter(None, match.groups()))


def include_graph(files):
    """Each file and the files of ours that it includes."""
    graph = {}
    for path in files:
        named = INCLUDE.findall(path.read_text())
        both = ((path.parent / name, Path(name)) for name in named)
        places = (next((p for p in pair if p.exists()), None) for pair in both)
        graph[path] = {Path(os.path.normpath(p)) for p in places if p}
    return graph


def reached(graph, start):
    seen, todo = set(), [start]
    while todo:
        for target in graph.get(todo.pop(), ()):
            if target not in seen:
                seen.add(target)
                todo.append(target)
    return seen


def structs(files):
    """The structs of the headers, the largest first."""
    graph = include_graph(files)
    seen_by = defaultdict(int)
    for path in files:
        if path.suffix == ".c":
            for header in reached(graph, path):
                seen_by[header] += 1
    found = []
    for path in files:
        if path.suffix != ".h":
            continue
        for name, body in STRUCT.findall(without_comments(path.read_text())):
            # A nested struct's fields count as its own; `a, b;` are two.
            fields = sum(line.count(",") + 1 for line in declarations(body))
            found.append(Struct(name, path, fields, seen_by[path]))
    return sorted(found, key=lambda s: (-s.fields, s.name))


def declarations(body):
    for piece in body.split(";"):
        piece = re.sub(r"\([^()]*\)|\{|\}", "", piece.strip())
        if re.search(r"\w\s+\**\(?\w|\w \*", piece):
            yield piece


def compiled(path, into):
    """The relocations of a source: section, symbol."""
    target = into / (unit_of(path).replace("/", "_") + ".o")
    compiler = os.environ.get("CC", "cc").split()
    command = [*compiler, *FLAGS.split(), str(path), "-o", str(target)]
    subprocess.run(command, check=True)
    read = ["readelf", "-rW", str(target)]
    told = subprocess.run(read, check=True, capture_output=True, text=True).stdout
    section, pairs = "", []
    for line in told.splitlines():
        if match := SECTION.search(line):
            section = match[1]
        elif match := RELOCATION.match(line):
            pairs.append((section, match[1]))
    symbols = ["nm", "-P", "--defined-only", str(target)]
    told = subprocess.run(symbols, check=True, capture_output=True, text=True).stdout
    defined = {line.split()[0]: line.split()[1] for line in told.splitlines()}
    return path, pairs, defined


def plain(symbol):
    """The name behind a section's name, or a symbol's."""
    return re.sub(r"\.\d+$", "", re.sub(KINDS, "", symbol))


def uses(files):
    """All uses between different units."""
    inline = {}
    for path in files:
        if path.suffix == ".h":
            for name in INLINE.findall(path.read_text()):
                inline[name] = unit_of(path)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        c = [p for p in files if p.suffix == ".c"]
        objects = list(pool.map(lambda p: compiled(p, Path(folder)), c))
    public = {}
    for path, _, defined in objects:
        for name, kind in defined.items():
            if kind.isupper():
                public[name] = unit_of(path)
    found = set()
    for path, pairs, defined in objects:
        for section, symbol in pairs:
            if not re.match(KINDS, section):
                continue
            function, name = plain(section), plain(symbol)
            caller = inline.get(function, unit_of(path))
            # A static function may have the name of a public one elsewhere.
            own = defined.get(name, "U").islower()
            callee = inline.get(name) or (None if own else public.get(name))
            if callee and callee != caller:
                found.add(Use(caller, function, callee, name))
    return sorted(found, key=lambda u: (u.caller, u.function, u.callee, u.name))


def cycles(edges):
    """The groups of nodes that reach each other, the largest first (Tarjan, iterative)."""
    graph = defaultdict(set)
    for a, b in edges:
        graph[a].add(b)
    index, low, on, stack, groups = {}, {}, set(), [], []
    for root in sorted(graph):
        if root in index:
            continue
        work = [(root, iter(sorted(graph[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on.add(root)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on.add(target)
                    work.append((target, iter(sorted(graph[target]))))
                    break
                if target in on:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    group, stack = stack[at:], stack[:at]
                    on -= set(group)
                    if len(group) > 1:
                        groups.append(sorted(group))
    return sorted(groups, key=lambda g: (-len(g), g))


class Rooms:
    """The rooms, the lowest first, and which unit is in which.

    A unit below plugin/ROOM/ is in that room; one in plugin/ itself is where the map
    says; what is in hooks/ is in the room of that name, above all others. A function that
    the map names is in the room where it is named, whatever unit it stands in. What
    every room but the lowest may include is what all know: the door, what an engine is
    made of, and the notes for the rooms above.
    """

    def __init__(self, text):
        self.order, self.named, self.functions = [], {}, {}
        self.shared = set()
        for line in text.splitlines():
            line = line.partition("#")[0]
            if not line.strip():
                continue
            if not line[0].isspace():
                room, _, line = line.partition(":")
                if room == "every room":
                    self.shared.update(f"plugin/{name}" for name in line.split())
                    continue
                self.order.append(room.strip())
            for name in line.split():
                if name.endswith("()"):
                    self.functions[name[:-2]] = self.order[-1]
                else:
                    self.named[f"plugin/{name}"] = self.order[-1]
        self.order.append("hooks")
        self.rank = {room: i for i, room in enumerate(self.order)}

    def of(self, unit):
        folder = Path(unit).parent.parts
        if folder and folder[0] == "hooks":
            return "hooks"
        if len(folder) > 1 and folder[0] == "plugin":
            return folder[1]
        return self.named.get(unit, "?")

    def pair(self, use):
        """The rooms of who uses and of what is used."""
        caller = self.functions.get(use.function) or self.of(use.caller)
        return caller, self.functions.get(use.name) or self.of(use.callee)

    def may_change(self, room, owner):
        """Whether what that room keeps is changed there. Records are kept by the rooms of
        queues and claims, and the engine is made of all."""
        return (
            owner not in self.order
            or room in (owner, "engine")
            or (room == "records" and owner in ("queues", "claims"))
        )

    def foreign_changes(self, files):
        for path in files:
            room = self.of(unit_of(path))
            for line, owner in changes(path.read_text()):
                if path.parts[0] == "plugin" and not self.may_change(room, owner):
                    yield f"{path}:{line}: {room} changes what {owner} keeps"

    def goes_up(self, caller, callee):
        return caller != callee and self.rank.get(caller, -1) < self.rank.get(
            callee, 99
        )

    def all_may_include(self, a, b):
        """Whether one of two files is what all know."""
        lowest = self.of(unit_of(a)) == self.order[0]
        return a in self.shared or (b in self.shared and not lowest)

    def upward_includes(self, graph):
        """The files of the engine that include one of a room above, and that one."""
        pairs = [(str(a), str(b)) for a in graph for b in graph[a]]
        return sorted(
            (a, b)
            for a, b in pairs
            if a.startswith("plugin/") and b.startswith("plugin/")
            if not self.all_may_include(a, b)
            if self.goes_up(self.of(unit_of(a)), self.of(unit_of(b)))
        )

    def upward_calls(self, uses):
        """The uses of a room above, but for notes: they are what rooms above are told."""
        return [
            use
            for use in uses
            if use.caller.startswith("plugin/") and use.callee != "plugin/notes"
            if self.goes_up(*self.pair(use))
        ]

    def rings(self, uses):
        """The rooms of the engine and the units of one that call each other in a ring: of
        each pair, one reaches the other by calls that stay in the room."""
        within = defaultdict(set)
        for use in uses:
            room = self.of(use.caller)
            if use.caller.startswith("plugin/") and room == self.of(use.callee):
                within[room].add((use.caller, use.callee))
        return [(r, units) for r in self.order for units in cycles(within[r])]
