{"#": "a record that is not there, in take"}
{"open": {"effects": ["writeWorkload"]}}
{"observe": {"now": 21314000000, "kind": "workload", "object": {"role": "worker", "uid": "wu1.0", "namespace": "d", "name": "w1", "created": 7000000000, "podSets": [{"name": "s0", "count": 1}]}}}
