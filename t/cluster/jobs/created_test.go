// SPDX-License-Identifier: Apache-2.0

package jobs

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const multiKueue = "kueue.x-k8s.io/multikueue"

// created: what a Job is given when it is created, by where its queue sends it.
func created(c *cluster) {
	c.create(`apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {name: dispatch}
spec: {controllerName: kueue.x-k8s.io/multikueue}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {name: created-other}
spec: {controllerName: example.com/other}
`)
	checks := "  admissionChecksStrategy: {admissionChecks: [{name: %s}]}\n"
	c.create(team("far", 3, fmt.Sprintf(checks, "dispatch")))
	c.create(team("near", 3, fmt.Sprintf(checks, "created-other")))
	for _, queue := range []string{"far", "near"} {
		c.isActive("ClusterQueue", queue, "False/AdmissionCheckInactive")
		c.isActive("LocalQueue", queue, "False/ClusterQueueIsInactive")
	}
	spec := func(manifest, more string) string {
		return strings.Replace(manifest, "\nspec:\n", "\nspec:\n  "+more+"\n", 1)
	}
	far, near := sample("sent", "far", "", 2, "1"), sample("kept", "near", "", 2, "1")
	for _, one := range []struct {
		what, manifest string
		suspended      bool
		managedBy      string // "": not said
	}{
		{"its queue sends it away", far, true, multiKueue},
		{"so it does one that is suspended", spec(far, "suspend: true"), true, multiKueue},
		{"it says that the controller manager runs it",
			spec(far, "managedBy: kubernetes.io/job-controller"), true, multiKueue},
		{"somebody else runs it", spec(far, "managedBy: example.com/mine"), true, "example.com/mine"},
		{"its queue has the check of somebody else", near, true, ""},
		{"there is no such queue", sample("lost", "nowhere", "", 1, "1"), true, ""},
		{"it names no queue", strings.Replace(far, "kueue.x-k8s.io/queue-name", "some", 1), false, ""},
	} {
		j, err := c.dry(one.manifest)
		if err != nil {
			c.Errorf("%s: %v", one.what, err)
			continue
		}
		managedBy := ""
		if j.Spec.ManagedBy != nil {
			managedBy = *j.Spec.ManagedBy
		}
		if j.Spec.Suspend == nil || *j.Spec.Suspend != one.suspended || managedBy != one.managedBy {
			c.Errorf("%s: suspend %v, managedBy %q; want %t, %q", one.what, j.Spec.Suspend, managedBy,
				one.suspended, one.managedBy)
		}
	}
	if _, err := c.Client.CoreV1().Namespaces().Create(c.Context(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: "by-default"}}, metav1.CreateOptions{}); err != nil {
		c.Fatal(err)
	}
	c.at("by-default").create(`apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: default, namespace: by-default}
spec: {clusterQueue: far}
`)
	c.until("who names no queue is in the default one of its namespace", func() error {
		j, err := c.at("by-default").dry(strings.Replace(far, "kueue.x-k8s.io/queue-name", "some", 1))
		if err != nil {
			return err
		}
		if j.Labels["kueue.x-k8s.io/queue-name"] != "default" || j.Spec.Suspend == nil ||
			!*j.Spec.Suspend || j.Spec.ManagedBy == nil || *j.Spec.ManagedBy != multiKueue {
			return fmt.Errorf("its labels are %v, and its spec %+v", j.Labels, j.Spec)
		}
		return nil
	})
	c.create(far)
	c.patch("AdmissionCheck", "dispatch", fmt.Sprintf(`{"status": {"conditions": [{"type": "Active",
		"status": "True", "reason": "Active", "message": "", "lastTransitionTime": %q}]}}`, now()),
		"status")
	c.until("its workload has quota, for the manager to dispatch it", func() error {
		if said := says(c.workload("sent"), "QuotaReserved"); said != "True/QuotaReserved" {
			return fmt.Errorf("its workload: %s", c.all("sent"))
		}
		return nil
	})
	if j, running := c.job("sent"); j.Spec.ManagedBy == nil || *j.Spec.ManagedBy != multiKueue ||
		!*j.Spec.Suspend || running > 0 {
		c.Errorf("it is %+v, %d pods run", j.Spec, running)
	}
	c.delete("Job", "sent")
}
