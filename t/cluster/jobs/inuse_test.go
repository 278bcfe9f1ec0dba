// SPDX-License-Identifier: Apache-2.0

package jobs

import (
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const inUseMark = "kueue.x-k8s.io/resource-in-use"

// inUse: a queue goes when nobody holds its quota, a flavor and a check when no queue names them.
func inUse(c *cluster) {
	c.create(`apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: in-use}
spec: {nodeLabels: {kind: spot}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: unused, finalizers: [example.com/theirs]}
spec: {}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {name: in-use}
spec: {controllerName: example.com/some}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: in-use}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: in-use, resources: [{name: cpu, nominalQuota: 3}]}]
  admissionChecksStrategy: {admissionChecks: [{name: in-use, onFlavors: [spot]}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: in-use, namespace: default}
spec: {clusterQueue: in-use}
`)
	active := fmt.Sprintf(`{"status": {"conditions": [{"type": "Active", "status": "True",
		"reason": "Active", "message": "", "lastTransitionTime": %q}]}}`, now())
	c.patch("AdmissionCheck", "in-use", active, "status")
	for _, kind := range []string{"ClusterQueue", "ResourceFlavor", "AdmissionCheck"} {
		c.marked(kind, "in-use", inUseMark)
	}
	c.marked("ResourceFlavor", "unused", "example.com/theirs", inUseMark)
	c.delete("ResourceFlavor", "unused")
	c.marked("ResourceFlavor", "unused", "example.com/theirs")
	c.patch("ResourceFlavor", "unused", `{"metadata": {"finalizers": null}}`)

	c.create(sample("holder", "in-use", "", 3, "1"))
	c.runs("holder", 3, "spot")
	c.create(sample("waiter", "in-use", "", 3, "1"))
	c.waits("waiter", "Pending")
	c.delete("ClusterQueue", "in-use")
	c.delete("ResourceFlavor", "in-use")
	c.delete("AdmissionCheck", "in-use")
	c.isActive("ClusterQueue", "in-use", "False/Terminating")
	c.waits("waiter", "Inadmissible")
	c.stays("all that is in use stays", func() error {
		if _, running := c.job("holder"); running != 3 {
			return fmt.Errorf("%d pods run", running)
		}
		for _, kind := range []string{"ClusterQueue", "ResourceFlavor", "AdmissionCheck"} {
			if _, err := c.in(kind).Get(c.Context(), "in-use", metav1.GetOptions{}); err != nil {
				return err
			}
		}
		return c.isWaiting("waiter", "Inadmissible")
	})
	c.finish("holder")
	for _, kind := range []string{"ClusterQueue", "ResourceFlavor", "AdmissionCheck"} {
		c.until(kind+" goes", func() error {
			_, err := c.in(kind).Get(c.Context(), "in-use", metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				return nil
			}
			return fmt.Errorf("it is there: %v", err)
		})
	}
	c.waits("waiter", "Inadmissible")
	c.delete("Job", "holder")
	c.delete("Job", "waiter")
}

// marked waits until an object has just these finalizers.
func (c *cluster) marked(kind, name string, want ...string) {
	c.Helper()
	c.until(fmt.Sprintf("%s %s has the finalizers %v", kind, name, want), func() error {
		object, err := c.in(kind).Get(c.Context(), name, metav1.GetOptions{})
		if err == nil && !slices.Equal(object.GetFinalizers(), want) {
			err = fmt.Errorf("it has %v", object.GetFinalizers())
		}
		return err
	})
}
