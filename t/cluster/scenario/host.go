// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	coordination "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"sluice/cluster/faults"
	"sluice/cluster/plane"
)

// host is the scheduler's process, and the proxy through which alone it reaches the API server.
//
//	scheduler ──▶ proxy ──▶ API server        debug ──▶ scheduler
type host struct {
	cluster *Cluster
	client  kubernetes.Interface
	proxy   *faults.Proxy
	debug   *debug
	process Process
	args    []string
	env     []string
	leases  bool // it takes part in an election

	mu sync.Mutex
	// By UID of a pod, or queue/NAME, or workload/NAME: the versions that it wrote.
	writes map[string]map[string]bool
	noted  time.Time // when it last wrote anything
}

func newHost(t *telling, dir string) (*host, error) {
	h := &host{
		cluster: t.cluster, client: t.world.client, leases: t.s.NeedsLease,
		writes: map[string]map[string]bool{},
	}
	bare := rest.AnonymousClientConfig(t.cluster.Scheduler)
	bare.NextProtos = []string{"http/1.1"}
	transport, err := rest.TransportFor(bare)
	if err != nil {
		return nil, err
	}
	h.proxy, err = faults.Start(faults.Config{
		Target: t.cluster.Scheduler.Host, Transport: transport, Now: t.clock.Now,
		Asked: t.checker.Asked,
		Note: func(r *faults.Request) {
			h.note(r)
			t.checker.Note(r)
			if r.Refused || r.Lost {
				t.tell("a rule acts on the scheduler's %s of %s/%s %s", r.Verb, r.Resource, r.Name,
					r.Subresource)
			}
		},
	})
	if err != nil {
		return nil, err
	}
	if err := h.writeFiles(t.s, dir); err != nil {
		return nil, errors.Join(err, h.proxy.Close())
	}
	return h, nil
}

func (h *host) writeFiles(s *Scenario, dir string) error {
	kubeconfig := filepath.Join(dir, "scheduler.kubeconfig")
	if err := h.proxy.WriteKubeconfig(kubeconfig, h.cluster.Scheduler.BearerToken); err != nil {
		return err
	}
	text, err := schedulerConfig(s, h.cluster.Library, kubeconfig, h.cluster.Webhook)
	if err != nil {
		return err
	}
	certificate, key, err := faults.SelfSigned("scheduler")
	if err != nil {
		return err
	}
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, bytes := range map[string][]byte{
		"scheduler.yaml": text, "scheduler.crt": certificate, "scheduler.key": key,
	} {
		if err := os.WriteFile(path(name), bytes, 0o600); err != nil {
			return err
		}
	}
	port, err := plane.FreePort()
	if err != nil {
		return err
	}
	h.debug = newDebug(fmt.Sprintf("https://127.0.0.1:%d", port), h.cluster.Admin.BearerToken,
		certificate)
	h.args = []string{
		"--config=" + path("scheduler.yaml"), "--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", port),
		"--tls-cert-file=" + path("scheduler.crt"),
		"--tls-private-key-file=" + path("scheduler.key"),
		"--authentication-kubeconfig=" + kubeconfig, "--authorization-kubeconfig=" + kubeconfig,
	}
	h.env = []string{"SLUICE_CLOCK_FILE=" + path("clock")}
	return nil
}

const startTakes = 60 * time.Second

// start starts the process and waits until it knows what is in the API server, and leads if it is
// to.
func (h *host) start(ctx context.Context, leads bool) error {
	process, err := h.cluster.Run(h.args, h.env)
	if err != nil {
		return err
	}
	h.process = process
	return h.await(ctx, "become ready", func(ctx context.Context) error {
		for _, path := range []string{"/readyz", "/debug/sluice/limits"} {
			body, status, err := h.debug.get(ctx, path)
			if err != nil {
				return err
			}
			body.Close()
			if status != http.StatusOK {
				return fmt.Errorf("%s answers %d", path, status)
			}
		}
		if leads && !h.isLeader(ctx) {
			return errors.New("it does not lead")
		}
		return nil
	})
}

func (h *host) await(ctx context.Context, what string, look func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, startTakes)
	defer cancel()
	for {
		problem := look(ctx)
		if problem == nil {
			return nil
		}
		if !h.process.Running() {
			return fmt.Errorf("the scheduler has ended before it could %s:\n%s", what,
				h.process.Tail(15))
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the scheduler does not %s: %w\n%s", what, problem,
				h.process.Tail(15))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// kill ends the process as a crash would.
func (h *host) kill() error {
	if h.process == nil || !h.process.Running() {
		return nil
	}
	return h.process.Kill()
}

func (h *host) close() error { return errors.Join(h.kill(), h.proxy.Close()) }

const another = "another-scheduler"

// isLeader tells whether the lease is the process' own.
func (h *host) isLeader(ctx context.Context) bool {
	if !h.leases {
		return h.process.Running()
	}
	leases := h.client.CoordinationV1().Leases("kube-system")
	held, err := leases.Get(ctx, lease, metav1.GetOptions{})
	return err == nil && held.Spec.HolderIdentity != nil && *held.Spec.HolderIdentity != "" &&
		*held.Spec.HolderIdentity != another
}

// setLease gives the lease to another scheduler, for an hour, or sets it free.
func (h *host) setLease(ctx context.Context, to string) error {
	leases := h.client.CoordinationV1().Leases("kube-system")
	for {
		held, err := leases.Get(ctx, lease, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			held = &coordination.Lease{ObjectMeta: metav1.ObjectMeta{Name: lease}}
			held, err = leases.Create(ctx, held, metav1.CreateOptions{})
		}
		if apierrors.IsAlreadyExists(err) {
			continue // the scheduler has made it meanwhile
		}
		if err != nil {
			return err
		}
		seconds, now := int32(3600), metav1.NewMicroTime(time.Now())
		if to == "" {
			seconds = 1
		}
		held.Spec.HolderIdentity, held.Spec.LeaseDurationSeconds = &to, &seconds
		held.Spec.RenewTime, held.Spec.AcquireTime = &now, &now
		if _, err = leases.Update(ctx, held, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
			return err
		}
	}
}

// note counts what the scheduler's process writes to pods, binding apart.
func (h *host) note(r *faults.Request) {
	if !r.Writes() || r.Resource == "leases" || r.Resource == "events" ||
		strings.HasSuffix(r.Resource, "reviews") {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.noted = time.Now()
	ofPod := r.Resource == "pods" && r.Subresource != "binding" && !isNomination(r)
	ofQueue := r.Resource == "queues" && r.Subresource == "status"
	ofWorkload := r.Resource == "workloads"
	if !(ofPod || ofQueue || ofWorkload) || !r.Done() {
		return
	}
	var written metav1.PartialObjectMetadata
	if json.Unmarshal(r.Answer, &written) != nil || written.UID == "" {
		return
	}
	which := string(written.UID)
	if ofQueue {
		which = "queue/" + written.Name
	} else if ofWorkload {
		which = RefOf("workload", written.Namespace, written.Name)
	}
	versions := h.writes[which]
	if versions == nil {
		versions = map[string]bool{}
		h.writes[which] = versions
	}
	versions[written.ResourceVersion] = true
}

// isNomination tells whether the write says only where a pod that waits in Permit is going: the
// stock scheduler makes it, in its own time.
func isNomination(r *faults.Request) bool {
	var patch struct {
		Status map[string]any `json:"status"`
	}
	if r.Subresource != "status" || json.Unmarshal(r.Body, &patch) != nil {
		return false
	}
	_, nominates := patch.Status["nominatedNodeName"]
	return nominates && len(patch.Status) == 1
}

// writesTo counts what was written to a pod, by its UID, or to a Workload or the status of a queue,
// by its reference.
func (h *host) writesTo(which string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.writes[which])
}

func (h *host) sinceWrite() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Since(h.noted)
}
