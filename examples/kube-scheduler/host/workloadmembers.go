// SPDX-License-Identifier: Apache-2.0

package host

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/facts"
)

// workloadMembers knows which pods a workload pays for. Any pod may say that it is of a workload;
// it is if the workload agrees:
//
//	owner       what the workload was made for controls the pod, from however far above
//	pod set     it has the one that the pod names; one that names none is of the only one
//	requests    it asks for no more than was reserved for each pod of that
//	count       so many pods of it are there: those that run first, then the oldest, and last those
//	            that go
//
// All others are pods of their own.
type workloadMembers struct {
	find   func(types.NamespacedName) *kueue.Workload // nil: there is none
	around func(*kueue.Workload) *facts.Around
	below  func(pod *v1.Pod, owner types.UID) bool

	mutex sync.Mutex
	of    map[types.UID]types.NamespacedName // the pods that say so
	all   map[types.NamespacedName]*claimants
}

// claimants are the pods that say they are of one workload.
type claimants struct {
	pods   map[types.UID]*claimant
	sets   map[string]*setClaimants
	shares map[string]facts.Share // of this version of the workload
	uid    types.UID
	latest string
}

type claimant struct {
	pod    *v1.Pod
	set    string
	agrees bool // but for the count
	member bool
}

// setClaimants are those of one pod set that agree with it but for the count.
type setClaimants struct {
	pods   map[types.UID]*claimant
	beyond int // so many of them are no members
}

// seen notes a pod as it is now, and returns the others about which something else is true now.
func (m *workloadMembers) seen(pod *v1.Pod) (news []*v1.Pod) {
	now := types.NamespacedName{Namespace: pod.Namespace, Name: facts.WorkloadOf(pod)}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if before, known := m.of[pod.UID]; known && (before != now || now.Name == "") {
		news = m.forget(pod.UID)
	}
	if now.Name == "" {
		return news
	}
	of := m.all[now]
	if of == nil {
		of = &claimants{pods: map[types.UID]*claimant{}, sets: map[string]*setClaimants{}}
		m.all[now] = of
	}
	m.of[pod.UID] = now
	w := m.find(now)
	news = append(news, m.follow(of, w)...)
	return append(news, m.place(of, w, pod)...)
}

// gone forgets a pod, and returns the others about which something else is true now.
func (m *workloadMembers) gone(pod types.UID) []*v1.Pod {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.forget(pod)
}

// changed returns the pods about which something else is true since the workload is another.
func (m *workloadMembers) changed(name types.NamespacedName) []*v1.Pod {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	of := m.all[name]
	if of == nil {
		return nil
	}
	return m.follow(of, m.find(name))
}

// has tells whether the workload pays for a pod; also for one that is not there yet.
func (m *workloadMembers) has(pod *v1.Pod) bool {
	name := types.NamespacedName{Namespace: pod.Namespace, Name: facts.WorkloadOf(pod)}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if of := m.all[name]; of != nil && of.pods[pod.UID] != nil {
		return of.pods[pod.UID].member
	}
	w := m.find(name)
	if w == nil {
		return false
	}
	_, agrees := m.set(w, facts.Shares(w, m.around(w)), pod)
	return agrees
}

// forget takes a pod from those of its workload. [mutex is held]
func (m *workloadMembers) forget(pod types.UID) (news []*v1.Pod) {
	name, known := m.of[pod]
	if !known {
		return nil
	}
	of := m.all[name]
	news = of.take(pod)
	delete(m.of, pod)
	if len(of.pods) == 0 {
		delete(m.all, name)
	}
	return news
}

// follow looks at all of them anew, if the workload is another than it was. [mutex is held]
func (m *workloadMembers) follow(of *claimants, w *kueue.Workload) (news []*v1.Pod) {
	uid, latest, shares := types.UID(""), "", map[string]facts.Share(nil)
	if w != nil {
		uid, latest = w.UID, w.ResourceVersion
	}
	if of.uid == uid && of.latest == latest {
		return nil
	}
	if w != nil {
		shares = facts.Shares(w, m.around(w))
	}
	were := of.pods
	of.uid, of.latest, of.shares = uid, latest, shares
	of.pods, of.sets = map[types.UID]*claimant{}, map[string]*setClaimants{}
	for _, was := range were {
		m.place(of, w, was.pod)
	}
	for uid, was := range were {
		if was.member != of.pods[uid].member {
			news = append(news, was.pod)
		}
	}
	return news
}

// place puts a pod where it belongs. [mutex is held]
func (m *workloadMembers) place(of *claimants, w *kueue.Workload, pod *v1.Pod) []*v1.Pod {
	now := &claimant{pod: pod}
	if w != nil {
		now.set, now.agrees = m.set(w, of.shares, pod)
	}
	if was := of.pods[pod.UID]; was != nil && was.agrees == now.agrees && was.set == now.set &&
		compareClaimants(was.pod, pod) == 0 {
		was.pod = pod
		return nil
	}
	news := of.take(pod.UID)
	of.pods[pod.UID] = now
	if !now.agrees {
		return news
	}
	set := of.sets[now.set]
	if set == nil {
		set = &setClaimants{pods: map[types.UID]*claimant{}}
		of.sets[now.set] = set
	}
	set.pods[pod.UID] = now
	now.member = true
	others := set.rank(of.shares[now.set].Count)
	return append(news, slices.DeleteFunc(others, func(p *v1.Pod) bool { return p == pod })...)
}

// take takes a pod out, and returns for whom that is news.
func (of *claimants) take(pod types.UID) []*v1.Pod {
	was := of.pods[pod]
	delete(of.pods, pod)
	if was == nil || !was.agrees {
		return nil
	}
	set := of.sets[was.set]
	delete(set.pods, pod)
	if !was.member {
		set.beyond--
	}
	return set.rank(of.shares[was.set].Count)
}

// rank finds who is a member, and returns for whom that is news. Where all are, and were, nobody is
// looked at.
func (set *setClaimants) rank(count int) (news []*v1.Pod) {
	if set.beyond == 0 && len(set.pods) <= count {
		return nil
	}
	all := slices.SortedFunc(maps.Values(set.pods), func(a, b *claimant) int {
		return compareClaimants(a.pod, b.pod)
	})
	for i, one := range all {
		if one.member != (i < count) {
			one.member = i < count
			news = append(news, one.pod)
		}
	}
	set.beyond = max(len(all)-count, 0)
	return news
}

// compareClaimants has those first that do not go, since others are made in the place of those that
// do, and of these those that run: nobody who waits takes the place of one that has it.
func compareClaimants(a, b *v1.Pod) int {
	return cmp.Or(
		first(a.DeletionTimestamp == nil, b.DeletionTimestamp == nil),
		first(a.Spec.NodeName != "", b.Spec.NodeName != ""),
		a.CreationTimestamp.Compare(b.CreationTimestamp.Time),
		strings.Compare(string(a.UID), string(b.UID)))
}

// first compares by what is so of those that come first.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// set is the pod set of which a pod is, if its workload agrees but for the count.
func (m *workloadMembers) set(w *kueue.Workload, shares map[string]facts.Share, pod *v1.Pod) (
	name string, agrees bool) {
	name = facts.PodSetOf(pod)
	if name == "" && len(w.Spec.PodSets) == 1 {
		name = string(w.Spec.PodSets[0].Name)
	}
	share, has := shares[name]
	return name, has && m.isOwned(w, pod) && share.Covers(pod)
}

// isOwned tells whether both were made for the same, or both by hand.
func (m *workloadMembers) isOwned(w *kueue.Workload, pod *v1.Pod) bool {
	if owner := metav1.GetControllerOfNoCopy(w); owner != nil {
		return m.below(pod, owner.UID)
	}
	if len(w.OwnerReferences) == 0 {
		return metav1.GetControllerOfNoCopy(pod) == nil
	}
	return slices.ContainsFunc(w.OwnerReferences, func(owner metav1.OwnerReference) bool {
		return owner.UID == pod.UID
	})
}
