// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	certutil "k8s.io/client-go/util/cert"
	testclock "k8s.io/utils/clock/testing"

	"sluice/kube-scheduler/sluice"
)

func TestWhatIsMissingIsNamed(t *testing.T) {
	whole := options(newClient(), testclock.NewFakeClock(testStart))
	for name, remove := range map[string]func(*Options){
		"Engine":      func(o *Options) { o.Engine = nil },
		"Client":      func(o *Options) { o.Client = nil },
		"Namespace":   func(o *Options) { o.Namespace = "" },
		"Service":     func(o *Options) { o.Service = "" },
		"SecretName":  func(o *Options) { o.SecretName = "" },
		"WebhookName": func(o *Options) { o.WebhookName = "" },
		"Addr":        func(o *Options) { o.Addr = "" },
		"CertLife":    func(o *Options) { o.CertLife = 300 * 24 * time.Hour },
	} {
		o := whole
		remove(&o)
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without a good %s: %v", name, err)
		}
	}
}

// running is a webhook that Run serves, with a client that trusts what the API server is told to.
func running(t *testing.T, client *fake.Clientset, clock *testclock.FakeClock, o Options) (
	*Webhook, string) {
	t.Helper()
	w := newWebhook(t, o)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	waited, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	addr, err := w.Addr(waited)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is healthy", func() bool { return w.Check(nil) == nil })
	return w, "https://" + addr.String() + Gates
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	end := time.Now().Add(10 * time.Second)
	for ; time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("not within 10 s: %s", what)
}

func httpClient(t *testing.T, client *fake.Clientset, clock *testclock.FakeClock) *http.Client {
	t.Helper()
	roots := x509.NewCertPool()
	cas, err := certutil.ParseCertsPEM(bundles(t, client)[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, ca := range cas {
		roots.AddCert(ca)
	}
	transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{
		RootCAs: roots, ServerName: testHost, Time: clock.Now}}
	return &http.Client{Transport: transport, Timeout: 10 * time.Second}
}

func TestRunServesAndReloads(t *testing.T) {
	client := newClient(emptySecret(), shippedHook(), shippedChecks())
	clock := testclock.NewFakeClock(testStart)
	o := options(client, clock)
	o.Engine = &answers{admission: sluice.Admission{Allow: true, Gates: []string{"g"}}}
	w, url := running(t, client, clock, o)

	body := review(admissionv1.Create, `{"metadata": {"name": "p"}}`)
	post := func() *http.Response {
		t.Helper()
		answer, err := httpClient(t, client, clock).
			Post(url, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if text, err := io.ReadAll(answer.Body); err != nil || !strings.Contains(string(text), "patch") {
			t.Fatalf("%s: %s %v", answer.Status, text, err)
		}
		return answer
	}
	before := post().TLS.PeerCertificates[0]
	if before.PublicKeyAlgorithm != x509.ECDSA {
		t.Errorf("serves with %s", before.PublicKeyAlgorithm)
	}

	eventually(t, "it waits for the next renewal", clock.HasWaiters)
	clock.Step(61 * 24 * time.Hour)
	eventually(t, "it serves another certificate", func() bool {
		return !w.served.Load().Leaf.Equal(before)
	})
	if after := post().TLS.PeerCertificates[0]; after.Equal(before) {
		t.Error("new connections get the old certificate")
	}

	// Somebody takes the CAs out of the configuration: they come back without waiting.
	hooks := client.AdmissionregistrationV1().MutatingWebhookConfigurations()
	_, err := hooks.Patch(context.Background(), testHook, types.JSONPatchType,
		[]byte(`[{"op": "remove", "path": "/webhooks/1/clientConfig/caBundle"}]`), metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the CAs are back", func() bool { return len(bundles(t, client)[3]) > 0 })

	// Another replica made the Secret anew: its certificate is served without waiting.
	secret := storedSecret(t, client)
	secret.Data = nil
	if _, err := client.CoreV1().Secrets("kube-system").
		Update(context.Background(), secret, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it serves what the Secret holds", func() bool {
		return bytes.Equal(bundles(t, client)[0], storedSecret(t, client).Data["ca.crt"]) &&
			accepts(bundles(t, client)[0], w.served.Load().Leaf, clock.Now()) == nil
	})
	post()
}

func TestAnAddressThatIsTakenIsTold(t *testing.T) {
	client := newClient(emptySecret(), shippedHook(), shippedChecks())
	clock := testclock.NewFakeClock(testStart)
	w, _ := running(t, client, clock, options(client, clock))
	o := options(client, clock)
	o.Addr = w.addr.String()
	if err := newWebhook(t, o).Run(context.Background()); err == nil ||
		!strings.Contains(err.Error(), o.Addr) {
		t.Errorf("got %v", err)
	}
}

func review(operation admissionv1.Operation, pod string) string {
	return reviewOf(pods, operation, pod)
}

func reviewOf(resource metav1.GroupVersionResource, operation admissionv1.Operation,
	text string) string {
	object := "object"
	if operation == admissionv1.Delete {
		object = "oldObject"
	}
	body, err := json.Marshal(map[string]any{
		"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
		"request": map[string]any{
			"uid": "u-1", "operation": operation, "namespace": "team", "resource": resource,
			object: json.RawMessage(text),
		},
	})
	if err != nil {
		panic(err)
	}
	return string(body)
}
