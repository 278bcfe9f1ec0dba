// SPDX-License-Identifier: Apache-2.0

package host

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"sluice/kube-scheduler/facts"
)

// sharedClaims know which of the pods that name a ResourceClaim counts its devices:
//
//	one of them is bound    that one, as long as it is there: the claim's bearer. The others ask for
//	                        nothing. When it goes, another one that is bound bears the claim
//	none is                 each asks for them, since nobody knows who is granted first; but of the
//	                        pods of a group, which are granted together, only the first; the
//	                        PodGroups below one CompositePodGroup are one group
//
// So what a claim has is counted once when the pods run, in each queue in which some of them are:
// nobody takes devices from one queue by naming them in another one. Two pods that are granted in
// one step both count until one of them is bound; a group whose first pod is held for something
// else counts when another one of it is bound.
type sharedClaims struct {
	counts func(*v1.Pod) bool   // it is one that a queue counts, once it is bound
	place  func(*v1.Pod) string // the queue in which that is
	above  func(*v1.Pod) string // the composite group that its native group is below; "": none

	mutex sync.Mutex
	of    map[types.UID]*sharing
	all   map[sharedIn]*sharers
}

// sharing is a pod that names claims.
type sharing struct {
	place  string
	bound  bool
	claims []types.NamespacedName
}

// sharedIn is a claim in one queue.
type sharedIn struct {
	claim types.NamespacedName
	place string
}

// sharer is a pod of a claim.
type sharer struct {
	*v1.Pod
	group string // with which it is granted; "": it is granted alone, or the group is not made yet
}

// sharers are the pods of one queue that name one claim.
type sharers struct {
	pods   map[types.UID]*sharer
	bearer types.UID
	firsts map[string]types.UID // by the group, of which there may be more than one
}

// sharedNews are the pods of which something else is true now.
type sharedNews struct{ more, less []*v1.Pod } // they ask for more than before, or for less

func newSharedClaims(counts func(*v1.Pod) bool, place, above func(*v1.Pod) string) sharedClaims {
	return sharedClaims{counts: counts, place: place, above: above, of: map[types.UID]*sharing{},
		all: map[sharedIn]*sharers{}}
}

// seen notes a pod, with its heritage, as it is now. It says of which others there is news.
func (s *sharedClaims) seen(pod *v1.Pod) (news sharedNews) {
	if len(pod.Spec.ResourceClaims) == 0 { // nor had it any before: nobody can edit them
		return news
	}
	now, one := &sharing{bound: pod.Spec.NodeName != ""}, &sharer{pod, s.together(pod)}
	if !hasEnded(pod) && s.counts(pod) {
		now.place = s.place(pod)
		facts.ClaimNames(pod, func(claim facts.ClaimName) {
			name := types.NamespacedName{Namespace: pod.Namespace, Name: claim.Name}
			if claim.Name != "" && !slices.Contains(now.claims, name) {
				now.claims = append(now.claims, name)
			}
		})
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if was := s.of[pod.UID]; was != nil {
		if was.bound && pod.Annotations[facts.GrantedIn] == "" {
			now.place = was.place // whatever its owner writes into it
		}
		for _, claim := range was.claims {
			if was.place != now.place || !slices.Contains(now.claims, claim) {
				s.change(sharedIn{claim, was.place}, &news, pod.UID, nil)
			}
		}
	}
	for _, claim := range now.claims {
		s.change(sharedIn{claim, now.place}, &news, pod.UID, one)
	}
	s.of[pod.UID] = now
	if len(now.claims) == 0 {
		delete(s.of, pod.UID)
	}
	return news
}

// gone forgets a pod. It says of which others there is news.
func (s *sharedClaims) gone(pod *v1.Pod) (news sharedNews) {
	if len(pod.Spec.ResourceClaims) == 0 {
		return news
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if was := s.of[pod.UID]; was != nil {
		for _, claim := range was.claims {
			s.change(sharedIn{claim, was.place}, &news, pod.UID, nil)
		}
	}
	delete(s.of, pod.UID)
	return news
}

// asks tells whether a pod counts what a claim of its has; one that was not seen yet does.
func (s *sharedClaims) asks(pod types.UID, claim types.NamespacedName) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	one := s.of[pod]
	if one == nil {
		return true
	}
	of := s.all[sharedIn{claim, one.place}]
	return of == nil || of.pods[pod] == nil || of.asks(of.pods[pod])
}

func (of *sharers) asks(pod *sharer) bool {
	if of.bearer != "" {
		return of.bearer == pod.UID
	}
	return pod.group == "" || of.firsts[pod.group] == pod.UID
}

// together names the group with which a pod is granted.
func (s *sharedClaims) together(pod *v1.Pod) string {
	if composite := s.above(pod); composite != "" {
		return "composite/" + composite
	}
	if native := facts.SchedulingGroup(pod); native != "" {
		return "native/" + native
	}
	return pod.Annotations[facts.GroupName]
}

// change puts a pod, or none, in the place of a pod of one claim. [mutex is held]
func (s *sharedClaims) change(claim sharedIn, news *sharedNews, uid types.UID, now *sharer) {
	of := s.all[claim]
	if of == nil {
		of = &sharers{pods: map[types.UID]*sharer{}, firsts: map[string]types.UID{}}
		s.all[claim] = of
	}
	was := of.pods[uid]
	if was != nil && now != nil && compareSharers(was, now) == 0 && was.group == now.group {
		of.pods[uid] = now
		return
	}
	bearer, firsts := of.bearer, map[string]types.UID{}
	of.pods[uid] = now
	if now == nil {
		delete(of.pods, uid)
	}
	for _, one := range []*sharer{was, now} {
		if one != nil && one.group != "" {
			firsts[one.group] = of.firsts[one.group]
		}
	}
	of.follow(now, firsts)
	of.tell(news, uid, bearer, firsts)
	if len(of.pods) == 0 {
		delete(s.all, claim)
	}
}

// follow finds the bearer, and the first of the groups that may have another one now, after this
// pod came, changed or (nil) went.
func (of *sharers) follow(now *sharer, groups map[string]types.UID) {
	switch isBound := func(pod *sharer) bool { return pod.Spec.NodeName != "" }; {
	case of.bearer == "" && now != nil && isBound(now):
		of.bearer = now.UID
	case of.bearer != "" && of.pods[of.bearer] == nil:
		of.bearer = ""
		if next := of.first(isBound); next != nil {
			of.bearer = next.UID
		}
	}
	for group := range groups {
		delete(of.firsts, group)
		if first := of.first(func(pod *sharer) bool { return pod.group == group }); first != nil {
			of.firsts[group] = first.UID
		}
	}
}

// first is the one of these pods that comes first; nil: there are none.
func (of *sharers) first(are func(*sharer) bool) (first *sharer) {
	for _, pod := range of.pods {
		if are(pod) && (first == nil || compareSharers(pod, first) < 0) {
			first = pod
		}
	}
	return first
}

// tell finds who else asks for something else than before: when there was this bearer, and these
// were the first of the groups that have changed.
func (of *sharers) tell(news *sharedNews, but, bearer types.UID, firsts map[string]types.UID) {
	note := func(pod *sharer, did bool) {
		switch does := of.asks(pod); {
		case pod.UID == but || did == does:
		case does:
			news.more = append(news.more, pod.Pod)
		default:
			news.less = append(news.less, pod.Pod)
		}
	}
	did := func(pod *sharer) bool {
		if bearer != "" {
			return bearer == pod.UID
		}
		first, changed := firsts[pod.group]
		if !changed {
			first = of.firsts[pod.group]
		}
		return pod.group == "" || first == pod.UID
	}
	if bearer != of.bearer {
		if bearer != "" && of.bearer != "" { // all others ask for nothing, as before
			note(of.pods[of.bearer], false)
			return
		}
		for _, pod := range of.pods {
			note(pod, did(pod))
		}
		return
	}
	for group, was := range firsts {
		for _, uid := range []types.UID{was, of.firsts[group]} {
			if pod := of.pods[uid]; pod != nil && was != of.firsts[group] {
				note(pod, did(pod))
			}
		}
	}
}

// compareSharers has those first that are bound, then those that nothing of others' keeps from
// being granted, and these in the order in which they are.
func compareSharers(a, b *sharer) int {
	return cmp.Or(
		first(a.Spec.NodeName != "", b.Spec.NodeName != ""),
		first(!facts.HasForeignGate(a.Pod), !facts.HasForeignGate(b.Pod)),
		cmp.Compare(priorityOf(b.Pod), priorityOf(a.Pod)),
		a.CreationTimestamp.Compare(b.CreationTimestamp.Time),
		strings.Compare(string(a.UID), string(b.UID)))
}

func priorityOf(pod *v1.Pod) int32 {
	if pod.Spec.Priority == nil {
		return 0
	}
	return *pod.Spec.Priority
}
