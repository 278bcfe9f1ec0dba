// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"crypto/x509"
	"errors"
	"testing"
	"time"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
	certutil "k8s.io/client-go/util/cert"
	testclock "k8s.io/utils/clock/testing"

	"sluice/kube-scheduler/engine"
)

const (
	testSecret = "sluice-webhook-certs"
	testHook   = "sluice"
	testHost   = "sluice-webhook.kube-system.svc"
)

var testStart = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

// answers is an engine that notes what it is asked.
type answers struct {
	admission engine.Admission
	err       error
	asked     []engine.Pod
	operation string
}

func (a *answers) Admit(operation string, pod *engine.Pod) (engine.Admission, engine.Tail, error) {
	a.asked, a.operation = append(a.asked, *pod), operation
	return a.admission, engine.Tail{Pending: 7}, a.err
}

func emptySecret() *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Name: testSecret, Namespace: "kube-system", ResourceVersion: "1"}}
}

func shippedHook() *admissionregistration.MutatingWebhookConfiguration {
	return &admissionregistration.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: testHook},
		Webhooks: []admissionregistration.MutatingWebhook{
			{Name: "pods.sluice.sh"}, {Name: "more.sluice.sh"}},
	}
}

func options(client *fake.Clientset, clock *testclock.FakeClock) Options {
	return Options{
		Engine: &answers{}, Client: client, Clock: clock,
		Namespace: "kube-system", Service: "sluice-webhook",
		SecretName: testSecret, WebhookName: testHook, Addr: "127.0.0.1:0",
	}
}

func newWebhook(t *testing.T, o Options) *Webhook {
	t.Helper()
	w, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// newClient has what the API server has and the plain fake has not: resourceVersions that count.
func newClient(objects ...runtime.Object) *fake.Clientset {
	client := fake.NewClientset(objects...)
	client.PrependReactor("update", "secrets",
		func(action k8stesting.Action) (bool, runtime.Object, error) {
			secret := action.(k8stesting.UpdateAction).GetObject().(*corev1.Secret)
			stored, err := client.Tracker().Get(action.GetResource(), secret.Namespace, secret.Name)
			if err != nil {
				return true, nil, err
			}
			version := stored.(*corev1.Secret).ResourceVersion
			if version != secret.ResourceVersion {
				return true, nil, apierrors.NewConflict(
					schema.GroupResource{Resource: "secrets"}, secret.Name, errors.New("newer"))
			}
			secret = secret.DeepCopy()
			secret.ResourceVersion = version + "0"
			err = client.Tracker().Update(action.GetResource(), secret, secret.Namespace)
			return true, secret, err
		})
	return client
}

func (w *Webhook) mustRound(t *testing.T) time.Time {
	t.Helper()
	next, err := w.keeper.round(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return next
}

func bundles(t *testing.T, client *fake.Clientset) [][]byte {
	t.Helper()
	hook, err := client.AdmissionregistrationV1().MutatingWebhookConfigurations().
		Get(context.Background(), testHook, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var all [][]byte
	for i := range hook.Webhooks {
		all = append(all, hook.Webhooks[i].ClientConfig.CABundle)
	}
	return all
}

// mustServe checks what the API server would: what is served, against each webhook's caBundle.
func (w *Webhook) mustServe(t *testing.T, client *fake.Clientset, now time.Time) {
	t.Helper()
	for i, bundle := range bundles(t, client) {
		if err := accepts(bundle, w.served.Load().Leaf, now); err != nil {
			t.Errorf("at %s, webhook %d: %v", now, i, err)
		}
	}
}

func accepts(bundle []byte, leaf *x509.Certificate, now time.Time) error {
	cas, err := certutil.ParseCertsPEM(bundle)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	for _, ca := range cas {
		roots.AddCert(ca)
	}
	_, err = leaf.Verify(x509.VerifyOptions{DNSName: testHost, Roots: roots, CurrentTime: now,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
	return err
}
