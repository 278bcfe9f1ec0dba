// SPDX-License-Identifier: Apache-2.0

package serve

import "net/http"

// Who comes by the API server's proxy to Services gets to any of the replicas, and says in a header
// that only the leader may answer.
const (
	askHeader = "Sluice-Ask"
	askLeader = "leader"
)

// mayAnswer says why this replica is not the one that is asked.
func (d debug) mayAnswer(req *http.Request) error {
	switch who := req.Header.Get(askHeader); {
	case who == "", who == askLeader && d.host.Leads():
		return nil
	case who == askLeader:
		return fail(http.StatusMisdirectedRequest, "this replica does not lead: ask again, another "+
			"one may answer")
	default:
		return fail(http.StatusBadRequest, "header %s: %q, want %q or none", askHeader, who, askLeader)
	}
}
