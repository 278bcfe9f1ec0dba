// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"context"
	"net"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func listSoon(ctx context.Context, p *Plane) error {
	soon, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_, err := p.Client.CoreV1().Pods("").List(soon, metav1.ListOptions{})
	return err
}

func TestFaultsPassAndDataStays(t *testing.T) {
	p := startPlane(t, Options{})
	ctx := t.Context()
	if _, err := createPod(ctx, p, Admin, "stays"); err != nil {
		t.Fatal(err)
	}
	url := p.URL()

	if err := p.PauseAPI(); err != nil {
		t.Fatal(err)
	}
	if listSoon(ctx, p) == nil {
		t.Error("a paused API server answered")
	}
	if err := p.ResumeAPI(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a resumed API server answers", func() error { return listSoon(ctx, p) })

	if err := p.StartEtcd(); err == nil {
		t.Error("a second etcd was started beside the first")
	}
	if err := p.StopEtcd(); err != nil {
		t.Fatal(err)
	}
	if _, err := createPodIn(ctx, p, 2*time.Second, "lost"); err == nil {
		t.Error("a pod was created without etcd")
	}
	if err := p.StartEtcd(); err != nil {
		t.Fatal(err)
	}
	eventuallyMade(t, "the API server finds etcd again", func() error {
		_, err := createPodIn(ctx, p, 2*time.Second, "after-etcd")
		return err
	})

	if err := p.KillAPI(); err != nil {
		t.Fatal(err)
	}
	if listSoon(ctx, p) == nil {
		t.Error("a killed API server answered")
	}
	if err := p.StartAPI(ctx); err != nil {
		t.Fatal(err)
	}
	if p.URL() != url {
		t.Errorf("the API server came back at %s, was at %s", p.URL(), url)
	}
	if _, err := p.Client.CoreV1().Pods("default").Get(ctx, "stays", metav1.GetOptions{}); err != nil {
		t.Errorf("the pod from before the faults: %v", err)
	}
}

func TestStopIsQuickWithoutEtcdAndWhilePaused(t *testing.T) {
	p := startPlane(t, Options{})
	if err := p.StopEtcd(); err != nil {
		t.Fatal(err)
	}
	if err := p.PauseAPI(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > stopGrace {
		t.Errorf("the stop took %s", took)
	}
	if left := remains(t, p.Dir, p.etcdDir); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestHeldPortIsNobodyElses(t *testing.T) {
	held, err := holdPort()
	if err != nil {
		t.Fatal(err)
	}
	address := held.url("")[len("://"):]
	if taken, err := net.Listen("tcp", address); err == nil {
		taken.Close()
		t.Errorf("somebody else listens on the held port %s", address)
	}
	if err := held.release(); err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatalf("the port is not free after its release: %v", err)
	}
	free.Close()
}
