// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"context"
	"fmt"
	"time"

	authorization "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"sluice/cluster/plane"
)

// workloadRights is the part of the shipped manifests that is applied for stories with Workloads.
const workloadRights = "examples/deploy/components/workloads/rights.yaml"

const rightsTake = 30 * time.Second

// mayHaveWorkloads gives the scheduler the rights that Workloads take, or takes them away: stories
// of pods are told with what is shipped for pods.
func (c *Cluster) mayHaveWorkloads(ctx context.Context, workloads bool) error {
	if c.workloads == workloads {
		return nil
	}
	if err := c.Rights(ctx, workloads); err != nil {
		return err
	}
	c.workloads = workloads
	return nil
}

// setWorkloadRights applies or deletes them, and waits until the API server goes by it.
func setWorkloadRights(ctx context.Context, p *plane.Plane, file string, on bool) error {
	verb := "apply"
	if !on {
		verb = "delete"
	}
	if _, err := p.Kubectl(ctx, verb, "-f", file); err != nil {
		return err
	}
	return awaitRight(ctx, p.Client, on)
}

func awaitRight(ctx context.Context, client kubernetes.Interface, on bool) error {
	ctx, cancel := context.WithTimeout(ctx, rightsTake)
	defer cancel()
	user := fmt.Sprintf("system:serviceaccount:%s:%s", accountNamespace, accountName)
	for {
		review, err := client.AuthorizationV1().SubjectAccessReviews().Create(ctx,
			&authorization.SubjectAccessReview{Spec: authorization.SubjectAccessReviewSpec{
				User: user, ResourceAttributes: &authorization.ResourceAttributes{
					Verb: "list", Group: kueue, Resource: "workloads"}}}, metav1.CreateOptions{})
		if err == nil && review.Status.Allowed == on {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s may list workloads = %t does not come true: %w", user, on, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
