// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"sluice/kube-scheduler/engine"
)

// gatekeeper adds a gate to opted-in pods, and refuses those that are called "refused".
type gatekeeper struct{}

func (gatekeeper) Admit(_ string, pod *engine.Pod) (engine.Admission, engine.Tail, error) {
	if pod.Name == "refused" {
		return engine.Admission{Reason: "not this one"}, engine.Tail{}, nil
	}
	return engine.Admission{Allow: true, Gates: []string{gate}}, engine.Tail{}, nil
}

// On a real API server, with the manifests of examples/deploy/overlays/webhook applied, and under
// the rights of the scheduler's own service account:
//
//	plane -- sh -c 'kubectl apply --server-side -k examples/deploy/overlays/webhook &&
//	    cd examples/kube-scheduler &&
//	    SLUICE_TEST_KUBECONFIG=$KUBECONFIG go test ./admission -run API'
//
// Two replicas begin at once. As there is no network of Services, the Service is turned into a name
// for this machine; the API server still wants the Service's own name in the certificate.
func TestOnARealAPIServer(t *testing.T) {
	kubeconfig := os.Getenv("SLUICE_TEST_KUBECONFIG")
	if kubeconfig == "" {
		t.Skip("SLUICE_TEST_KUBECONFIG names no cluster with overlays/webhook in it")
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	admin := kubernetes.NewForConfigOrDie(config)
	ours := rest.CopyConfig(config)
	ours.Impersonate.UserName = "system:serviceaccount:kube-system:sluice-scheduler"
	client := kubernetes.NewForConfigOrDie(ours)

	ctx, stop := context.WithCancel(t.Context())
	replicas := make([]*Webhook, 2)
	var running sync.WaitGroup
	for i := range replicas {
		replicas[i] = newWebhook(t, Options{Engine: gatekeeper{}, Client: client,
			Namespace: "kube-system", Service: "sluice-webhook", SecretName: testSecret,
			WebhookName: testHook, Addr: "127.0.0.1:0"})
		running.Go(func() {
			if err := replicas[i].Run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	t.Cleanup(func() { stop(); running.Wait() })
	for _, w := range replicas {
		eventually(t, "a replica is healthy", func() bool { return w.Check(nil) == nil })
	}
	eventually(t, "both serve the same", func() bool {
		return replicas[0].served.Load().Leaf.Equal(replicas[1].served.Load().Leaf)
	})

	for i, w := range replicas {
		addr, err := w.Addr(ctx)
		if err != nil {
			t.Fatal(err)
		}
		pointServiceAt(t, admin, addr.(*net.TCPAddr).Port)
		name := fmt.Sprintf("opted-in-%d", i)
		eventually(t, "a pod gets its gate through the webhook", func() bool {
			made, err := create(ctx, admin, name)
			return err == nil && slices.Equal(made.Spec.SchedulingGates,
				[]corev1.PodSchedulingGate{{Name: "example.com/theirs"}, {Name: gate}})
		})
		if _, err := create(ctx, admin, "refused"); !apierrors.IsForbidden(err) ||
			!strings.Contains(err.Error(), "not this one") {
			t.Errorf("the refused pod: %v", err)
		}
	}

	// The Secret is emptied behind their backs: they make it anew, agree, and are trusted.
	before := replicas[0].served.Load().Leaf
	_, err = admin.CoreV1().Secrets("kube-system").Patch(ctx, testSecret, types.JSONPatchType,
		[]byte(`[{"op": "remove", "path": "/data"}]`), metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "both serve another certificate, the same", func() bool {
		one, two := replicas[0].served.Load().Leaf, replicas[1].served.Load().Leaf
		return !one.Equal(before) && one.Equal(two)
	})
	eventually(t, "the API server trusts it", func() bool {
		made, err := create(ctx, admin, "later")
		return err == nil && len(made.Spec.SchedulingGates) == 2
	})
}

// create is a dry run: the webhook is asked like any other time.
func create(ctx context.Context, client kubernetes.Interface, name string) (*corev1.Pod, error) {
	return client.CoreV1().Pods("default").Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{gate: "true"}},
		Spec: corev1.PodSpec{
			SchedulerName:   "sluice-scheduler",
			SchedulingGates: []corev1.PodSchedulingGate{{Name: "example.com/theirs"}},
			Containers:      []corev1.Container{{Name: "c", Image: "none"}},
		},
	}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
}

func pointServiceAt(t *testing.T, client kubernetes.Interface, port int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err := client.CoreV1().Services("kube-system").Patch(ctx, "sluice-webhook",
		types.MergePatchType, []byte(`{"spec": {"type": "ExternalName",
			"externalName": "localhost", "clusterIP": null, "clusterIPs": null, "ipFamilies": null,
			"ipFamilyPolicy": null, "internalTrafficPolicy": null}}`), metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.AdmissionregistrationV1().MutatingWebhookConfigurations().Patch(ctx, testHook,
		types.JSONPatchType, fmt.Appendf(nil,
			`[{"op": "replace", "path": "/webhooks/0/clientConfig/service/port", "value": %d}]`, port),
		metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
}
