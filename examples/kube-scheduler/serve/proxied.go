// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"net/http"
	"strings"
)

// The API server's proxy to Services is the way to an endpoint for who is not in the cluster. It
// keeps the caller's credentials to itself, and goes to any of the replicas; so one who comes by it
// sends a token for us in a header of our own, and says that only the leader may answer.
const (
	tokenHeader = "Sluice-Token"
	askHeader   = "Sluice-Ask"
	askLeader   = "leader"
)

// withToken reads the token as if it had come in the usual header, for questions about the engine
// only: whose it is, and what he may, is decided as ever.
func withToken(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		token := req.Header.Get(tokenHeader)
		if token != "" && req.Header.Get("Authorization") == "" &&
			strings.HasPrefix(req.URL.Path, debugPath) {
			req = req.Clone(req.Context())
			req.Header.Set("Authorization", "Bearer "+token)
			req.Header.Del(tokenHeader)
		}
		handler.ServeHTTP(w, req)
	})
}

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
