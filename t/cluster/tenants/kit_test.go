// SPDX-License-Identifier: Apache-2.0

// Package tenants plays people who may do all that the stock role `admin` allows in their
// namespace, and want more room than their queues have: on a real control plane, with sluice as it
// is shipped, with its policies and without, and after its scheduler begins anew. What they must
// not get is looked at by a ledger that knows nothing but the pods of the API server.
package tenants

import (
	"errors"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

const (
	space    = "team"     // the tenant's namespace
	tenant   = "tenant"   // the user
	kubelets = "kubelets" // the user who plays them
	nodeName = "node"

	gate      = "scheduling.volcano.sh/queue-allocation-gate"
	queueName = "scheduling.volcano.sh/queue-name"
	groupName = "scheduling.k8s.io/group-name"
	minMember = "scheduling.volcano.sh/group-min-member"
	workload  = "kueue.x-k8s.io/workload"
	local     = "kueue.x-k8s.io/queue-name" // a label
	granted   = "sluice.sh/granted"
	grantedIn = "sluice.sh/queue"

	patience = 2 * time.Minute
	lookTurn = 50 * time.Millisecond
	nothing  = 2 * time.Second // how long nothing happens
)

// world is a control plane on which sluice runs.
type world struct {
	*testing.T
	*shipped.Sluice
	policies bool // those that are shipped
	user     kubernetes.Interface
	objects  dynamic.Interface
	replica  *shipped.Replica
	replicas int
	ledger   *ledger
}

// setup is which sluice there is.
type setup struct {
	overlay  string
	args     map[string]any
	policies bool
}

// ways plays a story with the policies that are shipped, and without them. The two worlds have
// nothing in common, and wait most of the time.
func ways(t *testing.T, s setup, story func(*world)) {
	for _, policies := range []bool{true, false} {
		t.Run(fmt.Sprintf("policies=%t", policies), func(t *testing.T) {
			t.Parallel()
			own := s
			own.policies = policies
			story(start(t, own))
		})
	}
}

func start(t *testing.T, s setup) *world {
	t.Helper()
	p, err := plane.Start(t.Context(), plane.Options{Name: "tenants", ControllerManager: true,
		Ready: patience, APIFlags: []string{"--enable-aggregator-routing=true"},
		Users: []plane.User{{Name: tenant}, {Name: kubelets, Groups: []string{"system:masters"}}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	w := &world{T: t, policies: s.policies}
	if s.overlay == "overlays/workloads" {
		w.applyKueue(p)
	}
	w.Sluice, err = shipped.Apply(t.Context(), p, s.overlay)
	if errors.Is(err, shipped.ErrNoAddress) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.Args = s.args
	if w.objects, err = dynamic.NewForConfig(p.REST(plane.Admin)); err != nil {
		t.Fatal(err)
	}
	if w.user, err = p.ClientFor(tenant); err != nil {
		t.Fatal(err)
	}
	if _, err := p.CreateNode(t.Context(), plane.Node{Name: nodeName, Allocatable: map[string]string{
		"cpu": "200", "memory": "1Ti", "pods": "500", "x.io/gpu": "8"}}); err != nil {
		t.Fatal(err)
	}
	w.settle()
	w.ledger = keep(t, p)
	w.startKubelets()
	w.run()
	if s.policies {
		w.awaitPolicy()
	}
	return w
}

func (w *world) applyKueue(p *plane.Plane) {
	w.Helper()
	if err := shipped.ApplyKueueCRDs(w.Context(), p); err != nil {
		w.Fatal(err)
	}
}

// settle makes the namespace, and the tenant its admin.
func (w *world) settle() {
	w.Helper()
	if !w.policies {
		w.must("delete", "validatingadmissionpolicybinding", "sluice-pods",
			"sluice-pods-created", "sluice-command")
	}
	_, err := w.Client.CoreV1().Namespaces().Create(w.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: space}}, metav1.CreateOptions{})
	if err != nil {
		w.Fatal(err)
	}
	_, err = w.Client.RbacV1().RoleBindings(space).Create(w.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: tenant},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "admin"},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind,
			Name: tenant}},
	}, metav1.CreateOptions{})
	if err != nil {
		w.Fatal(err)
	}
	// What a pod names that names nothing has no room either.
	w.queue("default", "100m")
	w.until("the tenant is the admin of his namespace", func() error {
		_, err := w.user.CoreV1().Pods(space).Create(w.Context(), w.pod("probe"),
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	})
}

// startKubelets let pods run. A kubelet runs no pod that says it is one of its own, unless it is.
func (w *world) startKubelets() {
	w.Helper()
	client, err := w.ClientFor(kubelets)
	if err != nil {
		w.Fatal(err)
	}
	err = plane.Kubelets{Client: client, Phase: func(pod *corev1.Pod) corev1.PodPhase {
		_, mirror := pod.Annotations[corev1.MirrorPodAnnotationKey]
		if pod.Namespace == shipped.Namespace || mirror {
			return ""
		}
		return corev1.PodRunning
	}}.Start(w.Context())
	if err != nil {
		w.Fatal(err)
	}
}

// run starts a replica, and waits until it leads.
func (w *world) run() {
	w.Helper()
	var err error
	w.replicas++
	if w.replica, err = w.Sluice.Run(w.Context(), fmt.Sprintf("r%d", w.replicas)); err != nil {
		w.Fatal(err)
	}
	replica := w.replica
	w.Cleanup(func() {
		if w.Failed() {
			w.Logf("%s runs: %t; the end of its log:\n%s", replica.Name, replica.Running(),
				replica.Tail(30))
		}
	})
	w.until("it leads", func() error {
		if err := w.Refresh(w.Context()); err != nil {
			return err
		}
		return w.leads()
	})
}

// leads asks for what only a leader does.
func (w *world) leads() error {
	lease, err := w.Client.CoordinationV1().Leases(shipped.Namespace).Get(w.Context(), shipped.Name,
		metav1.GetOptions{})
	if err != nil {
		return err
	}
	if lease.Spec.RenewTime == nil || time.Since(lease.Spec.RenewTime.Time) > 5*time.Second {
		return errors.New("nobody holds the lease")
	}
	body, err := w.Client.CoreV1().Services(shipped.Namespace).
		ProxyGet("https", shipped.Name, "https", "readyz", nil).DoRaw(w.Context())
	if err != nil {
		return fmt.Errorf("%w: %s", err, body)
	}
	return nil
}

// restart kills the scheduler; the next one knows nothing but what is written.
func (w *world) restart() {
	w.Helper()
	w.without(func() {})
	w.reacts()
}

// without does something while no scheduler runs.
func (w *world) without(do func()) {
	w.Helper()
	if err := w.replica.Kill(); err != nil {
		w.Fatal(err)
	}
	do()
	w.run()
}

func (w *world) must(args ...string) string {
	w.Helper()
	out, err := w.Kubectl(w.Context(), args...)
	if err != nil {
		w.Fatal(err)
	}
	return out
}

// awaitPolicy waits until the API server has heard of the policy: it learns of it by a watch.
func (w *world) awaitPolicy() {
	w.Helper()
	w.until("the policy is in force", func() error {
		pod := w.pod("probe")
		pod.Annotations[granted] = "1"
		_, err := w.user.CoreV1().Pods(space).Create(w.Context(), pod,
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if !apierrors.IsForbidden(err) {
			return fmt.Errorf("a forged stamp: %v", err)
		}
		return nil
	})
}
