# SPDX-License-Identifier: Apache-2.0
"""Frames of a board (examples/board/README.md), played one after the other."""

KINDS = ("queues", "claims", "nodes", "clusters", "dispatches")


class Board:
    def __init__(self):
        self.rows = {kind: {} for kind in KINDS}
        self.lines = {}
        self.events = []
        self.at = -1
        self.wrong = []

    def apply(self, frame):
        """What a frame must keep to besides its schema is noted where it does not."""
        if frame["at"] < self.at:
            self.wrong.append(f"time goes back from {self.at} to {frame['at']}")
        self.at = frame["at"]
        if frame.get("whole"):
            self.lines.clear()
            for rows in self.rows.values():
                rows.clear()
        for kind in KINDS:
            for row in frame.get(kind, []):
                if self.rows[kind].get(row["key"]) == row:
                    self.wrong.append(f"{self.at}: {row['key']} is what it was")
                self.rows[kind][row["key"]] = row
        for line in frame.get("lines", []):
            self.splice(**line)
        for kind, key in frame.get("gone", []):
            if self.rows[kind].pop(key, None) is None:
                self.wrong.append(f"{self.at}: {key} of {kind} goes, and was not there")
        self.events += frame.get("events", [])

    def splice(self, queue, at, drop, put):
        line = self.lines.setdefault(queue, [])
        if at + drop > len(line):
            self.wrong.append(
                f"{self.at}: {at} + {drop} of {len(line)} in the line of {queue}"
            )
        line[at : at + drop] = put

    def look(self):
        """What must be so after each frame."""
        claims, queues = self.rows["claims"], self.rows["queues"]
        for queue, line in self.lines.items():
            waiting = queues.get(queue, {}).get("waiting", 0)
            if len(line) != len(set(line)) or len(line) > waiting:
                self.wrong.append(
                    f"{self.at}: {len(line)} in the line of {queue}, {waiting} wait"
                )
            for key in line:
                if key not in claims or claims[key]["state"] != "waiting":
                    self.wrong.append(
                        f"{self.at}: {key} is in the line of {queue}: {claims.get(key)}"
                    )

        counts = {}
        for claim in claims.values():
            if claim["kind"] != "Gang":
                place = claim.get("queue"), claim["state"]
                counts[place] = counts.get(place, 0) + 1
        for (key, state), count in counts.items():
            queue = queues.get(key, {"leaf": False})
            if state != "waiting" and queue["leaf"] and queue.get(state, 0) < count:
                self.wrong.append(
                    f"{self.at}: {count} claims of {key} are {state}, it says {queue}"
                )

    def use(self, queue, resource):
        """What is allocated and reserved, in all flavors; None: it has no such quota now."""
        quota = self.rows["queues"].get(queue, {"quota": []})["quota"]
        rows = [row for row in quota if row["resource"] == resource]
        sums = [sum(row.get(k, 0) for row in rows) for k in ("allocated", "reserved")]
        return tuple(sums) if rows else None
