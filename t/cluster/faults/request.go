// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"net/http"
	"strings"
	"time"
)

// Request is one request to the API server, in Kubernetes' words.
type Request struct {
	At          time.Time
	Verb        string // get, list, watch, create, update, patch, delete, deletecollection
	Group       string
	Resource    string // pods
	Subresource string // status, binding
	Namespace   string
	Name        string
	Body        []byte // of what writes
	ContentType string

	Status  int    // the API server's answer; 0: it never was asked
	Answer  []byte // to what writes
	Refused bool   // a rule stood in for the API server
	Lost    bool   // its answer was dropped
}

// Writes tells whether the request may change anything.
func (r *Request) Writes() bool {
	switch r.Verb {
	case "create", "update", "patch", "delete", "deletecollection":
		return true
	}
	return false
}

// Done tells whether the API server has carried it out.
func (r *Request) Done() bool { return r.Status >= 200 && r.Status < 300 }

// understand reads the path of a request: /api/v1/namespaces/N/pods/P/status.
func understand(from *http.Request) *Request {
	r := &Request{At: time.Now(), ContentType: from.Header.Get("Content-Type")}
	parts := strings.Split(strings.Trim(from.URL.Path, "/"), "/")
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		parts = parts[2:]
	case len(parts) >= 4 && parts[0] == "apis":
		r.Group = parts[1]
		parts = parts[3:]
	default:
		r.Verb = strings.ToLower(from.Method)
		return r
	}
	if parts[0] == "namespaces" && len(parts) >= 3 &&
		parts[2] != "finalize" && parts[2] != "status" {
		r.Namespace = parts[1]
		parts = parts[2:]
	}
	r.Resource = parts[0]
	if len(parts) > 1 {
		r.Name = parts[1]
	}
	if len(parts) > 2 {
		r.Subresource = strings.Join(parts[2:], "/")
	}
	r.Verb = verbOf(from, r.Name)
	return r
}

func verbOf(from *http.Request, name string) string {
	switch from.Method {
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodPatch:
		return "patch"
	case http.MethodDelete:
		if name == "" {
			return "deletecollection"
		}
		return "delete"
	}
	if watch := from.URL.Query().Get("watch"); watch == "true" || watch == "1" {
		return "watch"
	}
	if name == "" {
		return "list"
	}
	return "get"
}
