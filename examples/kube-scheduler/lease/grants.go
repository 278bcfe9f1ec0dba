// SPDX-License-Identifier: Apache-2.0

package lease

import (
	"context"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordination "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"
)

// Where it is said who grants in a cluster, whatever each install calls its own lease.
const (
	GrantsNamespace = "kube-system"
	GrantsName      = "sluice-grants"
)

// Times of Grants. Those who grant stop before others could begin: Valid is shorter than Silence.
type Times struct {
	Look    time.Duration // how often the Lease is read
	Renew   time.Duration // how old what we wrote may become
	Valid   time.Duration // how long we are alone after we wrote
	Silence time.Duration // how long another one must have written nothing before we take over
}

// UsualTimes cost a request every two seconds, and a write every eight.
var UsualTimes = Times{Look: 2 * time.Second, Renew: 8 * time.Second, Valid: 20 * time.Second,
	Silence: 30 * time.Second}

// Grants sees to it that one install grants in a cluster. Two of them, each with a lease of its
// own, would count the same queues, and each give away what the other one has given. So whoever
// leads in its install also holds a Lease that is the same for all:
//
//	own lease ──▶ nobody holds the common one, or this install does ──▶ grants
//	          ──▶ another install does                              ──▶ says so, and waits
type Grants struct {
	leases coordination.LeaseInterface
	lease  *Lease
	who    string
	rival  func(of *coordinationv1.Lease)
	times  Times

	wrote   time.Time // when we last asked for what is there now
	version string    // of another's, as it was last seen
	since   time.Time // it has been so
}

// NewGrants makes the lease lead only while `who`, which all replicas of an install have in common,
// holds the common Lease. rival is called when another install is found to hold it, with what says
// so, and with nil when none does any more.
func NewGrants(leases coordination.LeaseInterface, lease *Lease, who string, times Times,
	rival func(of *coordinationv1.Lease)) *Grants {
	lease.share()
	return &Grants{leases: leases, lease: lease, who: who, rival: rival, times: times}
}

// Run looks until the context ends.
func (g *Grants) Run(ctx context.Context) {
	blocked := false
	for {
		pause := g.times.Look
		if g.lease.isElected() {
			of := g.look(ctx)
			if (of != nil) != blocked {
				blocked = of != nil
				g.rival(of)
			}
		} else {
			g.version, g.wrote = "", time.Time{}
			g.lease.setAlone(time.Time{})
			pause /= 10 // who is elected is not to wait long
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// look takes or renews the common Lease, if that may be. It returns what another install says.
func (g *Grants) look(ctx context.Context) *coordinationv1.Lease {
	asked := time.Now()
	if asked.Sub(g.wrote) < g.times.Renew {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, g.times.Valid/2)
	defer cancel()
	there, err := g.leases.Get(ctx, GrantsName, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		_, err = g.leases.Create(ctx, g.fill(&coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Name: GrantsName}}, asked), metav1.CreateOptions{})
	case apierrors.IsForbidden(err):
		klog.FromContext(ctx).Error(err, "Whether another install of sluice grants in this cluster "+
			"is not known: give the right to get and update this Lease",
			"lease", GrantsNamespace+"/"+GrantsName)
		err = nil
	case err != nil:
		return nil // what was known holds until it is too old
	case g.isOthers(there, asked):
		g.lease.setAlone(time.Time{})
		return there
	default:
		_, err = g.leases.Update(ctx, g.fill(there.DeepCopy(), asked), metav1.UpdateOptions{})
	}
	if err == nil {
		g.wrote = asked
		g.lease.setAlone(asked.Add(g.times.Valid))
	}
	return nil
}

// isOthers tells whether another install holds it, and has written it lately: by our own clock,
// from when we first saw what is there.
func (g *Grants) isOthers(there *coordinationv1.Lease, now time.Time) bool {
	holder := ptr.Deref(there.Spec.HolderIdentity, "")
	if holder == "" || holder == g.who {
		return false
	}
	if there.ResourceVersion != g.version {
		g.version, g.since = there.ResourceVersion, now
	}
	return now.Sub(g.since) < g.times.Silence
}

func (g *Grants) fill(lease *coordinationv1.Lease, now time.Time) *coordinationv1.Lease {
	if ptr.Deref(lease.Spec.HolderIdentity, "") != g.who {
		lease.Spec.AcquireTime = &metav1.MicroTime{Time: now}
	}
	lease.Spec.HolderIdentity = ptr.To(g.who)
	lease.Spec.LeaseDurationSeconds = ptr.To(int32(g.times.Silence / time.Second))
	lease.Spec.RenewTime = &metav1.MicroTime{Time: now}
	return lease
}
