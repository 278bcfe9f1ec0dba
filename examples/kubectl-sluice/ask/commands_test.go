// SPDX-License-Identifier: Apache-2.0

package ask

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

// Two Commands to one queue are refused in the same second: each has its own reason.
func TestRefusal(t *testing.T) {
	const events = `{"items": [
		{"type": "Warning", "message": "resume that first", "related": {"uid": "1"},
			"metadata": {"creationTimestamp": "2026-01-01T00:00:01Z"}},
		{"type": "Warning", "message": "only OpenQueue changes that", "related": {"uid": "2"},
			"metadata": {"creationTimestamp": "2026-01-01T00:00:01Z"}},
		{"type": "Warning", "message": "somebody else's",
			"metadata": {"creationTimestamp": "2026-01-01T00:00:02Z"}}]}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, events)
	}))
	defer server.Close()
	c, err := New(&rest.Config{Host: server.URL}, Shipped)
	if err != nil {
		t.Fatal(err)
	}
	queue := &Object{ObjectMeta: metav1.ObjectMeta{Name: "q"}}
	for uid, want := range map[string]string{
		"1": "resume that first", "2": "only OpenQueue changes that", "3": "",
	} {
		if got := c.Refusal(t.Context(), queue, Order{UID: types.UID(uid)}); got != want {
			t.Errorf("Command %s was refused: %q, want %q", uid, got, want)
		}
	}
}
