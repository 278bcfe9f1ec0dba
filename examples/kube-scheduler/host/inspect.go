// SPDX-License-Identifier: Apache-2.0

package host

import (
	"errors"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

// ErrNotOpen is why nothing can be asked yet.
var ErrNotOpen = errors.New("the engine is not open yet")

var errRestless = errors.New("the list changes faster than it can be read: try again")

const (
	pageRows  = 256
	readAgain = 5
)

// Synced tells whether the engine knows of all that was there in the beginning.
func (h *Host) Synced() bool { return h.engine.synced.Load() }

// Inspect asks the engine a question of a person. The answer is the protocol's, without what every
// answer carries (but for that about limits: whoever wants to know how busy the engine is looks
// there). Unlike the hooks it does not wait for the engine: before it is open it fails with
// ErrNotOpen. Of an object that the engine could not use it tells why: as `refused`, or, where the
// engine knows nothing else of it, as an error that is a *Refused.
func (h *Host) Inspect(q sluice.Query) (map[string]any, error) {
	if q.Within != "" {
		q.Namespace = q.Within // what was refused is told of that one, too
	}
	answer, err := h.askMeant(q)
	err = h.engine.refusals.complete(q, answer, err)
	h.tellNative(q, answer)
	if q.What != "limits" {
		for _, key := range []string{"pending", "next", "more"} {
			delete(answer, key)
		}
	}
	return answer, err
}

// askMeant asks about the group that is meant: of two of one name Volcano's, and that of
// Kubernetes' own where it is asked for, or where there is no other. One that is below a composite
// group is a part of that.
func (h *Host) askMeant(q sluice.Query) (map[string]any, error) {
	if q.What != "group" || q.Composite {
		return h.engine.ask(q)
	}
	q.Native = q.Native || h.groups.find(q.Namespace, q.Name) == nil &&
		h.native.find(q.Namespace, q.Name) != nil
	if !q.Native && h.native.composite(q.Namespace, q.Name) != nil {
		q.Native, q.Composite = true, true
	}
	if top := h.native.compositeOf(q.Namespace, q.Name); q.Native && top != "" {
		q.Name, q.Composite = top, true // of which it is a part
	}
	answer, err := h.engine.ask(q)
	if err == nil || q.Native {
		return answer, err
	}
	q.Native = true
	if native, none := h.engine.ask(q); none == nil {
		return native, nil
	}
	return answer, err
}

// tellNative adds to what is told of a pod whether its group is one of Kubernetes' own.
func (h *Host) tellNative(q sluice.Query, pod map[string]any) {
	if q.What != "pod" || pod == nil {
		return
	}
	namespace, _ := pod["namespace"].(string)
	name, _ := pod["name"].(string)
	seen, err := h.pods.lister.Pods(namespace).Get(name)
	if err == nil && string(seen.UID) == pod["uid"] && h.engine.KnowsNativeGroups() {
		pod["native"] = facts.SchedulingGroup(seen) != ""
	}
	if err == nil && pod["reason"] == sluice.ReasonGroupMissing {
		h.native.tellUnserved(seen, pod)
	}
}

// List asks a question that is answered by a list, from q.From on, for so many rows at most. It
// asks page by page, so that nobody has to wait long for the engine; what changes between two pages
// may be missing or come twice. It returns where the rows go on; 0: there are no more.
func (h *Host) List(q sluice.Query, key string, most int) (rows []any, from int64, err error) {
	for range readAgain {
		rows, from, err = h.pages(q, key, most)
		if err == nil || !errors.Is(err, errRestless) {
			return rows, from, err
		}
	}
	return nil, 0, err
}

func (h *Host) pages(q sluice.Query, key string, most int) (rows []any, from int64, err error) {
	for {
		q.Max = min(pageRows, most-len(rows))
		answer, err := h.Inspect(q)
		if err != nil {
			return nil, 0, err
		}
		page, _ := answer[key].([]any)
		// A page goes on behind a row, and there is one only if another row follows.
		if len(page) == 0 && len(rows) > 0 {
			return nil, 0, errRestless
		}
		rows = append(rows, page...)
		q.From, _ = answer["from"].(int64)
		if q.From == 0 || len(rows) >= most {
			return rows, q.From, nil
		}
	}
}
