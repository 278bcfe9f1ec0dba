// SPDX-License-Identifier: Apache-2.0

package host

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/sluice"
)

// evictions are answered by answer; those that were asked for are listed.
func (w *world) evictions(answer func() error) *[]*policy.Eviction {
	var asked []*policy.Eviction
	w.typed.to("create", "pods", func(action clienttesting.Action) (bool,
		runtime.Object, error) {
		if action.GetSubresource() != "eviction" {
			return false, nil, nil
		}
		eviction := action.(clienttesting.CreateAction).GetObject().(*policy.Eviction)
		w.mutex.Lock()
		asked = append(asked, eviction)
		w.mutex.Unlock()
		return true, eviction, answer()
	})
	return &asked
}

func TestAVictimIsEvictedUnderItsUID(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind, Preempt: true}, nil)
	pod := w.create(gatedPod("a"))
	w.until("the lister has it", func() bool {
		_, err := w.pods.lister.Pods("default").Get("a")
		return err == nil
	})
	effect := &sluice.Effect{Kind: sluice.EvictPod, Namespace: pod.Namespace, Name: pod.Name,
		UID: string(pod.UID), Message: "preempted to make room"}
	var refusal error
	asked := w.evictions(func() error { return refusal })

	refusal = apierrors.NewTooManyRequests("the budget is used up", 10)
	w.does(effect, sluice.Retry)
	refusal = nil
	w.does(effect, sluice.Done)
	if len(*asked) != 2 || (*asked)[1].Name != pod.Name ||
		*(*asked)[1].DeleteOptions.Preconditions.UID != pod.UID {
		t.Errorf("asked for %+v", *asked)
	}
	refusal = apierrors.NewConflict(v1.Resource("pods"), pod.Name, nil)
	w.does(effect, sluice.Conflict)
	refusal = apierrors.NewNotFound(v1.Resource("pods"), pod.Name)
	w.does(effect, sluice.Gone)

	effect.UID = "another"
	w.does(effect, sluice.Gone)
	if len(*asked) != 4 {
		t.Errorf("another pod of that name is asked about, too: %d", len(*asked))
	}
}

// While the client tries again by itself, as the API server says, the engine waits for an answer.
func TestABudgetsRefusalIsKnownAtOnce(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	defer server.Close()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL, WrapTransport: failAtOnce})
	if err != nil {
		t.Fatal(err)
	}
	err = client.PolicyV1().Evictions("default").Evict(t.Context(),
		&policy.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "default"}})
	if !apierrors.IsTooManyRequests(err) || asked != 1 {
		t.Errorf("it was asked %d times: %v", asked, err)
	}
}

func TestPodsAreEvictedOnlyIfTheConfigurationSaysSo(t *testing.T) {
	for _, preempt := range []bool{false, true} {
		args := config.Args{Removal: config.OnBind, Preempt: preempt}
		cfg := engineConfig(&args, nil, nil)
		if slices.Contains(cfg.Effects, sluice.EvictPod) != preempt {
			t.Errorf("preempt: %v asks for %q", preempt, cfg.Effects)
		}
	}
}

// For whom it goes is said when it goes, and once.
func TestAVictimIsToldForWhomItGoes(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind, Preempt: true}, nil)
	pod := w.create(gatedPod("a"))
	w.until("the lister has it", func() bool {
		_, err := w.pods.lister.Pods("default").Get("a")
		return err == nil
	})
	effect := &sluice.Effect{Kind: sluice.EvictPod, Namespace: pod.Namespace, Name: pod.Name,
		UID: string(pod.UID), Reason: "Preempted", Message: "preempted to make room",
		Occurrence: &sluice.Occurrence{Key: "0123456789abcdef"}}
	var answer error = apierrors.NewTooManyRequests("the budget is used up", 10)
	w.evictions(func() error { return answer })

	w.does(effect, sluice.Retry)
	if events := w.eventsAbout(pod); len(events) > 0 {
		t.Errorf("it stays, and was told %+v", events)
	}
	answer = nil
	w.does(effect, sluice.Done)
	w.does(effect, sluice.Done)
	events := w.eventsAbout(pod)
	if len(events) != 1 || events[0].Reason != "Preempted" || events[0].Type != v1.EventTypeNormal ||
		events[0].Message != "preempted to make room" || events[0].Name != "a.0123456789abcdef" {
		t.Errorf("it was told %+v", events)
	}
}
