// SPDX-License-Identifier: Apache-2.0

package ask

import "context"

const reviewsPath = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"

// May asks the API server whether who asks may do this, in the namespace of Commands if it is about
// those.
func (c *Cluster) May(ctx context.Context, verb, group, resource, namespace string) (bool, error) {
	var review struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Spec       struct {
			ResourceAttributes map[string]string `json:"resourceAttributes"`
		} `json:"spec"`
		Status struct {
			Allowed bool `json:"allowed"`
		} `json:"status"`
	}
	review.APIVersion, review.Kind = "authorization.k8s.io/v1", "SelfSubjectAccessReview"
	review.Spec.ResourceAttributes = map[string]string{"verb": verb, "group": group,
		"resource": resource, "namespace": namespace}
	err := c.call(ctx, c.api.Post().AbsPath(reviewsPath), review, &review)
	return review.Status.Allowed, err
}

// MayCommand tells whether who asks may make Commands.
func (c *Cluster) MayCommand(ctx context.Context) (bool, error) {
	return c.May(ctx, "create", "bus.volcano.sh", "commands", CommandSpace)
}

// MayStop tells whether who asks may set the stopPolicy of ClusterQueues.
func (c *Cluster) MayStop(ctx context.Context) (bool, error) {
	return c.May(ctx, "patch", "kueue.x-k8s.io", "clusterqueues", "")
}
