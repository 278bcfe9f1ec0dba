# SPDX-License-Identifier: Apache-2.0
"""Traces and stories for those who look at what sluice-sim plan says of them."""

import csv
import os
import subprocess
from collections import Counter

BUILD = os.environ.get("SLUICE_BUILD", "build")

STORY = """apiVersion: sluice/v1
kind: Scenario
metadata: {{name: plans}}
spec:
  steps:
  - apply: [{queues}, {{node/big: 20}}]
---
apiVersion: v1
kind: Node
metadata: {{name: big}}
status: {{allocatable: {{cpu: 4000, memory: 100Ti, nvidia.com/gpu: 400, pods: 10000}}}}
"""
QUEUE = """---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {{name: {name}}}
spec: {spec}
"""


# Of Kueue's: with the flavor that all its queues are of.
FLAVOR = """---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: all}
"""
CLUSTER_QUEUE = """---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {{name: {name}}}
spec: {spec}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {{name: {name}}}
spec: {{clusterQueue: {name}}}
"""


def cores(text):
    return float(text[:-1]) / 1000 if text.endswith("m") else float(text or 0)


def sim(*args, **how):
    program = os.path.join(BUILD, "sluice-sim")
    return subprocess.run([program, *args], check=True, text=True, **how)


def demand(trace, hours, load):
    """What each queue must have that so much of it is asked for on the mean of these hours: gpus,
    or cpus where nobody asks for gpus."""
    means = {"nvidia.com/gpu": Counter(), "cpu": Counter()}
    largest = {resource: Counter() for resource in means}
    for row in read(trace):
        left = 1 - float(row["arrival"]) / 3600 / hours
        ran = min(float(row["runtime"]) / 3600 / hours, left)
        pods, queue = int(row["pods"]), row["queue"]
        asks = {"nvidia.com/gpu": int(row["gpu"]), "cpu": cores(row["cpu"])}
        for resource, each in asks.items():
            means[resource][queue] += each * pods * ran
            together = each * (pods if row["gang"] == "yes" else 1)
            largest[resource][queue] = max(largest[resource][queue], together)
    resource = "nvidia.com/gpu" if sum(means["nvidia.com/gpu"].values()) > 0 else "cpu"
    return resource, {
        queue: max(round(mean / load), int(largest[resource][queue]) + 1, 2)
        for queue, mean in means[resource].items()
    }


def read(trace):
    """The arrivals of a trace; its notes are none."""
    with open(trace) as file:
        return list(csv.DictReader(line for line in file if line[0] != "#"))


def write(path, rows):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def later(row, seconds):
    """The same arrival, so much later."""
    return {**row, "arrival": f"{float(row['arrival']) + seconds:.3f}"}


def part(trace, path, begin):
    """Writes what arrives from a second on, as if that were the first one. Returns how many hours
    it takes to arrive."""
    rows = [later(row, -begin) for row in read(trace) if float(row["arrival"]) >= begin]
    write(path, rows)
    return max(float(row["arrival"]) for row in rows) / 3600


def write_story(path, queues):
    """A cluster whose nodes are no limit, with these queues: the spec of each by its name."""
    with open(path, "w") as file:
        file.write(STORY.format(queues=", ".join("queue/" + q for q in queues)))
        file.writelines(
            QUEUE.format(name=name, spec=spec) for name, spec in queues.items()
        )


def write_cluster_story(path, queues):
    """The same with ClusterQueues, and a LocalQueue of the same name for each."""
    names = ", ".join(f"clusterqueue/{q}, localqueue/{q}" for q in queues)
    with open(path, "w") as file:
        file.write(STORY.format(queues="resourceflavor/all, " + names) + FLAVOR)
        file.writelines(
            CLUSTER_QUEUE.format(name=name, spec=spec) for name, spec in queues.items()
        )


def as_workloads(trace, path):
    """The same arrivals, of which each row is one Workload."""
    rows = [
        {**row, "queue": "localqueue/" + row["queue"], "kind": "workload"}
        for row in read(trace)
    ]
    write(path, rows)
