#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Three pods of one CPU each, a queue with room for one: three_pods.py build/sluice.so"""

import sys

from sluice import Sluice

GATE = "scheduling.volcano.sh/queue-allocation-gate"
NOW = 1_700_000_000_000_000_000


def pod(number, **more):
    return {
        "uid": f"uid-{number}",
        "namespace": "default",
        "name": f"pod-{number}",
        "created": NOW + number,
        "gates": [GATE],
        "annotations": {GATE: "true", "scheduling.volcano.sh/queue-name": "q"},
        "requests": {"cpu": "1"},
        **more,
    }


def tell(host, now, number):
    answer = host.pre_enqueue(now=now, explain=True, pod=pod(number))
    verdict = (
        "passes"
        if answer["pass"]
        else f"is held: {answer['reason']}, {answer['message']}"
    )
    print(f"pod-{number} {verdict}")


def main(path):
    host = Sluice(path, removal="onBind")

    queue = {"kind": "Queue", "name": "q", "capability": {"cpu": "1"}}
    host.observe(now=NOW, kind="queue", object=queue)
    for number in (1, 2, 3):
        host.observe(now=NOW, kind="pod", object=pod(number))
    host.observe(now=NOW, kind="synced")
    answer = host.observe(now=NOW, kind="leader")
    while answer["more"]:
        answer = host.tick(now=NOW)
    for number in (1, 2, 3):
        tell(host, NOW, number)

    print("\npod-1 is bound, runs, and is done; the host is asked to do this:")
    later = NOW + 10_000_000_000
    host.reserve(now=later, uid="uid-1", node="node-1")
    patch = host.bind(now=later, uid="uid-1", node="node-1")
    print(f"  remove {', '.join(patch['gates'])} from pod-1")
    done = pod(1, gates=[], node="node-1", phase="Succeeded")
    answer = host.observe(now=later, kind="pod", object=done)
    while answer["more"]:
        answer = host.tick(now=later)
    effects = host.drain(now=later)["effects"]
    for effect in effects:
        print(f"  {effect['kind']} {effect['name']}")
    acks = [{"id": effect["id"], "result": "done"} for effect in effects]
    host.ack(now=later, acks=acks)

    print()
    for number in (2, 3):
        tell(host, later, number)
    host.close()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
