{"#": "drain: two effects are under way for one pod"}
{"open": {"removal": "onAdmission"}}
{"observe": {"now": 21000000000, "kind": "queue", "object": {"kind": "Queue", "name": "q1"}}}
{"observe": {"now": 21000000000, "kind": "pod", "object": {"uid": "pu7.0", "namespace": "d", "name": "p7", "created": 2000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true"}}}}
{"observe": {"now": 21000000000, "kind": "synced"}}
{"observe": {"now": 21000000000, "kind": "leader"}}
{"observe": {"now": 4021700000000, "kind": "pod", "object": {"uid": "pu7.0", "namespace": "d", "name": "p7", "resourceVersion": 108, "created": 2000000000, "gates": ["scheduling.volcano.sh/queue-allocation-gate"], "annotations": {"scheduling.volcano.sh/queue-name": "q1"}}}}
{"drain": {"now": 8082803000000}}
{"pre_enqueue": {"now": 8082815000000, "uid": "pu7.0", "resourceVersion": 108}}
{"drain": {"now": 4483067000000}}
