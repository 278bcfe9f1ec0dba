{"#": "an invariant does not hold: what is wanted of the host was looked at when it changed"}
{"open": {"reservationTimeout": 50000000, "effects": ["answerPermit"]}}
{"observe": {"now": 21000000000, "kind": "queue", "object": {"kind": "Queue", "name": "q1"}}}
{"observe": {"now": 21000000000, "kind": "synced"}, "cap": 18196}
{"observe": {"now": 21000000000, "kind": "leader"}}
{"observe": {"now": 21000000000, "kind": "group", "object": {"uid": "gu3.1", "namespace": "d", "name": "podgroup-ctl0", "created": 9000000000, "minMember": 2}}}
{"observe": {"now": 21000000000, "kind": "pod", "object": {"uid": "pu3.0", "namespace": "d", "name": "p3", "created": 2000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/queue-name": "q1", "scheduling.volcano.sh/group-min-member": "2"}, "controller": {"uid": "ctl0", "kind": "Deployment", "name": "owner0"}}}}
{"observe": {"now": 21000000000, "kind": "pod", "object": {"uid": "pu5.0", "namespace": "d", "name": "p5", "created": 2000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/queue-name": "q1", "scheduling.volcano.sh/group-min-member": "2"}, "controller": {"uid": "ctl0", "kind": "Deployment", "name": "owner0"}}}}
{"observe": {"now": 22025000001, "kind": "pod", "object": {"uid": "pu10.0", "namespace": "d", "name": "p10", "created": 2000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/queue-name": "q1", "scheduling.volcano.sh/group-min-member": "2"}, "controller": {"uid": "ctl0", "kind": "Deployment", "name": "owner0"}}}}
{"observe": {"now": 22025000001, "kind": "pod", "object": {"uid": "pu12.0", "namespace": "d", "name": "p12", "created": 2000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/queue-name": "q1", "scheduling.volcano.sh/group-min-member": "2"}, "controller": {"uid": "ctl0", "kind": "Deployment", "name": "owner0"}}}}
{"tick": {"now": 90857476737}}
