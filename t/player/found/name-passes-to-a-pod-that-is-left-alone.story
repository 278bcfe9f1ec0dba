{"#": "drain: two effects are under way for one pod"}
{"open": {"effects": ["answerPermit", "setGroup"]}}
{"observe": {"now": 4028817000000, "kind": "group", "object": {"uid": "gu3.1", "namespace": "d", "name": "podgroup-ctl0", "created": 7000000000}}}
{"observe": {"now": 4029109000000, "kind": "synced"}}
{"observe": {"now": 4030230000000, "kind": "leader"}}
{"observe": {"now": 263000001, "kind": "pod", "object": {"uid": "pu10.3", "namespace": "d", "name": "p11", "created": 8000000000, "annotations": {"scheduling.volcano.sh/group-min-member": "99999999999"}, "controller": {"uid": "ctl0", "kind": "StatefulSet", "name": "owner0"}}}}
{"drain": {"now": 599000001}}
{"observe": {"now": 642000001, "kind": "pod", "object": {"uid": "pu11.2", "namespace": "d", "name": "p11", "created": 8000000000, "node": "n2"}}}
{"observe": {"now": 948000001, "kind": "pod", "object": {"uid": "pu10.3", "namespace": "d", "name": "p11", "created": 8000000000, "annotations": {"scheduling.volcano.sh/group-min-member": "99999999999"}, "controller": {"uid": "ctl0", "kind": "StatefulSet", "name": "owner0"}}}}
{"drain": {"now": 1057000001}}
