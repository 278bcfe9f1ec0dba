{"#": "a record that is not there, in bay_edited"}
{"open": {"effects": ["writeWorkload"]}}
{"observe": {"now": 21284000000, "kind": "queue", "object": {"kind": "Cohort", "name": "h2", "parent": "h2"}}}
{"observe": {"now": 641625000000, "kind": "queue", "gone": true, "object": {"kind": "Cohort", "name": "h2"}}}
