// SPDX-License-Identifier: Apache-2.0

package host

import (
	"fmt"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// handle calls seen and gone for what an informer of T delivers.
func handle[T any](seen func(old, now T), gone func(T)) cache.ResourceEventHandler {
	var none T
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) {
			if now, ok := object.(T); ok {
				seen(none, now)
			}
		},
		UpdateFunc: func(before, object any) {
			old, _ := before.(T)
			if now, ok := object.(T); ok {
				seen(old, now)
			}
		},
		DeleteFunc: func(object any) {
			// A deletion that the watch missed comes with the state that was last known.
			if missed, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = missed.Obj
			}
			if last, ok := object.(T); ok {
				gone(last)
			}
		},
	}
}

// observeCore follows pods, nodes and namespaces through the scheduler's own informers. Its pod
// informer leaves out pods that have ended: their end arrives as a deletion.
func (h *Host) observeCore(factory informers.SharedInformerFactory) error {
	core := factory.Core().V1()
	for informer, handler := range map[cache.SharedIndexInformer]cache.ResourceEventHandler{
		core.Nodes().Informer():      handle(h.nodes.seen, h.nodes.gone),
		core.Namespaces().Informer(): handle(h.namespaces.seen, h.namespaces.gone),
		core.Pods().Informer():       handle(h.pods.seen, h.pods.gone),
	} {
		registration, err := informer.AddEventHandler(handler)
		if err != nil {
			return fmt.Errorf("to follow pods, nodes and namespaces: %w", err)
		}
		h.waitFor = append(h.waitFor, registration.HasSynced)
	}
	return nil
}
