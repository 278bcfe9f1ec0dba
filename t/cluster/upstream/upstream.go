// SPDX-License-Identifier: Apache-2.0

// Package upstream runs Kueue itself, as it was released, beside a control plane:
//
//	program, err := upstream.Program(ctx)     ErrUnobtainable: it cannot be run here
//	k, err := upstream.Start(ctx, p, program, gates)
//	err = k.AwaitReady(ctx, patience)
//
// The plane needs upstream.User among its users, and Kueue's CRDs. Volcano's scheduler and
// controllers, and the stock scheduler, are run by StartVolcano, and by StartStock.
package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

// Namespace is where Kueue believes to run.
const Namespace = "kueue-system"

// User is Kueue itself to the API server.
var User = plane.User{Name: "system:serviceaccount:" + Namespace + ":kueue-controller-manager",
	Groups: []string{"system:masters"}}

// kueueModule pins Kueue.
var kueueModule = Pinned{Folder: "kueue", Module: "sigs.k8s.io/kueue",
	Main: "sigs.k8s.io/kueue/cmd/kueue", Programs: []string{"kueue"}}

// Program is Kueue's, which is built: minutes the first time.
func Program(ctx context.Context) (string, error) {
	if out, err := exec.CommandContext(ctx, "unshare", mounts()...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: Kueue reads a certificate at a fixed path below /etc, and no "+
			"namespace of mounts can be had to give it one: %w: %s", ErrUnobtainable, err, out)
	}
	dir, err := kueueModule.Build(ctx)
	return filepath.Join(dir, "kueue"), err
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

// Kueue is a process on a plane.
type Kueue struct {
	*plane.Process
	plane         *plane.Plane
	health, hooks int // ports
	authority     []byte
}

// Start runs Kueue as its manifests have it, but beside the cluster.
func Start(ctx context.Context, p *plane.Plane, program string, gates map[string]bool) (*Kueue,
	error) {
	etc := filepath.Join(p.Dir, "etc")
	certificates := filepath.Join(etc, "kueue/metrics/certs")
	if err := os.MkdirAll(certificates, 0o700); err != nil {
		return nil, err
	}
	k := &Kueue{plane: p}
	var err error
	for _, port := range []*int{&k.health, &k.hooks} {
		if *port, err = plane.FreePort(); err != nil {
			return nil, err
		}
	}
	if k.authority, err = writePair(certificates); err != nil {
		return nil, err
	}
	config := filepath.Join(p.Dir, "kueue.yaml")
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration",
		"namespace": Namespace, "featureGates": gates,
		"health":  map[string]any{"healthProbeBindAddress": local(k.health)},
		"metrics": map[string]any{"bindAddress": "0"},
		"webhook": map[string]any{"host": "127.0.0.1", "port": k.hooks,
			"certDir": certificates},
		"internalCertManagement": map[string]any{"enable": false},
		"leaderElection":         map[string]any{"leaderElect": false},
		"clientConnection":       map[string]any{"qps": 1000, "burst": 2000},
		"integrations":           map[string]any{"frameworks": []string{"batch/job"}},
	})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(config, text, 0o600); err != nil {
		return nil, err
	}
	kubeconfig, err := p.Kubeconfig(User.Name)
	if err != nil {
		return nil, err
	}
	words := append(mounts()[:len(mounts())-1], "sh", "-c", runBelowOwnEtc, "sh", etc, program,
		"--config="+config, "--zap-log-level=error")
	k.Process, err = p.Run("kueue", "/usr/bin/unshare", words, []string{"KUBECONFIG=" + kubeconfig})
	return k, err
}

// AwaitReady waits until Kueue is ready, and lets the API server ask it.
func (k *Kueue) AwaitReady(ctx context.Context, patience time.Duration) error {
	problem := errors.New("not asked yet")
	for end := time.Now().Add(patience); problem != nil; time.Sleep(50 * time.Millisecond) {
		if !k.Running() {
			return fmt.Errorf("the process of Kueue has ended; the end of its log:\n%s", k.Tail(5))
		}
		if time.Now().After(end) || ctx.Err() != nil {
			return fmt.Errorf("no Kueue is ready after %s: %w; the end of its log:\n%s", patience,
				problem, k.Tail(5))
		}
		problem = k.ready(ctx)
	}
	return k.hook(ctx)
}

func (k *Kueue) ready(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet,
		"http://"+local(k.health)+"/readyz", nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return errors.New(answer.Status)
	}
	return nil
}

func local(port int) string { return fmt.Sprint("127.0.0.1:", port) }

// hook sends the API server to Kueue, for Kueue's own objects and for Jobs, as its manifests do.
func (k *Kueue) hook(ctx context.Context) error {
	root, err := shipped.Root()
	if err != nil {
		return err
	}
	module, err := shipped.KueueModule(ctx, root)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(module, "config/components/webhook/manifests.yaml"))
	if err != nil {
		return err
	}
	objects, err := dynamic.NewForConfig(k.plane.REST(plane.Admin))
	if err != nil {
		return err
	}
	for _, document := range strings.Split(string(text), "\n---\n") {
		// Both kinds have the same fields, as far as they are looked at here.
		manifest := &admissionv1.MutatingWebhookConfiguration{}
		if err := yaml.Unmarshal([]byte(document), manifest); err != nil {
			return err
		}
		manifest.Webhooks = slices.DeleteFunc(manifest.Webhooks, isForOthers)
		for i := range manifest.Webhooks {
			client := &manifest.Webhooks[i].ClientConfig
			url := "https://" + local(k.hooks) + *client.Service.Path
			*client = admissionv1.WebhookClientConfig{URL: &url, CABundle: k.authority}
		}
		manifest.Name = "kueue-" + manifest.Name // as its manifests have it in the end
		body, err := json.Marshal(manifest)
		if err != nil {
			return err
		}
		force := true
		_, err = objects.Resource(admissionv1.SchemeGroupVersion.WithResource(
			strings.ToLower(manifest.Kind)+"s")).Patch(ctx, manifest.Name, types.ApplyPatchType, body,
			metav1.PatchOptions{FieldManager: "test", Force: &force})
		if err != nil {
			return err
		}
	}
	return nil
}

func isForOthers(hook admissionv1.MutatingWebhook) bool {
	group := hook.Rules[0].APIGroups[0]
	return group != "kueue.x-k8s.io" && group != "batch"
}
