// SPDX-License-Identifier: Apache-2.0

// Package proxied reads what comes through the API server's proxy to Services, the way to an
// endpoint for who is not in the cluster. The proxy keeps the caller's credentials to itself, so
// one who comes by it sends a token for us in a header of our own.
package proxied

import (
	"net/http"
	"strings"
)

// TokenHeader is that header.
const TokenHeader = "Sluice-Token"

// WithToken reads the token as if it had come in the usual header, below a path only: whose it is,
// and what he may, is decided as ever.
func WithToken(handler http.Handler, below string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		token := req.Header.Get(TokenHeader)
		if token != "" && req.Header.Get("Authorization") == "" &&
			strings.HasPrefix(req.URL.Path, below) {
			req = req.Clone(req.Context())
			req.Header.Set("Authorization", "Bearer "+token)
			req.Header.Del(TokenHeader)
		}
		handler.ServeHTTP(w, req)
	})
}
