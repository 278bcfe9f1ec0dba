{"#": "an invariant does not hold: a size class is in its queue's tree while somebody waits in it"}
{"open": {"effects": ["answerPermit"]}}
{"observe": {"now": 21000000000, "kind": "queue", "object": {"kind": "Queue", "name": "q1", "capability": {"cpu": "3"}}}}
{"observe": {"now": 21000000000, "kind": "pod", "object": {"uid": "pu1.0", "namespace": "d", "name": "p1", "created": 2000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/queue-name": "q1"}, "requests": {"cpu": 1000}, "schedulingGroup": "g1"}}}
{"observe": {"now": 21000000000, "kind": "pod", "object": {"uid": "pu3.0", "namespace": "d", "name": "p3", "created": 2000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/queue-name": "q1"}, "requests": {"cpu": 1000}, "schedulingGroup": "g1"}}}
{"observe": {"now": 21000000000, "kind": "pod", "object": {"uid": "pu5.0", "namespace": "d", "name": "p5", "created": 2000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/queue-name": "q1"}, "requests": {"cpu": 1000}, "schedulingGroup": "g1"}}}
{"observe": {"now": 21000000000, "kind": "synced"}}
{"observe": {"now": 21000000000, "kind": "leader"}}
{"observe": {"now": 3744034000000, "kind": "pod", "object": {"uid": "pu13.1", "namespace": "d", "name": "p13", "created": 2000000000, "annotations": {"scheduling.volcano.sh/queue-name": "q1", "sluice.sh/granted": "3743644000001"}, "requests": {"cpu": 1000}}}}
{"post_bind": {"now": 7744205000000, "uid": "pu13.1", "node": "n3"}}
{"observe": {"now": 7744327000000, "kind": "group", "object": {"uid": "nu1.1", "namespace": "d", "name": "g1", "native": true, "created": 1000000000}}}
{"observe": {"now": 11444361000000, "kind": "pod", "object": {"uid": "pu13.1", "namespace": "d", "name": "p13", "created": 2000000000, "annotations": {"scheduling.volcano.sh/queue-name": "q1", "sluice.sh/granted": "3743644000001"}, "requests": {"cpu": 1000}, "schedulingGroup": "g1"}}}
{"unreserve": {"now": 11444580000000, "uid": "pu13.1", "node": "n0"}}
