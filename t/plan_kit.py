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
    """What each queue must have that so much of it is asked for on the mean: gpus, or cpus
    where nobody asks for gpus."""
    gpus, cpus, most = Counter(), Counter(), Counter()
    with open(trace) as file:
        for row in csv.DictReader(file):
            pods, ran = int(row["pods"]), float(row["runtime"]) / 3600 / hours
            gpus[row["queue"]] += int(row["gpu"]) * pods * ran
            cpus[row["queue"]] += cores(row["cpu"]) * pods * ran
            each = int(row["gpu"]) or cores(row["cpu"])
            most[row["queue"]] = max(
                most[row["queue"]], each * (pods if row["gang"] == "yes" else 1)
            )
    sums = gpus if sum(gpus.values()) > 0 else cpus
    return (
        "nvidia.com/gpu" if sums is gpus else "cpu",
        {q: max(round(n / load), int(most[q]) + 1, 2) for q, n in sums.items()},
    )


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
    with open(trace) as file:
        rows = [
            {**row, "queue": "localqueue/" + row["queue"], "kind": "workload"}
            for row in csv.DictReader(line for line in file if line[0] != "#")
        ]
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
