// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"sluice/cluster/plane"
)

// cluster is one plane for all of the test: the overlays are applied over one another, as people
// do.
type cluster struct {
	*testing.T
	*plane.Plane
	pods int
}

func (c *cluster) on(t *testing.T) *cluster { return &cluster{t, c.Plane, c.pods} }

func (c *cluster) must(args ...string) string {
	c.Helper()
	out, err := c.Kubectl(c.Context(), args...)
	if err != nil {
		c.Fatal(err)
	}
	return out
}

// apply applies twice: the second time nobody may be in its way, and nothing may change.
func (c *cluster) apply(folder string) {
	c.Helper()
	c.must("apply", "--server-side", "-k", manifests+folder)
	before := c.versions(folder)
	c.must("apply", "--server-side", "-k", manifests+folder)
	if after := c.versions(folder); after != before {
		c.Errorf("%s: applied again, it changed:\n%s\nwas\n%s", folder, after, before)
	}
}

func (c *cluster) versions(folder string) string {
	c.Helper()
	return c.must("get", "-k", manifests+folder, "--no-headers", "-o",
		"custom-columns=:kind,:metadata.name,:metadata.generation,:metadata.resourceVersion")
}

func (c *cluster) as(user plane.User) kubernetes.Interface {
	c.Helper()
	client, err := c.ClientFor(user.Name)
	if err != nil {
		c.Fatal(err)
	}
	return client
}

func (c *cluster) create(pod *corev1.Pod, dry ...string) (*corev1.Pod, error) {
	return c.as(editor).CoreV1().Pods(pod.Namespace).
		Create(c.Context(), pod, metav1.CreateOptions{DryRun: dry})
}

// await tries until the API server has heard of a policy: it learns of changes by a watch.
func (c *cluster) await(what string, holds func() bool) {
	c.Helper()
	end := time.Now().Add(30 * time.Second)
	for ; time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if holds() {
			return
		}
	}
	c.Fatalf("not within 30 s: %s", what)
}

func (c *cluster) file(name, text string) string {
	c.Helper()
	path := filepath.Join(c.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		c.Fatal(err)
	}
	return path
}
