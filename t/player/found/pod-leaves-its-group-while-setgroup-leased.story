{"#": "a record that is not there, in describe"}
{"open": {"effects": ["answerPermit", "setGroup"]}}
{"observe": {"now": 22338000000, "kind": "synced"}}
{"observe": {"now": 22433000000, "kind": "leader"}}
{"observe": {"now": 22233000000, "kind": "group", "object": {"uid": "gu3.2", "namespace": "d", "name": "podgroup-ctl0", "created": 6000000000}}}
{"observe": {"now": 22270000000, "kind": "pod", "object": {"uid": "pu7.1", "namespace": "d", "name": "p7", "created": 5000000000, "gates": ["volcano.sh/queue-allocation-gate"], "annotations": {"scheduling.volcano.sh/group-min-member": "0"}, "controller": {"uid": "ctl0", "kind": "Deployment", "name": "owner0"}}}}
{"drain": {"now": 82575000000}}
{"observe": {"now": 82586000000, "kind": "pod", "object": {"uid": "pu7.1", "namespace": "d", "name": "p7", "created": 5000000000, "gates": ["volcano.sh/queue-allocation-gate"]}}}
{"inspect": {"now": 82586000000, "what": "effects"}}
