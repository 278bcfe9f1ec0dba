{"#": "drain: another answer where calls that failed or read were left out"}
{"open": {"effects": ["answerPermit", "createGroup"], "limits": {"pods": 1}}}
{"observe": {"now": 21000000000, "kind": "synced"}}
{"observe": {"now": 21000000000, "kind": "leader"}}
{"observe": {"now": 21445000000, "kind": "group", "object": {"uid": "gu3.1", "namespace": "d", "name": "podgroup-ctl0", "created": 9000000000, "queue": "q0"}}}
{"observe": {"now": 21445000000, "kind": "pod", "object": {"uid": "pu0.0", "namespace": "d", "name": "p0", "created": 2000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true"}}}}
{"observe": {"now": 22522000003, "kind": "pod", "object": {"uid": "pu1.0", "namespace": "d", "name": "p1", "created": 2000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/queue-name": "q1", "scheduling.volcano.sh/group-min-member": "2"}}}}
{"observe": {"now": 22522000003, "kind": "pod", "gone": true, "object": {"uid": "pu0.0"}}}
{"observe": {"now": 38809218000004, "kind": "node", "object": {"name": "n0", "allocatable": {"memory": 2, "x/gpu": 2}}}}
{"observe": {"now": 42409262000004, "kind": "pod", "object": {"uid": "pu10.2", "namespace": "d", "name": "p10", "created": 2000000000, "annotations": {"scheduling.volcano.sh/group-min-member": "2", "sluice.sh/granted": "20000000000"}, "requests": {"memory": 2, "x/gpu": 2}}}}
{"drain": {"now": 42409361000004}}
