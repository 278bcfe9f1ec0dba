// SPDX-License-Identifier: Apache-2.0

package host

import (
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"sluice/kube-scheduler/facts"
)

// ownWrites has, of each PodGroup that we wrote, the version that the last write made, by its uid:
// what is seen of it may still be older.
type ownWrites struct{ sync.Map }

// moved tells whether the group is not as it was when this version of it was decided about, or is
// not seen yet as it was written last.
func (w *ownWrites) moved(group *unstructured.Unstructured, decided int64) bool {
	written, _ := w.Load(group.GetUID())
	last, is := written.(int64)
	return is && last > decided || group.GetResourceVersion() != strconv.FormatInt(decided, 10)
}

// wrote remembers the version that a write made, unless the group went meanwhile.
func (w *ownWrites) wrote(group *unstructured.Unstructured,
	find func(namespace, name string) *unstructured.Unstructured) {
	w.Store(group.GetUID(), facts.Version(group.GetResourceVersion()))
	if find(group.GetNamespace(), group.GetName()) == nil {
		w.forget(group.GetUID())
	}
}

func (w *ownWrites) forget(uid types.UID) { w.Delete(uid) }
