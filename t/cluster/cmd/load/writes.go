// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"sluice/cluster/plane"
)

// inLoad leaves the writes about the pods that are measured.
func inLoad(events []auditv1.Event) []auditv1.Event {
	return slices.DeleteFunc(slices.Clone(events), func(e auditv1.Event) bool {
		return e.ObjectRef == nil || e.ObjectRef.Namespace != loadSpace
	})
}

// kind is a write in words: patch pods, create pods/binding.
func kind(w plane.Write) string {
	if w.Subresource == "" {
		return w.Verb + " " + w.Resource
	}
	return w.Verb + " " + w.Resource + "/" + w.Subresource
}

// who is the writer: the scheduler, the program that stands in for everybody else, or the API
// server itself.
func who(user string) string {
	switch user {
	case stockUser, plane.ServiceAccountUser(accountNamespace, account).Name:
		return "scheduler"
	case plane.Admin:
		return "load"
	case runnerUser:
		return "Kueue's runner"
	case kueueUser:
		return "Kueue"
	case bareUser:
		return "the bare program"
	}
	return user
}

// byWriter sorts writes: the scheduler's first, then by kind.
func byWriter(writes map[plane.Write]int) []plane.Write {
	return slices.SortedFunc(maps.Keys(writes), func(a, b plane.Write) int {
		return cmp.Or(-cmp.Compare(who(a.User), who(b.User)), strings.Compare(kind(a), kind(b)))
	})
}

// perPod says what each pod cost, in words.
func perPod(writes map[plane.Write]int, pods int) string {
	var words []string
	for _, w := range byWriter(writes) {
		words = append(words, fmt.Sprintf("%.2f %s (%s)", float64(writes[w])/float64(pods), kind(w),
			who(w.User)))
	}
	return strings.Join(words, ", ")
}

func total(writes map[plane.Write]int) int {
	sum := 0
	for _, n := range writes {
		sum += n
	}
	return sum
}
