// SPDX-License-Identifier: Apache-2.0

package main

// difference is why a case ends otherwise than in Volcano, and what is so instead.
type difference struct {
	rule string
	ends object
}

// The rules by which cases end otherwise.
const (
	ruleWithin = "who reclaims stays within its share in all that it lacks; in Volcano, in one " +
		"of its resources"
	ruleNothing = "what a queue does not deserve it has borrowed; in Volcano a queue that " +
		"deserves only devices keeps cpu and memory with them"
	ruleAncestors = "nobody goes from below a queue that is within its share; in Volcano, unless " +
		"ancestorReclaimLevel has that queue looked at"
	ruleEquals = "of equals the first uid goes; in Volcano the last"
)

var (
	gone  = "gone"
	runs  = object{"phase": "Running"}
	waits = object{"node": ""}
)

// differences are the cases that end otherwise, by name.
var differences = map[string]difference{
	"case5: Can reclaim from other queues when allocated + req <= deserved on one dimension": {
		ruleWithin, object{"pod/p17": waits, "pod/p18": runs}},
	"case9: reclaimee has intersecting scalar dimensions with deserved shouldn't be reclaimed " +
		"on cpu/memory": {ruleNothing, object{"pod/p31": gone, "pod/p32": runs}},
	"case3: Cross-parent reclaim can evict sibling-queue victim first": {
		ruleEquals, object{"pod/p1": gone, "pod/p3": runs}},
	"case5: level 0 allows reclaim based on leaf-level deserved checks": {
		ruleAncestors, object{"pod/p-victim": runs, "pod/p-reclaimer": waits}},
	"case6: level 1 allows reclaim when parent-level check passes": {
		ruleAncestors, object{"pod/p-victim": runs, "pod/p-reclaimer": waits}},
}

// leftOut tells why a case has no story; empty: it has one.
func (c *upstreamCase) leftOut() string {
	if len(c.ends()) == 0 {
		return "nobody asks for anything"
	}
	for _, pod := range c.Given.Pods {
		if at(pod, "spec")["affinity"] != nil {
			return "where pods go is the stock scheduler's"
		}
	}
	return ""
}
