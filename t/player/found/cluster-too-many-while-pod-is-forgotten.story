{"#": "observe: a call that failed has changed the state"}
{"open": {"multiKueue": {}, "limits": {"clusters": 2}}}
{"observe": {"now": 21000000000, "kind": "cluster", "object": {"name": "east"}}}
{"observe": {"now": 21000000000, "kind": "cluster", "object": {"name": "north"}}}
{"pre_enqueue": {"now": 21000000000, "pod": {"uid": "pu4.0", "namespace": "d", "name": "p4", "created": 1000000000, "annotations": {"scheduling.volcano.sh/group-min-member": "2"}}}}
{"observe": {"now": 4021097000000, "kind": "replica", "object": {"cluster": "west", "uid": "ru8.1", "namespace": "d", "name": "w0"}, "cap": 274}}
