// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	fwk "k8s.io/kube-scheduler/framework"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/host"
	"sluice/kube-scheduler/sluice"
)

// handle is what a host needs of a scheduler, on an API server that has nothing.
type handle struct {
	fwk.Handle
	client  kubernetes.Interface
	factory informers.SharedInformerFactory
}

func (h *handle) KubeConfig() *rest.Config                               { return &rest.Config{} }
func (h *handle) ClientSet() kubernetes.Interface                        { return h.client }
func (h *handle) SharedInformerFactory() informers.SharedInformerFactory { return h.factory }
func (h *handle) EventRecorder() events.EventRecorderLogger              { return noEvents{} }

type noEvents struct{ events.EventRecorderLogger }

func (noEvents) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {}

func newHandle() *handle {
	client := fake.NewClientset()
	return &handle{client: client, factory: informers.NewSharedInformerFactory(client, 0)}
}

func libraryPath() string {
	if path := os.Getenv("SLUICE_LIB"); path != "" {
		return path
	}
	return filepath.Join("..", "..", "..", "build", "sluice.so")
}

// newHost is one whose engine is not open yet.
func newHost(tb testing.TB, handle *handle, record string) *host.Host {
	tb.Helper()
	args, err := config.Decode(nil)
	if err != nil {
		tb.Fatal(err)
	}
	args.Library, args.Record = libraryPath(), resource.MustParse(record)
	h, err := host.New(context.Background(), args, handle)
	if err != nil {
		tb.Fatalf("%v (build sluice.so with meson, or name one in SLUICE_LIB)", err)
	}
	if err := h.AddProfile("default-scheduler", args); err != nil {
		tb.Fatal(err)
	}
	return h
}

// running is a host that leads and is synced.
func running(tb testing.TB, record string) *host.Host {
	tb.Helper()
	handle := newHandle()
	h := newHost(tb, handle, record)
	start(tb, h, handle)
	return h
}

func start(tb testing.TB, h *host.Host, handle *handle) {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	tb.Cleanup(cancel)
	if err := h.Start(ctx); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(h.Stop)
	handle.factory.Start(ctx.Done())
	eventually(tb, "the host is synced", h.Synced)
}

func eventually(tb testing.TB, what string, is func() bool) {
	tb.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			tb.Fatalf("not within 20 s: %s", what)
		}
	}
}

func ok(tb testing.TB) func(sluice.Tail, error) {
	return func(_ sluice.Tail, err error) {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
	}
}

// waiting is a pod of one cpu behind our gate.
func waiting(name, queue string) *sluice.Pod {
	const gate = "scheduling.volcano.sh/queue-allocation-gate"
	return &sluice.Pod{UID: "uid-" + name, Namespace: "default", Name: name,
		Created: 1_700_000_000_000_000_000, Generation: 1, ResourceVersion: 1,
		Scheduler: "default-scheduler", Phase: "Pending", Gates: []string{gate},
		Annotations: [][2]string{{gate, "true"}, {"scheduling.volcano.sh/queue-name", queue}},
		Requests:    []sluice.Amount{{Name: "cpu", Value: 1000}}}
}
