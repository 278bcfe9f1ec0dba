// SPDX-License-Identifier: Apache-2.0

package serve

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corelisters "k8s.io/client-go/listers/core/v1"

	"sluice/kube-scheduler/host"
	"sluice/kube-scheduler/sluice"
)

// tenant answers about one namespace. All that it asks the engine is asked within that namespace,
// so the engine itself tells no name of another one. Which pods there are it knows from the
// scheduler's own informer: what a question costs goes with what is in the namespace, and not in
// the cluster.
type tenant struct {
	host      *host.Host
	pods      corelisters.PodLister
	namespace string
}

type object map[string]any

// why is the answer about one object. Queues are those that it is in, from its own up to the root.
type why struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        metadata `json:"metadata"`
	Pod             object   `json:"pod,omitempty"`
	Group           object   `json:"group,omitempty"` // asked for, or that of the pod
	Workload        object   `json:"workload,omitempty"`
	Queues          any      `json:"queues"`
}

type metadata struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitempty"`
	UID       string `json:"uid,omitempty"`
}

// item is one of a list: Status is the engine's map.
type item struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        metadata `json:"metadata"`
	Status          object   `json:"status"`
}

type list struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        metav1.ListMeta `json:"metadata"`
	Items           []item          `json:"items"`
}

func kind(name string) metav1.TypeMeta {
	return metav1.TypeMeta{Kind: name, APIVersion: visibilityGroup + "/" + visibilityVersion}
}

func text(about object, key string) string {
	value, _ := about[key].(string)
	return value
}

// ask asks about one object of the namespace, with the queues that it is in.
func (t *tenant) ask(what, name string) (about object, path any, err error) {
	return t.askFor(sluice.Query{What: what, Name: name})
}

func (t *tenant) askFor(q sluice.Query) (about object, path any, err error) {
	q.Within, q.Path = t.namespace, true
	about, err = t.host.Inspect(q)
	path = about["path"]
	delete(about, "path")
	return about, path, err
}

func (t *tenant) list(q sluice.Query, key string) ([]object, error) {
	q.Within = t.namespace
	rows, _, err := t.host.List(q, key, usualRows)
	found := make([]object, 0, len(rows))
	for _, row := range rows {
		if one, is := row.(map[string]any); is {
			found = append(found, one)
		}
	}
	return found, err
}

func (t *tenant) answer(name string, path any) *why {
	return &why{TypeMeta: kind("Why"), Metadata: metadata{Name: name, Namespace: t.namespace},
		Queues: path}
}

func (t *tenant) whyPod(name string) (*why, error) {
	pod, path, err := t.ask("pod", name)
	if err != nil {
		return nil, err
	}
	answer := t.answer(name, path)
	answer.Pod = pod
	if group := text(pod, "group"); group != "" {
		// Between the two questions the group may have gone.
		native, _ := pod["native"].(bool)
		if of, err := t.groupOf(group, native); err == nil {
			answer.Group = of.Group
		}
	}
	return answer, nil
}

func (t *tenant) whyGroup(name string) (*why, error) { return t.groupOf(name, false) }

// groupOf answers about Kubernetes' own group of a name, or about Volcano's, if there is one.
func (t *tenant) groupOf(name string, native bool) (*why, error) {
	group, path, err := t.askFor(sluice.Query{What: "group", Name: name, Native: native})
	if err != nil {
		return nil, err
	}
	delete(group, "from")
	members, err := t.list(sluice.Query{What: "group", Name: name, Native: native}, "members")
	if err != nil {
		return nil, err
	}
	group["members"] = members
	answer := t.answer(name, path)
	answer.Group = group
	return answer, nil
}

func (t *tenant) whyWorkload(name string) (*why, error) {
	workload, path, err := t.ask("workload", name)
	if err != nil {
		return nil, err
	}
	answer := t.answer(name, path)
	answer.Workload = workload
	return answer, nil
}
