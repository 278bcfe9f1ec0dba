{"#": "drain: its answer is no message of the length that it says"}
{"open": {"effects": ["writeWorkload"]}}
{"observe": {"now": 21000000000, "kind": "synced"}, "cap": 17731}
{"observe": {"now": 21000000000, "kind": "leader"}}
{"observe": {"now": 72245969148000000, "kind": "workload", "object": {"role": "worker", "uid": "wu5.3", "namespace": "d", "name": "w5", "created": 8000000000, "podSets": [{"name": "s0", "count": 0}], "gates": ["g1", "g1"]}}}
{"drain": {"now": 72245969171000000}}
