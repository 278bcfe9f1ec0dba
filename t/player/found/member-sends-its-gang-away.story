{"#": "tick: more is true after 3000 ticks"}
{"open": {"effects": ["answerPermit", "evictPod"], "rootCeiling": {"cpu": "3"}}}
{"observe": {"now": 4040217000000, "kind": "pod", "object": {"uid": "pu4.0", "namespace": "d", "name": "p4", "created": 1000000000, "annotations": {"scheduling.volcano.sh/group-min-member": "2"}, "requests": {"cpu": 1000}, "controller": {"uid": "ctl1", "kind": "Deployment", "name": "owner1"}}}}
{"observe": {"now": 4048592000000, "kind": "queue", "object": {"kind": "Queue", "name": "q0", "deserved": {"cpu": 2000}}}}
{"observe": {"now": 4048592000000, "kind": "group", "object": {"uid": "gu4.2", "namespace": "d", "name": "podgroup-ctl1", "created": 5000000000, "minMember": 2}}}
{"observe": {"now": 4048592000000, "kind": "pod", "object": {"uid": "pu6.0", "namespace": "d", "name": "p6", "created": 1000000000, "annotations": {"scheduling.volcano.sh/queue-name": "q0", "scheduling.volcano.sh/group-min-member": "2"}, "requests": {"cpu": 1000}, "controller": {"uid": "ctl1", "kind": "Deployment", "name": "owner1"}}}}
{"observe": {"now": 4048592000000, "kind": "pod", "object": {"uid": "pu10.1", "namespace": "d", "name": "p10", "created": 1000000000, "annotations": {"scheduling.volcano.sh/group-min-member": "2"}, "requests": {"cpu": 2000}, "controller": {"uid": "ctl1", "kind": "Deployment", "name": "owner1"}}}}
{"observe": {"now": 4048592000000, "kind": "synced"}}
{"observe": {"now": 4048592000000, "kind": "leader"}}
{"tick": {"now": 4168592000000}}
