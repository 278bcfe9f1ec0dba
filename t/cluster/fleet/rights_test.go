// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A right, as one line: verbs, resource[.group][/subresource][:name], and the namespace, - for all.
type right struct{ verbs, resource, namespace string }

var inWorkers = []right{
	{"list watch create delete patch", "workloads.kueue.x-k8s.io", "-"},
	{"update", "workloads.kueue.x-k8s.io/status", "-"},
	{"get list watch create delete", "jobs.batch", "-"},
}

var notInWorkers = []right{
	{"update", "workloads.kueue.x-k8s.io", "-"},
	{"patch", "workloads.kueue.x-k8s.io/status", "-"},
	{"update patch", "jobs.batch", "-"},
	{"update patch", "jobs.batch/status", "-"},
	{"get list watch create update patch delete", "pods", "-"},
	{"get list watch create update patch delete", "secrets", "-"},
	{"get list create update patch delete", "clusterqueues.kueue.x-k8s.io", "-"},
	{"get list create update patch delete", "nodes", "-"},
	{"create", "serviceaccounts/token", space},
}

var inManager = []right{
	{"list watch patch", "workloads.kueue.x-k8s.io", "-"},
	{"update", "workloads.kueue.x-k8s.io/status", "-"},
	{"list watch", "jobs.batch", "-"},
	{"update", "jobs.batch/status", "-"},
	{"list watch", "admissionchecks.kueue.x-k8s.io", "-"},
	{"update", "admissionchecks.kueue.x-k8s.io/status", "-"},
	{"list watch", "multikueueconfigs.kueue.x-k8s.io", "-"},
	{"list watch", "multikueueclusters.kueue.x-k8s.io", "-"},
	{"update", "multikueueclusters.kueue.x-k8s.io/status", "-"},
	{"get", "secrets", space},
	{"create", "leases.coordination.k8s.io", space},
	{"get update", "leases.coordination.k8s.io:sluice-manager", space},
}

var notInManager = []right{
	{"create update delete", "workloads.kueue.x-k8s.io", "-"},
	{"create update patch delete", "jobs.batch", "-"},
	{"create update patch delete", "multikueueclusters.kueue.x-k8s.io", "-"},
	{"list watch create update patch delete", "secrets", space},
	{"get list watch", "secrets", "default"},
	{"get update", "leases.coordination.k8s.io:another", space},
	{"get list watch create update patch delete", "pods", "-"},
}

// The manager may do what it needs, and nothing else of what somebody might give it.
func rights(f *fleet, _, _ *kueue) {
	for _, c := range []*cluster{f.manager, f.workers["east"]} {
		needed, forbidden := inWorkers, notInWorkers
		if c == f.manager {
			needed, forbidden = inManager, notInManager
		}
		f.check(c, needed, true)
		f.check(c, forbidden, false)
	}
}

func (f *fleet) check(c *cluster, rights []right, want bool) {
	f.Helper()
	client, err := c.ClientFor(us.Name)
	f.must(err)
	for _, r := range rights {
		for _, verb := range strings.Fields(r.verbs) {
			resource, name, _ := strings.Cut(r.resource, ":")
			resource, subresource, _ := strings.Cut(resource, "/")
			resource, group, _ := strings.Cut(resource, ".")
			asked := &authorizationv1.ResourceAttributes{Verb: verb, Group: group, Resource: resource,
				Subresource: subresource, Name: name}
			if r.namespace != "-" {
				asked.Namespace = r.namespace
			}
			answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(f.Context(),
				&authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
					ResourceAttributes: asked}}, metav1.CreateOptions{})
			f.must(err)
			if answer.Status.Allowed != want {
				f.Errorf("%s: %s %s in %s: allowed %v, want %v", c.Name, verb, r.resource, r.namespace,
					answer.Status.Allowed, want)
			}
		}
	}
}
