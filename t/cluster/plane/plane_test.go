// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func startPlane(t *testing.T, options Options) *Plane {
	t.Helper()
	p, err := Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	t.Logf("plane %s was ready after %.1f s", p.Name, p.Took.Seconds())
	return p
}

func createPodIn(ctx context.Context, p *Plane, d time.Duration, name string) (*corev1.Pod, error) {
	soon, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return createPod(soon, p, Admin, name)
}

func createPod(ctx context.Context, p *Plane, user, name string) (*corev1.Pod, error) {
	client, err := p.ClientFor(user)
	if err != nil {
		return nil, err
	}
	return createPodBy(ctx, client, name)
}

func createPodBy(ctx context.Context, client kubernetes.Interface,
	name string) (*corev1.Pod, error) {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "none"}}},
	}
	return client.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{})
}

// processesOf lists the processes that name the directory in their command line.
func processesOf(t *testing.T, dir string) []string {
	t.Helper()
	return processesWith(t, "cmdline", dir)
}

func processesWith(t *testing.T, kind, text string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/" + kind)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range files {
		words, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(words), text) {
			found = append(found, file+" "+strings.ReplaceAll(string(words), "\x00", " "))
		}
	}
	return found
}

// remains says what is left of a plane.
func remains(t *testing.T, dirs ...string) []string {
	t.Helper()
	var left []string
	for _, dir := range dirs {
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			left = append(left, fmt.Sprintf("directory %s (%v)", dir, err))
		}
		left = append(left, processesOf(t, dir)...)
	}
	return left
}

func TestTwoPlanesStartTogetherAndLeaveNothing(t *testing.T) {
	planes := make([]*Plane, 2)
	var start sync.WaitGroup
	for i := range planes {
		start.Go(func() {
			p, err := Start(t.Context(), Options{Name: fmt.Sprintf("twin-%d", i), Dir: t.TempDir()})
			if err != nil {
				t.Error(err)
				return
			}
			planes[i] = p
			t.Logf("%s was ready after %.1f s", p.Name, p.Took.Seconds())
		})
	}
	start.Wait()
	for i, p := range planes {
		if p == nil {
			continue
		}
		defer p.Stop()
		if _, err := createPod(t.Context(), p, Admin, fmt.Sprintf("only-in-%d", i)); err != nil {
			t.Errorf("create a pod in %s: %v", p.Name, err)
		}
		pods, err := p.Client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
		if err != nil || len(pods.Items) != 1 || pods.Items[0].Name != fmt.Sprintf("only-in-%d", i) {
			t.Errorf("%s has pods %v (%v), want its own one", p.Name, pods, err)
		}
	}
	for _, p := range planes {
		if p == nil {
			continue
		}
		if len(processesOf(t, p.etcdDir)) < 2 || len(processesOf(t, p.Dir)) < 2 {
			t.Errorf("%s: its processes are not seen while it runs: the next look proves nothing", p.Name)
		}
		began := time.Now()
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
		t.Logf("%s stopped in %.1f s", p.Name, time.Since(began).Seconds())
		if left := remains(t, p.Dir, p.etcdDir); len(left) > 0 {
			t.Errorf("%s left behind: %q", p.Name, left)
		}
		if err := p.Stop(); err != nil {
			t.Errorf("a second Stop of %s: %v", p.Name, err)
		}
	}
}

func TestStartThatFailsShowsTheLogAndLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	_, err := Start(t.Context(), Options{Dir: dir, APIFlags: []string{"--no-such-flag"}})
	if err == nil || !strings.Contains(err.Error(), "unknown flag: --no-such-flag") {
		t.Errorf("the error does not have the API server's own words: %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 0 {
		t.Errorf("left in %s: %v (%v)", dir, entries, err)
	}
	if left := processesOf(t, dir); len(left) != 0 {
		t.Errorf("left running: %q", left)
	}
}

func TestStartThatIsTooSlowSaysWhatItWaitedFor(t *testing.T) {
	dir := t.TempDir()
	_, err := Start(t.Context(), Options{Dir: dir, Ready: 300 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "in time") {
		t.Errorf("got %v, want an error that says that the time was over", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 0 {
		t.Errorf("left in %s: %v (%v)", dir, entries, err)
	}
	if left := processesOf(t, dir); len(left) != 0 {
		t.Errorf("left running: %q", left)
	}
}

func TestKeepLeavesTheLogs(t *testing.T) {
	p := startPlane(t, Options{Dir: t.TempDir(), Keep: true})
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if p.etcdDir != p.file("etcd") {
		defer os.RemoveAll(p.etcdDir)
	}
	for _, log := range []string{p.Etcd().Log, p.API().Log} {
		if _, err := os.Stat(log); err != nil {
			t.Errorf("a log was not kept: %v", err)
		}
	}
}

func TestUsersHaveOnlyTheirOwnRights(t *testing.T) {
	scheduler := ServiceAccountUser("kube-system", "sluice-scheduler")
	p := startPlane(t, Options{Users: []User{scheduler}})
	if _, err := createPod(t.Context(), p, scheduler.Name, "refused"); !apierrors.IsForbidden(err) {
		t.Errorf("a user without a role created a pod: %v", err)
	}
	if _, err := createPod(t.Context(), p, "nobody", "refused"); !apierrors.IsUnauthorized(err) {
		t.Errorf("an unknown user: %v, want 401", err)
	}
	if _, err := p.Kubeconfig("nobody"); err == nil {
		t.Error("a kubeconfig for an unknown user")
	}
	bind := []string{"create", "clusterrolebinding", "scheduler", "--clusterrole=cluster-admin",
		"--serviceaccount=kube-system:sluice-scheduler"}
	if out, err := p.Kubectl(t.Context(), bind...); err != nil {
		t.Fatal(out, err)
	}
	eventuallyMade(t, "the user with a role creates a pod", func() error {
		_, err := createPod(t.Context(), p, scheduler.Name, "allowed")
		return err
	})
	if _, err := p.Kubectl(t.Context(), "create", "serviceaccount", "real"); err != nil {
		t.Fatal(err)
	}
	kubeconfig, err := p.ServiceAccountKubeconfig(t.Context(), "default", "real")
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.Kubectl(t.Context(), "--kubeconfig="+kubeconfig, "auth", "whoami")
	if err != nil || !strings.Contains(out, "system:serviceaccount:default:real") {
		t.Errorf("whoami with a service account's token: %q (%v)", out, err)
	}
}

// eventually gives what becomes true after a while 20 s.
func eventually(t *testing.T, what string, try func() error) {
	t.Helper()
	end := time.Now().Add(20 * time.Second)
	for {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: not in 20 s: %v", what, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// What a server that delegates its authentication reads to know whom to believe. Without the second
// half it logs that at every start.
func TestThePlaneTellsWhomToBelieve(t *testing.T) {
	p := startPlane(t, Options{})
	authentication, err := p.Client.CoreV1().ConfigMaps("kube-system").Get(t.Context(),
		"extension-apiserver-authentication", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"client-ca-file", "requestheader-client-ca-file",
		"requestheader-username-headers", "requestheader-allowed-names"} {
		if authentication.Data[key] == "" {
			t.Errorf("it does not say %s: it has %v", key, authentication.Data)
		}
	}
}

// eventuallyMade is eventually of what creates an object.
func eventuallyMade(t *testing.T, what string, create func() error) {
	t.Helper()
	eventually(t, what, func() error { return Made(create()) })
}
