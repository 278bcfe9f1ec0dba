{"#": "observe: an invariant does not hold: what is wanted of the host was looked at when it changed"}
{"open": {"effects": ["answerPermit"]}}
{"observe": {"now": 21000000000, "kind": "pod", "object": {"uid": "pu1.0", "namespace": "d", "name": "p1", "created": 2000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/group-min-member": "2"}, "controller": {"uid": "ctl0", "kind": "Deployment", "name": "owner0"}}}}
{"observe": {"now": 21000000000, "kind": "pod", "object": {"uid": "pu2.0", "namespace": "d", "name": "p2", "created": 1000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/group-min-member": "2"}, "controller": {"uid": "ctl1", "kind": "Deployment", "name": "owner1"}}}}
{"observe": {"now": 21000000000, "kind": "pod", "object": {"uid": "pu5.0", "namespace": "d", "name": "p5", "created": 2000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/group-min-member": "2"}, "controller": {"uid": "ctl0", "kind": "Deployment", "name": "owner0"}}}}
{"observe": {"now": 21000000000, "kind": "pod", "object": {"uid": "pu6.0", "namespace": "d", "name": "p6", "created": 1000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/group-min-member": "2"}, "controller": {"uid": "ctl1", "kind": "Deployment", "name": "owner1"}}}}
{"observe": {"now": 21000000000, "kind": "synced"}}
{"observe": {"now": 21000000000, "kind": "leader"}}
{"observe": {"now": 21000000000, "kind": "group", "object": {"uid": "gu4.1", "namespace": "d", "name": "podgroup-ctl1", "created": 9000000000, "minMember": 2}}}
{"observe": {"now": 21000000000, "kind": "group", "object": {"uid": "gu3.1", "namespace": "d", "name": "podgroup-ctl0", "created": 9000000000, "minMember": 2}}}
{"post_filter": {"now": 21000000000, "uid": "pu2.0"}}
{"reserve": {"now": 21000000000, "uid": "pu1.0", "node": "n1"}}
{"observe": {"now": 8096404000000, "kind": "pod", "object": {"uid": "pu6.0", "namespace": "d", "name": "p6", "created": 1000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/group-min-member": "2"}, "controller": {"uid": "ctl1", "kind": "Deployment", "name": "owner1"}}}}
{"observe": {"now": 8157996000000, "kind": "node", "object": {"name": "n0"}}}
{"unreserve": {"now": 8158014000000, "uid": "pu1.0", "node": "n0"}}
{"observe": {"now": 8158065000000, "kind": "pod", "object": {"uid": "pu1.0", "namespace": "d", "name": "p1", "created": 2000000000, "annotations": {"scheduling.volcano.sh/group-min-member": "2", "sluice.sh/granted": "21000000000"}, "controller": {"uid": "ctl0", "kind": "Deployment", "name": "owner0"}}}}
