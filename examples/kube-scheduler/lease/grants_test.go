// SPDX-License-Identifier: Apache-2.0

package lease

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"
)

var quick = Times{Look: 10 * time.Millisecond, Renew: 40 * time.Millisecond,
	Valid: 200 * time.Millisecond, Silence: 400 * time.Millisecond}

// install is a scheduler with a lease of its own, which it has as long as the test says.
type install struct {
	lease Lease
	rival atomic.Pointer[string]
	stop  context.CancelFunc
}

func installed(t *testing.T, client *fake.Clientset, who string) *install {
	i := &install{}
	i.lease.Await()
	i.lease.Set(time.Now().Add(time.Hour))
	grants := NewGrants(client.CoordinationV1().Leases(GrantsNamespace), &i.lease, who, quick,
		func(of *coordinationv1.Lease) {
			i.rival.Store(nil)
			if of != nil {
				i.rival.Store(of.Spec.HolderIdentity)
			}
		})
	if i.lease.Leads() {
		t.Error("it leads before it knows that it is alone")
	}
	ctx, stop := context.WithCancel(context.Background())
	i.stop = stop
	ended := make(chan struct{})
	go func() { defer close(ended); grants.Run(ctx) }()
	t.Cleanup(func() { stop(); <-ended })
	return i
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after 10 s it is not so that %s", what)
		}
	}
}

// versioned counts up the version of each Lease that is written, as an API server does.
func versioned() (*fake.Clientset, *atomic.Bool) {
	client, broken := fake.NewClientset(), &atomic.Bool{}
	version := int64(0)
	client.PrependReactor("*", "leases", func(action clienttesting.Action) (bool, runtime.Object,
		error) {
		if broken.Load() {
			return true, nil, errors.New("no answer")
		}
		var lease *coordinationv1.Lease
		switch write := action.(type) {
		case clienttesting.UpdateAction:
			lease = write.GetObject().(*coordinationv1.Lease)
		default:
			return false, nil, nil
		}
		version++
		lease.ResourceVersion = string(rune('a' + version%26))
		return false, nil, nil
	})
	return client, broken
}

func TestOneInstallGrants(t *testing.T) {
	client, broken := versioned()
	first := installed(t, client, "kube-system/first")
	eventually(t, "the first one leads", first.lease.Leads)
	second := installed(t, client, "other/second")
	eventually(t, "the second one says who grants", func() bool {
		who := second.rival.Load()
		return who != nil && *who == "kube-system/first"
	})
	for end := time.Now().Add(2 * quick.Silence); time.Now().Before(end); {
		time.Sleep(time.Millisecond)
		if second.lease.Leads() {
			t.Fatal("both lead")
		}
	}
	if !first.lease.Leads() {
		t.Error("the first one stopped")
	}

	// Another replica of the first install goes on where that one ended.
	first.stop()
	replica := installed(t, client, "kube-system/first")
	eventually(t, "another replica leads", replica.lease.Leads)

	// Without an API server nobody leads for long; then again one does.
	broken.Store(true)
	eventually(t, "it leads no longer", func() bool { return !replica.lease.Leads() })
	broken.Store(false)
	eventually(t, "one of them leads again", func() bool {
		return replica.lease.Leads() != second.lease.Leads()
	})

	replica.stop()
	eventually(t, "after a silence the second one does", second.lease.Leads)
	if replica.lease.Leads() {
		t.Error("both lead")
	}
	eventually(t, "it has no rival any more", func() bool { return second.rival.Load() == nil })
	second.lease.Set(time.Time{})
	eventually(t, "without its own lease it does not", func() bool { return !second.lease.Leads() })
}

// An install whose rights are older than this Lease grants all the same.
func TestWhoMayNotLookLeads(t *testing.T) {
	client := fake.NewClientset()
	client.PrependReactor("*", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(coordinationv1.Resource("leases"), GrantsName,
			errors.New("no rights"))
	})
	eventually(t, "it leads", installed(t, client, "us").lease.Leads)
}

func TestAnEmptyLeaseIsTaken(t *testing.T) {
	client, _ := versioned()
	lease := &coordinationv1.Lease{Spec: coordinationv1.LeaseSpec{HolderIdentity: ptr.To("")}}
	lease.Name, lease.Namespace = GrantsName, GrantsNamespace
	if err := client.Tracker().Add(lease); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it leads", installed(t, client, "us").lease.Leads)
}
