// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const budgetName = "story"

// setBudget lets the API server refuse the evictions of the namespace `default`, or no longer: by a
// disruption budget that nobody keeps up to date, which allows none.
func (t *telling) setBudget(refuses bool) error {
	none := intstr.FromInt32(0)
	budgets := t.world.client.PolicyV1().PodDisruptionBudgets(metav1.NamespaceDefault)
	var err error
	if refuses {
		_, err = budgets.Create(t.ctx, &policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{Name: budgetName},
			Spec: policyv1.PodDisruptionBudgetSpec{
				MaxUnavailable: &none, Selector: &metav1.LabelSelector{},
			},
		}, metav1.CreateOptions{})
	} else {
		err = budgets.Delete(t.ctx, budgetName, metav1.DeleteOptions{})
	}
	if apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
