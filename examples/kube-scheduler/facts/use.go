// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/kubernetes/pkg/apis/scheduling"

	v1 "k8s.io/api/core/v1"

	"sluice/kube-scheduler/sluice"
)

// Annotations that say who may use a queue, and how. The first three are a queue's, the last one is
// a namespace's.
const (
	// Namespaces lists those from which a Queue of Volcano's, and all below it, takes pods.
	Namespaces = "sluice.sh/namespaces"
	// NamespaceSelector selects them by their labels; where both are there, both must hold.
	NamespaceSelector = "sluice.sh/namespace-selector"
	// SystemPriorities is "true": the priorities of the classes system-* count in the queue.
	SystemPriorities = "sluice.sh/system-priorities"
	// QueueBinding is "true": the queue that the namespace names is that of all its pods and
	// PodGroups, whatever these say.
	QueueBinding = "sluice.sh/queue-binding"
)

// Queues of Volcano's that are there without an object: DefaultQueue takes the pods that name no
// other one, and all are below RootQueue.
const (
	DefaultQueue = "default"
	RootQueue    = "root"
)

// UsersOf selects the namespaces that may use a Queue of Volcano's, as its annotations say: without
// any, all of them. With an error it selects none.
func UsersOf(annotations map[string]string) (*metav1.LabelSelector, error) {
	users := &metav1.LabelSelector{}
	if text, has := annotations[NamespaceSelector]; has {
		selector, err := metav1.ParseToLabelSelector(text)
		if err != nil {
			return nil, fmt.Errorf("metadata.annotations[%s]: %q, want a label selector such as "+
				"\"team in (a, b)\": %w", NamespaceSelector, text, err)
		}
		users = selector
	}
	text, has := annotations[Namespaces]
	if !has {
		return users, nil
	}
	listed := metav1.LabelSelectorRequirement{Key: v1.LabelMetadataName,
		Operator: metav1.LabelSelectorOpIn}
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if wrong := validation.IsDNS1123Label(name); len(wrong) > 0 {
			return nil, fmt.Errorf("metadata.annotations[%s]: %q, want names of namespaces with "+
				"commas between them: %q: %s", Namespaces, text, name, wrong[0])
		}
		listed.Values = append(listed.Values, name)
	}
	users.MatchExpressions = append(users.MatchExpressions, listed)
	return users, nil
}

// Bind sends a pod, after Pod has written it, to the queue that its namespace names, whatever it
// says itself.
func Bind(into *sluice.Pod) {
	for i := range into.Annotations {
		if into.Annotations[i][0] == QueueName {
			into.Annotations = append(into.Annotations[:i], into.Annotations[i+1:]...)
			return
		}
	}
}

// QueueOf is the queue that a pod names, itself or by its namespace.
func QueueOf(pod *sluice.Pod) string {
	for i := range pod.Annotations {
		if pod.Annotations[i][0] == QueueName && pod.Annotations[i][1] != "" {
			return pod.Annotations[i][1]
		}
	}
	if pod.NamespaceQueue != "" {
		return pod.NamespaceQueue
	}
	return DefaultQueue
}

// MemberPriority is CommonPriority of a member of a native group that has this priority (nil: says
// none). The scheduler takes a group only if its members all have its priority: one that has not
// must not look here as if it had.
func MemberPriority(own int32, group *int32) int32 {
	common := CommonPriority(own)
	if group != nil && own != *group && common == CommonPriority(*group) {
		return max(own, *group)
	}
	return common
}

// CommonPriority is a priority where those of the classes system-* do not count: as if none were
// said. Nobody else's can be that high.
func CommonPriority(priority int32) int32 {
	if priority > scheduling.HighestUserDefinablePriority {
		return 0
	}
	return priority
}
