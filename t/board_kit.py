# SPDX-License-Identifier: Apache-2.0
"""Pages for t/board and t/board_plan, and a browser that looks at them: of stories, of frames, of a
plan, of more queues than anybody has."""

import json
import os
import subprocess
from pathlib import Path

from browser_kit import Browser, chromium
from frames_kit import Board

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("SLUICE_BUILD", ROOT / "build"))
LIB = os.environ.get("SLUICE_LIB", BUILD / "sluice.so")
DATA = '<script type="application/json" id="frames">'
QUEUES, WAITING = 10000, 100000


# What the page says, as lists of texts.
ROWS = "[...document.querySelectorAll('#{} .inside .row')]"
SAYS = "[...document.querySelectorAll('{}')].map(e => e.textContent.trim())"


class Tap:
    def __init__(self):
        self.points = self.failures = 0

    def equal(self, seen, wanted, name):
        self.good(seen == wanted, name, f"seen {seen!r}", f"wanted {wanted!r}")

    def good(self, is_good, name, *why):
        self.points += 1
        self.failures += not is_good
        print(f"{'' if is_good else 'not '}ok {self.points} - {name}", flush=True)
        for line in [] if is_good else why:
            print(f"# {line}"[:2000])


def says(browser, selector):
    return browser.ask(SAYS.format(selector))


def row_names(browser, host):
    return browser.ask(
        ROWS.format(host) + ".map(e => e.querySelector('.text').textContent)"
    )


def looked_at(look, is_built=False):
    """Has a real browser look at pages: look(tap, browser). An exit status. Pages that somebody
    serves are built already (is_built)."""
    if not chromium():
        print("1..0 # SKIP no chromium: t/prepare --board installs it")
        return 0
    if not is_built and not (BUILD / "examples/board.html").exists():
        print("1..0 # SKIP sluice-sim was not built here")
        return 0
    tap = Tap()
    try:
        browser = Browser()
    except (EOFError, OSError, TimeoutError) as problem:
        print(f"1..0 # SKIP {chromium()} does not start here: {problem}")
        return 0
    try:
        look(tap, browser)
        tap.equal(browser.complaints, [], "and the browser complains of nothing")
    finally:
        browser.close()
    print(f"1..{tap.points}")
    return tap.failures > 0


class Story:
    """A story as a page, and as the frames in it."""

    def __init__(self, path, folder):
        self.page = Path(folder) / f"{path.stem}.html"
        frames = Path(folder) / f"{path.stem}.json"
        out = ["--quiet", "--html", self.page, "--frames", frames]
        command = [BUILD / "sluice-sim", "run", "--lib", LIB, *out, path]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        self.document = json.loads(frames.read_text())
        self.end = self.at(float("inf"))

    def at(self, ms):
        board = Board()
        for frame in self.document["frames"]:
            if frame["at"] <= ms:
                board.apply(frame)
        return board

    def address(self, **about):
        said = "&".join(f"{k}={v}" for k, v in about.items())
        return f"file://{self.page}#{said}"


def board_of(title, frames):
    document = {"format": "sluice.sh/board/v1", "source": "story", "clock": "story"}
    return document | {"title": title, "frames": frames}


def write_page(folder, stem, document):
    head, mark, tail = (BUILD / "examples/board.html").read_text().partition(DATA)
    text = json.dumps(document, separators=(",", ":")).replace("<", "\\u003c")
    page = Path(folder) / f"{stem}.html"
    page.write_text(head + mark + text + tail)
    return page


def many():
    """Queues in a tree of three levels; a tenth of them has lines."""
    queues, claims, lines = [], [], []

    def queue(key, parent, leaf, waiting):
        gpu = {"flavor": "default", "resource": "nvidia.com/gpu", "ceiling": 64}
        row = {"key": f"Queue/{key}", "kind": "Queue", "name": key, "leaf": leaf}
        row |= {
            "state": "Open",
            "waiting": waiting,
            "asks": {"nvidia.com/gpu": waiting},
        }
        row |= {"quota": [gpu | {"allocated": len(queues) % 64}]}
        queues.append(row | ({"parent": f"Queue/{parent}"} if parent else {}))

    queue("root", "", False, WAITING)
    for i in range(99):
        queue(f"group-{i}", "root", False, 0)
    for i in range(QUEUES - 100):
        waiting = 10000 if i == 0 else 90000 // 899 if i < 900 else 0
        if i == 899:
            waiting = WAITING - len(claims)
        queue(f"team-{i}", f"group-{i % 99}", True, waiting)
        keys = [f"{i}-{n}" for n in range(waiting)]
        for key in keys:
            row = {
                "key": key,
                "kind": "Pod",
                "namespace": "default",
                "name": f"p-{key}",
            }
            row |= {"queue": f"Queue/team-{i}", "state": "waiting", "told": False}
            claims.append(row | {"asks": {"nvidia.com/gpu": 1}})
        if keys:
            lines.append({"queue": f"Queue/team-{i}", "at": 0, "drop": 0, "put": keys})
    return {"at": 0, "queues": queues, "claims": claims, "lines": lines}
