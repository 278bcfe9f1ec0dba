// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

// them is Kueue itself, where it runs.
var them = plane.User{Name: "system:serviceaccount:" + space + ":kueue-controller-manager",
	Groups: []string{"system:masters"}}

// upstream builds Kueue itself.
func upstream(t *testing.T) string {
	t.Helper()
	root, err := shipped.Root()
	if err != nil {
		t.Fatal(err)
	}
	if why := unobtainable(root); why != "" {
		t.Skip(why)
	}
	dir, err := plane.Binaries(t.Context(), "kueue")
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "kueue")
}

// unobtainable says why Kueue cannot be run here; "": it can.
func unobtainable(root string) string {
	if out, err := exec.Command("unshare", mounts()...).CombinedOutput(); err != nil {
		return fmt.Sprintf("Kueue reads a certificate at a fixed path below /etc, and no namespace "+
			"of mounts can be had here to give it one: %v: %s", err, out)
	}
	program, err := exec.LookPath("go")
	if err != nil {
		program = "/usr/local/go/bin/go"
	}
	list := exec.Command(program, "list", "-deps", "sigs.k8s.io/kueue/cmd/kueue")
	list.Dir = filepath.Join(root, "t/cluster/kueue")
	if out, err := list.CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return "Kueue's modules are not here and cannot be had: " + lines[len(lines)-1]
	}
	return ""
}

// mounts are the words by which unshare makes a namespace of mounts.
func mounts() []string {
	if os.Geteuid() == 0 {
		return []string{"--mount", "true"}
	}
	return []string{"--mount", "--map-root-user", "true"}
}

// Kueue reads the certificate of its metrics here, also where it serves none: so this folder is the
// test's own to it.
const runBelowOwnEtc = `mount --bind "$1" /etc && shift && exec "$@"`

// itself is Kueue as a process.
type itself struct {
	*plane.Process
	cluster       *cluster
	health, hooks int
	authority     []byte
}

// runKueue starts Kueue itself in a cluster, as its manifests have it, but beside the cluster.
func (f *fleet) runKueue(c *cluster, gates map[string]bool) *itself {
	f.Helper()
	etc := filepath.Join(c.Dir, "etc")
	certificates := filepath.Join(etc, "kueue/metrics/certs")
	f.must(os.MkdirAll(certificates, 0o700))
	k := &itself{cluster: c, health: f.freePort(), hooks: f.freePort(),
		authority: f.writePair(certificates)}
	config := filepath.Join(c.Dir, "kueue.yaml")
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration",
		"namespace": space, "featureGates": gates,
		"health":  map[string]any{"healthProbeBindAddress": local(k.health)},
		"metrics": map[string]any{"bindAddress": "0"},
		"webhook": map[string]any{"host": "127.0.0.1", "port": k.hooks,
			"certDir": certificates},
		"internalCertManagement": map[string]any{"enable": false},
		"leaderElection":         map[string]any{"leaderElect": false},
		"clientConnection":       map[string]any{"qps": 1000, "burst": 2000},
		"integrations":           map[string]any{"frameworks": []string{"batch/job"}},
	})
	f.must(err)
	f.must(os.WriteFile(config, text, 0o600))
	kubeconfig, err := c.Kubeconfig(them.Name)
	f.must(err)
	words := append(mounts()[:len(mounts())-1], "sh", "-c", runBelowOwnEtc, "sh", etc, f.upstream,
		"--config="+config, "--zap-log-level=error")
	k.Process, err = c.Run("kueue", "/usr/bin/unshare", words, []string{"KUBECONFIG=" + kubeconfig})
	f.must(err)
	f.Cleanup(func() {
		if f.Failed() {
			f.Logf("the end of Kueue's log in %s:\n%s", c.Name, k.Tail(5))
		}
	})
	return k
}

// awaitKueue waits until it is ready, and lets the API server ask it.
func (f *fleet) awaitKueue(k *itself) {
	f.Helper()
	f.await("Kueue is ready in "+k.cluster.Name, func() error {
		if !k.Running() {
			f.Fatalf("Kueue has ended in %s:\n%s", k.cluster.Name, k.Tail(5))
		}
		answer, err := http.Get("http://" + local(k.health) + "/readyz")
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return errors.New(answer.Status)
		}
		return nil
	})
	f.hook(k)
}

func local(port int) string { return fmt.Sprint("127.0.0.1:", port) }

func (f *fleet) freePort() int {
	f.Helper()
	port, err := plane.FreePort()
	f.must(err)
	return port
}

// writePair makes a certificate for this machine that stands for itself.
func (f *fleet) writePair(dir string) (authority []byte) {
	f.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	f.must(err)
	certificate := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "kueue"}, IsCA: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, certificate, certificate, &key.PublicKey, key)
	f.must(err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	f.must(err)
	authority = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	f.must(os.WriteFile(filepath.Join(dir, "tls.crt"), authority, 0o600))
	f.must(os.WriteFile(filepath.Join(dir, "tls.key"),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	return authority
}

// hook sends the API server to Kueue, for Kueue's own objects and for Jobs, as its manifests do.
func (f *fleet) hook(k *itself) {
	f.Helper()
	module, err := shipped.KueueModule(f.Context(), f.root)
	f.must(err)
	text, err := os.ReadFile(filepath.Join(module, "config/components/webhook/manifests.yaml"))
	f.must(err)
	for _, document := range strings.Split(string(text), "\n---\n") {
		// Both kinds have the same fields, as far as they are looked at here.
		manifest := &admissionv1.MutatingWebhookConfiguration{}
		f.must(yaml.Unmarshal([]byte(document), manifest))
		manifest.Webhooks = slices.DeleteFunc(manifest.Webhooks, isForOthers)
		for i := range manifest.Webhooks {
			client := &manifest.Webhooks[i].ClientConfig
			url := "https://" + local(k.hooks) + *client.Service.Path
			*client = admissionv1.WebhookClientConfig{URL: &url, CABundle: k.authority}
		}
		body, err := json.Marshal(manifest)
		f.must(err)
		resources := strings.ToLower(manifest.Kind) + "s"
		force := true
		_, err = k.cluster.objects.Resource(admissionv1.SchemeGroupVersion.WithResource(resources)).Patch(
			f.Context(), manifest.Name, types.ApplyPatchType, body,
			metav1.PatchOptions{FieldManager: "test", Force: &force})
		f.must(err)
	}
}

func isForOthers(hook admissionv1.MutatingWebhook) bool {
	group := hook.Rules[0].APIGroups[0]
	return group != "kueue.x-k8s.io" && group != "batch"
}
