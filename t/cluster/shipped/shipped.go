// SPDX-License-Identifier: Apache-2.0

// Package shipped puts sluice on a plane as examples/deploy ships it: its CRDs and one overlay are
// applied, and sluice-scheduler runs with the overlay's configuration, as its service account, with
// no other rights than the manifests give it.
//
//	s, err := shipped.Apply(ctx, p, "overlays/on-bind")
//	err = s.Run(ctx, "a")          // a replica; and another one
//	err = s.AwaitLeader(ctx)
//
// No kubelet runs the Deployment's pods and no controller makes the endpoints of its Services: each
// replica is a process beside the cluster, and gets a Pod and Endpoints that say where it listens.
// It listens on an address of this machine, since the API server sends nobody to a loopback one.
package shipped

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"sluice/cluster/plane"
)

// The names that the manifests use.
const (
	Namespace = metav1.NamespaceSystem
	Name      = "sluice-scheduler" // the account, the Deployment, the Service, the lease
	Webhook   = "sluice-webhook"   // the Service
)

// Sluice is what was applied, and the replicas that run.
type Sluice struct {
	*plane.Plane
	Root    string // of the source tree
	Address string // of this machine

	// Args are what the plugin is configured with beside what is shipped.
	Args map[string]any
	// Lease is what the replicas call theirs; "": as it is shipped.
	Lease string
	// Patient replicas keep their lease where nothing has its turn for a minute: for tests in which
	// no other one shall lead.
	Patient bool
	// Flags are those of the replicas beside what is shipped.
	Flags []string
	// First: the plugin is the first in preEnqueue.
	First bool

	config   []byte // as it was shipped
	webhook  bool
	replicas []*Replica
}

// Replica is one process.
type Replica struct {
	*plane.Process
	port, webhook int
}

// Port is where its endpoints are.
func (r *Replica) Port() int { return r.port }

// ErrNoAddress: this machine has none but loopback addresses.
var ErrNoAddress = errors.New("this machine has no address but loopback ones, to which an API " +
	"server sends nobody")

// Apply applies the CRDs and an overlay, given as a folder below examples/deploy.
func Apply(ctx context.Context, p *plane.Plane, overlay string) (*Sluice, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	deploy := filepath.Join(root, "examples/deploy")
	if err := p.ApplyCRDDir(ctx, filepath.Join(deploy, "crds")); err != nil {
		return nil, err
	}
	if _, err := p.Kubectl(ctx, "apply", "--server-side", "-k",
		filepath.Join(deploy, overlay)); err != nil {
		return nil, err
	}
	return Installed(ctx, p)
}

// Installed is what somebody else has applied.
func Installed(ctx context.Context, p *plane.Plane) (*Sluice, error) {
	s := &Sluice{Plane: p}
	var err error
	if s.Root, err = Root(); err != nil {
		return nil, err
	}
	if s.Address, err = OwnAddress(); err != nil {
		return nil, err
	}
	if s.config, err = Config(ctx, p); err != nil {
		return nil, err
	}
	_, err = p.Client.CoreV1().Services(Namespace).Get(ctx, Webhook, metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, err
	}
	s.webhook = err == nil
	return s, s.writeEndpoints(ctx, "")
}

// OwnAddress is one of this machine to which an API server sends somebody.
func OwnAddress() (string, error) {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return "", err
	}
	for _, address := range addresses {
		if network, is := address.(*net.IPNet); is && network.IP.To4() != nil &&
			network.IP.IsGlobalUnicast() {
			return network.IP.String(), nil
		}
	}
	return "", ErrNoAddress
}

// Run starts a replica of this name.
func (s *Sluice) Run(ctx context.Context, name string) (*Replica, error) {
	program, err := Scheduler(ctx, s.Root)
	if err != nil {
		return nil, err
	}
	library, err := Library(s.Root)
	if err != nil {
		return nil, err
	}
	replica := &Replica{}
	for _, port := range []*int{&replica.port, &replica.webhook} {
		if *port, err = plane.FreePort(); err != nil {
			return nil, err
		}
	}
	kubeconfig, err := s.ServiceAccountKubeconfig(ctx, Namespace, Name)
	if err != nil {
		return nil, err
	}
	text, err := s.adapt(library, kubeconfig, replica.webhook)
	if err != nil {
		return nil, err
	}
	config := filepath.Join(s.Dir, Name+"-"+name+".yaml")
	if err := os.WriteFile(config, text, 0o600); err != nil {
		return nil, err
	}
	replica.Process, err = s.Plane.Run(Name+"-"+name, program, append([]string{
		"--config=" + config, "-v=2", "--bind-address=" + s.Address,
		"--secure-port=" + strconv.Itoa(replica.port), "--cert-dir=" + filepath.Join(s.Dir, name),
		"--authentication-kubeconfig=" + kubeconfig, "--authorization-kubeconfig=" + kubeconfig,
	}, s.Flags...), nil)
	if err != nil {
		return nil, err
	}
	s.replicas = append(s.replicas, replica)
	if err := s.makePod(ctx, Name+"-"+name); err != nil {
		return nil, err
	}
	return replica, s.writeEndpoints(ctx, Name+"-"+name)
}

// Replicas are those that were started, also where they have ended.
func (s *Sluice) Replicas() []*Replica { return s.replicas }

// Refresh leaves out of the Services who has ended.
func (s *Sluice) Refresh(ctx context.Context) error {
	pod := ""
	for i, replica := range s.replicas {
		if replica.Running() {
			pod = replica.Name
			continue
		}
		for _, service := range []string{Name, Webhook} {
			err := s.Client.DiscoveryV1().EndpointSlices(Namespace).Delete(ctx,
				fmt.Sprintf("%s-%d", service, i), metav1.DeleteOptions{})
			if err != nil && !apierrors.IsNotFound(err) {
				return err
			}
		}
	}
	return s.writeEndpoints(ctx, pod)
}

// AwaitReady waits until this replica is ready: a Service leaves it out until then, and ours has it
// from its start.
func (s *Sluice) AwaitReady(ctx context.Context, replica *Replica) error {
	problem := errors.New("not looked at yet")
	for end := time.Now().Add(leaderTakes); time.Now().Before(end) && ctx.Err() == nil; {
		if _, problem = s.get(ctx, replica, "/readyz"); problem == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("%s is not ready after %s: %w\n%s", replica.Name, leaderTakes, problem,
		replica.Tail(20))
}

// Metrics are the texts of the replicas that run.
func (s *Sluice) Metrics(ctx context.Context) ([]string, error) {
	var texts []string
	for _, replica := range s.replicas {
		if !replica.Running() {
			continue
		}
		text, err := s.get(ctx, replica, "/metrics")
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// get asks a replica itself, as the admin. Its certificate is its own.
func (s *Sluice) get(ctx context.Context, replica *Replica, path string) (string, error) {
	admin := rest.CopyConfig(s.REST(plane.Admin))
	admin.Host = "https://" + net.JoinHostPort(s.Address, strconv.Itoa(replica.port))
	admin.TLSClientConfig = rest.TLSClientConfig{Insecure: true}
	client, err := rest.HTTPClientFor(admin)
	if err != nil {
		return "", err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, admin.Host+path, nil)
	if err != nil {
		return "", err
	}
	answer, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s of %s: %s: %s", path, replica.Name, answer.Status, text)
	}
	return string(text), err
}

const leaderTakes = time.Minute

// AwaitLeader waits until a replica leads and is ready, and can be asked through the API server.
func (s *Sluice) AwaitLeader(ctx context.Context) error {
	problem := errors.New("not looked at yet")
	for end := time.Now().Add(leaderTakes); time.Now().Before(end) && ctx.Err() == nil; {
		if problem = s.leads(ctx); problem == nil {
			return nil
		}
		for _, replica := range s.replicas {
			if !replica.Running() {
				return fmt.Errorf("%s has ended; the end of its log:\n%s", replica.Name, replica.Tail(20))
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	log := ""
	for _, replica := range s.replicas {
		log += fmt.Sprintf("\nthe end of the log of %s:\n%s", replica.Name, replica.Tail(20))
	}
	return fmt.Errorf("no replica is ready and leads after %s: %w%s", leaderTakes, problem, log)
}

func (s *Sluice) leads(ctx context.Context) error {
	lease, err := s.Client.CoordinationV1().Leases(Namespace).Get(ctx, Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if holder := lease.Spec.HolderIdentity; holder == nil || *holder == "" {
		return errors.New("nobody holds its lease")
	}
	body, err := s.Client.CoreV1().Services(Namespace).
		ProxyGet("https", Name, "https", "readyz", nil).DoRaw(ctx)
	if err != nil {
		return fmt.Errorf("readyz: %w: %s", err, body)
	}
	return nil
}

func (s *Sluice) makePod(ctx context.Context, name string) error {
	pods := s.Client.CoreV1().Pods(Namespace)
	pod, err := pods.Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{
			NodeName:   "beside-the-cluster",
			Containers: []corev1.Container{{Name: "scheduler", Image: Name}},
		},
	}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	if err != nil {
		return err
	}
	pod.Status.Phase = corev1.PodRunning
	pod.Status.PodIP, pod.Status.PodIPs = s.Address, []corev1.PodIP{{IP: s.Address}}
	_, err = pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	return err
}
