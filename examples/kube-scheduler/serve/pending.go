// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"

	"sluice/kube-scheduler/host"
	"sluice/kube-scheduler/sluice"
)

// Of what waits in a namespace so many pods are told at a time.
const (
	usualPending = 500
	mostPending  = 1000
)

// pending is what waits or is held in the namespace, each with its place in its queue: Workloads,
// PodGroups, and pods that are in none of these, the oldest first. A page goes on behind its last
// pod.
func (t *tenant) pending(query url.Values) (any, error) {
	limit, after := int64(usualPending), query.Get("continue")
	if text := query.Get("limit"); text != "" {
		var err error
		if limit, err = number(text, 0, math.MaxInt64); err != nil {
			return nil, apierrors.NewBadRequest("limit: " + err.Error())
		}
	}
	if limit == 0 || limit > mostPending {
		limit = mostPending
	}
	answer := &list{TypeMeta: kind("PendingList"), Items: []item{}}
	groups, err := t.pendingGroups()
	if err != nil {
		return nil, err
	}
	if after == "" {
		if err := t.pendingWorkloads(answer); err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(groups)) {
			answer.add("PodGroup", groups[name])
		}
	}
	pods, err := t.waitingPods(after)
	if err != nil {
		return nil, err
	}
	if left := int64(len(pods)) - limit; left > 0 {
		answer.Metadata.RemainingItemCount = &left
		answer.Metadata.Continue = place(pods[limit-1])
		pods = pods[:limit]
	}
	for _, pod := range pods {
		about, err := t.pendingPod(pod)
		if err != nil {
			return nil, err
		}
		if _, grouped := groups[text(about, "group")]; !grouped {
			answer.add("Pod", about)
		}
	}
	return answer, nil
}

// place is where a pod stands among those that are listed.
func place(pod *v1.Pod) string {
	return fmt.Sprintf("%020d/%s", pod.CreationTimestamp.UnixNano(), pod.Name)
}

// waitingPods have no node and have not ended, the oldest first.
func (t *tenant) waitingPods(after string) ([]*v1.Pod, error) {
	pods, err := t.pods.Pods(t.namespace).List(labels.Everything())
	pods = slices.DeleteFunc(pods, func(pod *v1.Pod) bool {
		return pod.Spec.NodeName != "" || pod.Status.Phase == v1.PodSucceeded ||
			pod.Status.Phase == v1.PodFailed || place(pod) <= after
	})
	slices.SortFunc(pods, func(a, b *v1.Pod) int { return cmp.Compare(place(a), place(b)) })
	return pods, err
}

// pendingPod is nil of a pod that is nobody's of ours, or has gone.
func (t *tenant) pendingPod(pod *v1.Pod) (object, error) {
	about, err := t.host.Inspect(sluice.Query{What: "pod", Within: t.namespace, Name: pod.Name})
	var unknown *sluice.Error
	var refused *host.Refused
	switch {
	case errors.As(err, &refused):
		return object{"namespace": t.namespace, "name": pod.Name, "uid": string(pod.UID),
			"state": "held", "reason": "Refused", "message": refused.Error(),
			"created": pod.CreationTimestamp.UnixNano()}, nil
	case errors.As(err, &unknown) && unknown.Code == sluice.CodeField:
		return nil, nil
	}
	return about, err
}

func (t *tenant) pendingWorkloads(answer *list) error {
	locals, err := t.list(sluice.Query{What: "localQueues"}, "localQueues")
	for i := 0; i < len(locals) && err == nil; i++ {
		var workloads []object
		workloads, err = t.list(sluice.Query{What: "workloads", Kind: "LocalQueue",
			Name: text(locals[i], "name")}, "workloads")
		for _, workload := range workloads {
			answer.add("Workload", workload)
		}
	}
	return err
}

// pendingGroups are those that wait or are held, by name: their pods wait with them. (A group that
// does neither goes pod by pod.)
func (t *tenant) pendingGroups() (map[string]object, error) {
	groups, err := t.list(sluice.Query{What: "groups"}, "groups")
	found := map[string]object{}
	for _, group := range groups {
		if pends(group) {
			found[text(group, "name")] = group
		}
	}
	return found, err
}

func pends(about object) bool { return about["state"] == "waiting" || about["state"] == "held" }

// add lists it if it waits or is held.
func (l *list) add(of string, about object) {
	if !pends(about) {
		return
	}
	about["of"] = of
	l.Items = append(l.Items, item{kind("Pending"),
		metadata{text(about, "name"), text(about, "namespace"), text(about, "uid")}, about})
}
