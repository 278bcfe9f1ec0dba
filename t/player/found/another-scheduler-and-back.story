{"#": "drain: two effects are under way for one pod"}
{"open": {"removal": "onAdmission", "effects": ["answerPermit", "setGroup"]}}
{"observe": {"now": 21000000000, "kind": "pod", "object": {"uid": "pu6.0", "namespace": "d", "name": "p6", "created": 1000000000, "annotations": {"scheduling.volcano.sh/group-min-member": "2"}, "controller": {"uid": "ctl1", "kind": "Deployment", "name": "owner1"}}}}
{"observe": {"now": 21000000000, "kind": "synced"}}
{"observe": {"now": 21000000000, "kind": "leader"}, "cap": 16728}
{"observe": {"now": 331762000000, "kind": "group", "object": {"uid": "gu4.1", "namespace": "d", "name": "podgroup-ctl1", "created": 9000000000}}}
{"drain": {"now": 3932456000000}}
{"observe": {"now": 3933364000000, "kind": "pod", "object": {"uid": "pu6.0", "namespace": "d", "name": "p6", "created": 1000000000, "scheduler": "another", "annotations": {"scheduling.volcano.sh/group-min-member": "2"}}}}
{"observe": {"now": 3933415000000, "kind": "pod", "object": {"uid": "pu6.0", "namespace": "d", "name": "p6", "created": 1000000000, "gates": ["scheduling.volcano.sh/queue-allocation-gate"]}}}
{"drain": {"now": 3933498000000}}
