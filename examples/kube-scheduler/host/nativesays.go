// SPDX-License-Identifier: Apache-2.0

package host

import (
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/features"

	"sluice/kube-scheduler/facts"
)

// nativeScheduler is what the scheduler of this process does with Kubernetes' own groups.
type nativeScheduler struct {
	follows bool                      // it knows them: its feature gate is on
	hasGate bool                      // it has gateOfOneByOne, on or off
	reads   func(version string) bool // it was built for this version

	// The informer by which it follows PodGroups, and their version; nil: it follows none.
	podGroups cache.SharedIndexInformer
	version   string
}

// followedBy is a scheduler with the informer of PodGroups that it has from this factory. It must
// be asked for before the factory starts what it has; a scheduler that follows no PodGroups may not
// get one, and would wait for it where none are served.
func (s nativeScheduler) followedBy(factory informers.SharedInformerFactory) nativeScheduler {
	if !s.follows {
		return s
	}
	for _, version := range []string{"v1beta1", "v1alpha2"} { // no release has both
		of, err := factory.ForResource(nativeResource(version, podGroupsOfNative))
		if err == nil {
			s.podGroups, s.version = of.Informer(), version
			break
		}
	}
	return s
}

// thisScheduler is that of this process.
func thisScheduler() nativeScheduler {
	_, hasGate := utilfeature.DefaultMutableFeatureGate.GetAll()[gateOfOneByOne]
	return nativeScheduler{
		hasGate: hasGate,
		follows: utilfeature.DefaultFeatureGate.Enabled(features.GenericWorkload),
		reads: func(version string) bool {
			return scheme.Scheme.Recognizes(schema.GroupVersionKind{Group: facts.NativeGroups,
				Version: version, Kind: facts.KindGroup})
		},
	}
}

// gateOfOneByOne is a feature gate of the schedulers that take the members of a group out of their
// queue one by one; those after them queue a group as one, and have that gate no more.
const gateOfOneByOne = "GangScheduling"

// takesOneByOne tells whether the scheduler may take some members of a group and not the others:
// if not, it holds all of them for one that is held.
func (s *nativeScheduler) takesOneByOne() bool { return s.hasGate || !s.follows }

// amiss is what does not fit together of the API server, which serves PodGroups in this version
// (in none: ""), and the scheduler; "": all fits.
func (s *nativeScheduler) amiss(served string, before bool) string {
	const kind = "podgroups." + facts.NativeGroups
	switch {
	case served == "" && before:
		return "the API server serves " + kind + " no more: groups stay as they were seen, and " +
			"pods of others wait until it serves them again"
	case served == "" && s.follows:
		return "the scheduler's feature gate GenericWorkload is on, and the API server serves no " +
			kind + ": this scheduler schedules nothing at all until it does; turn the gate off, or " +
			"on in the API server, too"
	case served != "" && !s.follows:
		return fmt.Sprintf("the API server serves %s in %s, and the scheduler's feature gate "+
			"GenericWorkload is off: queues grant such groups as one, but their pods are scheduled "+
			"one by one, and a gang may run in part", kind, served)
	case served != "" && !s.reads(served):
		return fmt.Sprintf("the API server serves %s in %s, and this scheduler is of a release that "+
			"reads another version: it schedules nothing at all once it starts anew; use one of the "+
			"API server's release, or turn its feature gate GenericWorkload off", kind, served)
	}
	return ""
}

// amiss is what was said last of that.
type amiss struct {
	mutex sync.Mutex
	what  string
	told  bool // by an event, too
}

// say says what is amiss, loudly and once.
func (n *nativeGroups) say(what string) {
	n.amiss.mutex.Lock()
	defer n.amiss.mutex.Unlock()
	if n.amiss.what == what {
		return
	}
	n.amiss.what, n.amiss.told = what, false
	if what == "" {
		metrics.nativeAmiss.Set(0)
		n.engine.log.Info("The API server and the scheduler agree about Kubernetes' own groups")
		return
	}
	metrics.nativeAmiss.Set(1)
	n.engine.log.Error(nil, what)
}

// tell makes an event of what is amiss, about the first group that is seen then.
func (a *amiss) tell(e *engine, group runtime.Object) {
	a.mutex.Lock()
	what := a.what
	if a.told {
		what = ""
	}
	a.told = a.told || what != ""
	a.mutex.Unlock()
	if what != "" {
		e.warn(group, "SluiceNativeGroups", "%s", what)
	}
}
