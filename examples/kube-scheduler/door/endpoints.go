// SPDX-License-Identifier: Apache-2.0

package door

import (
	"net/http"
	"time"

	"k8s.io/apiserver/pkg/server"
)

// What a process serves beside admission: health, metrics, and questions about the engine, each of
// which holds it for a moment. None of them reads a body.
var (
	endpoints = Bounds{Requests: 128, Body: noBody, Wait: 2 * time.Second}
	questions = Bounds{Requests: 16, Body: noBody, Wait: 5 * time.Second}
)

const (
	noBody              = 64 << 10
	endpointConnections = 256
	endpointStreams     = 64 // of one connection
)

// Endpoints bounds how many requests are answered at a time, whoever asks: they are not known yet.
func Endpoints(inner http.Handler) http.Handler { return New(endpoints).Handler(inner) }

// Questions bounds those about the engine.
func Questions(inner http.Handler) http.Handler { return New(questions).Handler(inner) }

// Connections bounds those of the port where they come.
func Connections(at *server.SecureServingInfo) {
	if at.Listener != nil {
		at.Listener = Listener(at.Listener, endpointConnections)
	}
	if at.HTTP2MaxStreamsPerConnection == 0 {
		at.HTTP2MaxStreamsPerConnection = endpointStreams
	}
}
