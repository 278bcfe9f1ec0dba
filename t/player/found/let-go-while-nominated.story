{"#": "an invariant does not hold: a pod that is let go holds nothing, and waits for nobody"}
{"open": {}}
{"observe": {"now": 343660000001, "kind": "synced"}}
{"observe": {"now": 343660000001, "kind": "leader"}}
{"observe": {"now": 16349183000001, "kind": "pod", "object": {"uid": "pu4.2", "namespace": "d", "name": "p4", "resourceVersion": 248, "created": 4000000000, "gates": ["volcano.sh/queue-allocation-gate"], "annotations": {"scheduling.volcano.sh/group-min-member": "x"}, "nominated": "n0"}}}
{"pre_enqueue": {"now": 16922607377153, "uid": "pu4.2", "resourceVersion": 248}}
{"observe": {"now": 16985458005057, "kind": "pod", "object": {"uid": "pu4.2", "namespace": "d", "name": "p4", "created": 4000000000}}}
{"observe": {"now": 58845256398532161, "kind": "leader", "gone": true}}
{"observe": {"now": 58845258660532161, "kind": "leader"}}
