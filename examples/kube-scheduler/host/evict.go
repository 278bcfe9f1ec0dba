// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"net/http"
	"strings"

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/sluice"
)

// optional is what the engine asks for only where the configuration says so.
func optional(args *config.Args) (kinds []string) {
	if args.Preempt {
		kinds = append(kinds, sluice.EvictPod)
	}
	if args.Workloads {
		kinds = append(kinds, sluice.WriteWorkload)
	}
	if args.NativeMinimums {
		kinds = append(kinds, sluice.CreateNative)
	}
	return kinds
}

// refusedAtOnce has an eviction that a budget refuses fail at once. The API server says when to try
// again, and the client would: ten times, while the engine waits for an answer, and cannot look for
// another victim.
type refusedAtOnce struct{ http.RoundTripper }

func failAtOnce(inner http.RoundTripper) http.RoundTripper { return refusedAtOnce{inner} }

func (r refusedAtOnce) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := r.RoundTripper.RoundTrip(request)
	if err == nil && answer.StatusCode == http.StatusTooManyRequests &&
		strings.HasSuffix(request.URL.Path, "/eviction") {
		answer.Header.Del("Retry-After")
	}
	return answer, err
}

// evict asks the API server to delete the pod, and no other one of its name; disruption budgets
// hold.
func (p *pods) evict(ctx context.Context, effect *sluice.Effect) error {
	pod := podOf(p.lister, effect)
	switch {
	case pod == nil:
		return apierrors.NewNotFound(v1.Resource("pods"), effect.Name)
	case pod.DeletionTimestamp != nil:
		return nil
	}
	uid := types.UID(effect.UID)
	err := p.clients.effects.PolicyV1().Evictions(effect.Namespace).Evict(ctx, &policy.Eviction{
		ObjectMeta: metav1.ObjectMeta{Name: effect.Name, Namespace: effect.Namespace},
		DeleteOptions: &metav1.DeleteOptions{
			Preconditions: &metav1.Preconditions{UID: &uid}},
	})
	if err == nil {
		p.engine.log.Info("Evicted a pod", "pod", effect.Namespace+"/"+effect.Name, "why", effect.Message)
		metrics.evictions.WithLabelValues("pod", effect.Reason).Inc()
		p.tellOfEviction(ctx, effect)
	}
	return err
}
