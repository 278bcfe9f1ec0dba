// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sluice/kube-scheduler/proxied"
)

// A token that comes by the API server's proxy is as good as in the usual header, and no better.
func TestTokenThroughTheProxy(t *testing.T) {
	handler := Handler(context.Background(), completed(nil), &handlers{}, running(t, "0"))
	for _, one := range []struct {
		path, usual, ours string
		want              int
	}{
		{"/debug/sluice/host", "", "ada", 200},
		{"/debug/sluice/host", "", "bob", 403},
		{"/debug/sluice/host", "", "mallory", 401},
		{"/debug/sluice/host", "", "", 403},
		{"/debug/sluice/host", "bob", "ada", 403},
		{"/debug/sluice/host", "ada", "bob", 200},
		{"/debug/sluiceless", "", "ada", 403},
		{"/metrics", "", "ada", 403},
	} {
		req := httptest.NewRequest(http.MethodGet, one.path, nil)
		if one.usual != "" {
			req.Header.Set("Authorization", "Bearer "+one.usual)
		}
		if one.ours != "" {
			req.Header.Set(proxied.TokenHeader, one.ours)
		}
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, req)
		if answer.Code != one.want {
			t.Errorf("%s by %q and %q is answered %d, want %d", one.path, one.usual, one.ours,
				answer.Code, one.want)
		}
	}
}

// Only a leader knows what was granted: others send who wants to know that on to the next replica.
func TestOnlyTheLeaderAnswers(t *testing.T) {
	leader, handle := running(t, "0"), newHandle()
	standby := newHost(t, handle, "0")
	standby.AwaitLease()
	start(t, standby, handle)
	for _, one := range []struct {
		asked debug
		who   string
		want  int
		says  string
	}{
		{debug{leader}, "", 200, `"leads": true`},
		{debug{leader}, "leader", 200, `"leads": true`},
		{debug{leader}, "follower", 400, `want \"leader\"`},
		{debug{standby}, "", 200, `"leads": false`},
		{debug{standby}, "leader", 421, "does not lead"},
	} {
		req := httptest.NewRequest(http.MethodGet, debugPath+"host", nil)
		req.Header.Set(askHeader, one.who)
		answer := httptest.NewRecorder()
		one.asked.ServeHTTP(answer, req)
		if answer.Code != one.want || !strings.Contains(answer.Body.String(), one.says) {
			t.Errorf("asked for %q: %d, %s; want %d, %s", one.who, answer.Code, answer.Body, one.want,
				one.says)
		}
	}
}
