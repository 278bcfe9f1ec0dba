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

	"sluice/kube-scheduler/sluice"
)

const (
	testSecret = "sluice-webhook-certs"
	testHook   = "sluice"
	testHost   = "sluice-webhook.kube-system.svc"
)

var testStart = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

// answers is an engine that notes what it is asked, and answers always the same; or first what is
// in `before`.
type answers struct {
	before    []sluice.Admission
	admission sluice.Admission
	err       error
	asked     []sluice.Pod
	queues    []sluice.Queue
	commands  []sluice.Command
	groups    []sluice.Group
	operation string
}

func (a *answers) answer(operation string) (sluice.Admission, sluice.Tail, error) {
	a.operation = operation
	now := a.admission
	if len(a.before) > 0 {
		now, a.before = a.before[0], a.before[1:]
	}
	return now, sluice.Tail{Pending: 7}, a.err
}

func (a *answers) Admit(operation string, pod *sluice.Pod) (sluice.Admission, sluice.Tail, error) {
	a.asked = append(a.asked, *pod)
	return a.answer(operation)
}

func (a *answers) AdmitQueue(operation string, queue *sluice.Queue) (sluice.Admission, sluice.Tail,
	error) {
	a.queues = append(a.queues, *queue)
	return a.answer(operation)
}

func (a *answers) AdmitCommand(operation string, command *sluice.Command) (sluice.Admission,
	sluice.Tail, error) {
	a.commands = append(a.commands, *command)
	return a.answer(operation)
}

func (a *answers) AdmitGroup(operation string, group *sluice.Group) (sluice.Admission, sluice.Tail,
	error) {
	a.groups = append(a.groups, *group)
	return a.answer(operation)
}

func (a *answers) questions() int {
	return len(a.asked) + len(a.queues) + len(a.commands) + len(a.groups)
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

func shippedChecks() *admissionregistration.ValidatingWebhookConfiguration {
	return &admissionregistration.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: testHook},
		Webhooks: []admissionregistration.ValidatingWebhook{
			{Name: "pods.sluice.sh"}, {Name: "queues.sluice.sh"}},
	}
}

func options(client *fake.Clientset, clock *testclock.FakeClock) Options {
	return Options{
		Engine: &answers{}, Client: client, Clock: clock,
		Namespace: "kube-system", Service: "sluice-webhook",
		SecretName: testSecret, WebhookName: testHook, Addr: "127.0.0.1:0",
		Patience: time.Millisecond,
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

// bundles are what each webhook of both configurations trusts.
func bundles(t *testing.T, client *fake.Clientset) [][]byte {
	t.Helper()
	all, err := configurations(context.Background(), client, testHook)
	if err != nil {
		t.Fatal(err)
	}
	var found [][]byte
	for _, c := range all {
		for _, hook := range c.hooks {
			found = append(found, hook.bundle)
		}
	}
	return found
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
