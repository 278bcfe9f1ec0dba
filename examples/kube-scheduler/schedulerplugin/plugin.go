// SPDX-License-Identifier: Apache-2.0

// Package schedulerplugin is the plugin `Sluice` of the scheduling framework: each hook asks the
// host's engine, and puts the answer into the framework's words.
//
// A queue's decision is made in PreEnqueue only. Where a later hook must refuse for a queue's sake
// it returns an Error, which no autoscaler reads; Unschedulable is said for lack of nodes only.
//
// The plugin registers no events: each event of interest would copy every held pod under the lock
// of the scheduler's queue. The engine knows whom to wake. (It has to say so: a plugin that says
// nothing gets all of them.)
package schedulerplugin

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/host"
	"sluice/kube-scheduler/sluice"
)

// Name of the plugin in a KubeSchedulerConfiguration.
const Name = host.PluginName

// Plugin is one profile's. All of them share a host.
type Plugin struct {
	host   *host.Host
	onward *onward
	named  bool // the scheduler asks for the pods that are onward
}

var (
	_ fwk.EnqueueExtensions = &Plugin{}

	_ fwk.PreEnqueuePlugin = &Plugin{}
	_ fwk.PreFilterPlugin  = &Plugin{}
	_ fwk.FilterPlugin     = &Plugin{}
	_ fwk.PostFilterPlugin = &Plugin{}
	_ fwk.ReservePlugin    = &Plugin{}
	_ fwk.PermitPlugin     = &Plugin{}
	_ fwk.BindPlugin       = &Plugin{}
	_ fwk.PostBindPlugin   = &Plugin{}
	_ fwk.SignPlugin       = &Plugin{}
)

// Factory makes the plugins of a scheduler's profiles.
type Factory struct {
	mutex  sync.Mutex
	host   *host.Host
	onward onward
}

// New is a frameworkruntime.PluginFactory.
func (f *Factory) New(ctx context.Context, object runtime.Object, handle fwk.Handle) (fwk.Plugin,
	error) {
	args, err := config.Decode(object)
	if err != nil {
		return nil, err
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.host == nil {
		f.onward.pods = handle.SharedInformerFactory().Core().V1().Pods().Lister()
		if f.host, err = host.New(ctx, args, handle); err != nil {
			return nil, err
		}
	}
	if err := f.host.AddProfile(handle.ProfileName(), args); err != nil {
		return nil, err
	}
	return &Plugin{host: f.host, onward: &f.onward, named: PreHints()}, nil
}

var _ frameworkruntime.PluginFactory = new(Factory).New

// Host is what the profiles share; nil: no profile enables the plugin.
func (f *Factory) Host() *host.Host {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.host
}

// Name of the plugin.
func (p *Plugin) Name() string { return Name }

// EventsToRegister are none, but for those of which it can be said which pods they are about.
func (p *Plugin) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	if !p.named {
		return nil, nil
	}
	return p.onward.events(), nil
}

var timers = struct {
	preEnqueue, preFilter, postFilter, reserve, unreserve, permit, bind, postBind func(time.Time)
}{
	preEnqueue: host.HookTimer("PreEnqueue"),
	preFilter:  host.HookTimer("PreFilter"),
	postFilter: host.HookTimer("PostFilter"),
	reserve:    host.HookTimer("Reserve"),
	unreserve:  host.HookTimer("Unreserve"),
	permit:     host.HookTimer("Permit"),
	bind:       host.HookTimer("Bind"),
	postBind:   host.HookTimer("PostBind"),
}

// What a hold says, made once: the queue's lock is held while PreEnqueue runs.
var holds sync.Map

func hold(reason string) *fwk.Status {
	status, known := holds.Load(reason)
	if !known {
		status, _ = holds.LoadOrStore(reason, fwk.NewStatus(fwk.UnschedulableAndUnresolvable,
			"waits in its queue: "+reason))
	}
	// The framework writes the plugin's name into it.
	return status.(*fwk.Status).Clone()
}

// PreEnqueue holds the pod until its queue grants it.
func (p *Plugin) PreEnqueue(_ context.Context, pod *v1.Pod) *fwk.Status {
	defer timers.preEnqueue(time.Now())
	status := p.preEnqueue(pod)
	if p.named {
		p.onward.put(pod, status.IsSuccess())
	}
	return status
}

func (p *Plugin) preEnqueue(pod *v1.Pod) *fwk.Status {
	verdict, err := p.host.PreEnqueue(pod)
	var refused *sluice.Error
	switch {
	case errors.As(err, &refused) &&
		(refused.Code == sluice.CodeField || refused.Code == sluice.CodeLimit):
		// Who made the pod has been told by an event. An Error would be tried again and again.
		return hold("Refused")
	case err != nil:
		return fwk.AsStatus(err)
	case verdict.Pass:
		return nil
	}
	return hold(verdict.Reason)
}

// refusal is for the queue's sake, after PreEnqueue; or for lack of nodes, where those of its group
// found none: the autoscaler has to see each of them.
func refusal(verdict sluice.Verdict, err error) *fwk.Status {
	if err != nil {
		return fwk.AsStatus(err)
	}
	if !verdict.Pass && verdict.Unschedulable {
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, verdict.Message)
	}
	if !verdict.Pass {
		return fwk.AsStatus(fmt.Errorf("the queue has taken back what it granted: %s: %s",
			verdict.Reason, verdict.Message))
	}
	return nil
}

const nodesKey fwk.StateKey = "Sluice/nodes"

// granted keeps in a cycle's state which nodes the pod may use.
type granted struct{ nodes *host.Nodes }

// Clone returns the same: it is not changed any more.
func (g granted) Clone() fwk.StateData { return g }

// PreFilter refuses a pod that was demoted in between, and skips Filter where nodes do not matter.
func (p *Plugin) PreFilter(_ context.Context, state fwk.CycleState, pod *v1.Pod,
	_ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	defer timers.preFilter(time.Now())
	verdict, nodes, err := p.host.PreFilter(pod)
	if status := refusal(verdict, err); status != nil {
		return nil, status
	}
	if nodes == nil {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	state.Write(nodesKey, granted{nodes})
	return nil, nil
}

// PreFilterExtensions are not needed: other pods on a node do not change its flavor.
func (p *Plugin) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// Filter passes the nodes of the flavors that were granted.
func (p *Plugin) Filter(_ context.Context, state fwk.CycleState, _ *v1.Pod,
	node fwk.NodeInfo) *fwk.Status {
	data, err := state.Read(nodesKey)
	if err != nil {
		return fwk.AsStatus(err)
	}
	if !data.(granted).nodes.Has(node.Node().Name) {
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable,
			"node(s) did not belong to the flavor that the queue granted")
	}
	return nil
}

// PostFilter lets the pod's gate go, so that the autoscaler sees it. It makes no room: that is for
// the plugins after it.
func (p *Plugin) PostFilter(_ context.Context, _ fwk.CycleState, pod *v1.Pod,
	_ fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	defer timers.postFilter(time.Now())
	if err := p.host.PostFilter(pod); err != nil {
		return nil, fwk.AsStatus(err)
	}
	return nil, fwk.NewStatus(fwk.Unschedulable)
}

// Reserve makes the claim count as allocated, unless the cycle only tries where the members of a
// group would go.
func (p *Plugin) Reserve(_ context.Context, state fwk.CycleState, pod *v1.Pod,
	node string) *fwk.Status {
	defer timers.reserve(time.Now())
	if state.IsPodGroupSchedulingCycle() {
		return refusal(p.host.TryReserve(pod, node))
	}
	return refusal(p.host.Reserve(pod, node))
}

// Unreserve leaves the claim its reservation.
func (p *Plugin) Unreserve(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) {
	defer timers.unreserve(time.Now())
	if state.IsPodGroupSchedulingCycle() {
		report(ctx, "Unreserve", pod, p.host.TryUnreserve(pod, node))
		return
	}
	report(ctx, "Unreserve", pod, p.host.Unreserve(pod, node))
}

// Permit lets the pod go on, or wait for the others of its gang.
func (p *Plugin) Permit(_ context.Context, _ fwk.CycleState, pod *v1.Pod,
	node string) (*fwk.Status, time.Duration) {
	defer timers.permit(time.Now())
	allow, wait, err := p.host.Permit(pod, node)
	if err != nil {
		return fwk.AsStatus(err), 0
	}
	if !allow {
		return fwk.NewStatus(fwk.Wait), wait
	}
	return nil, 0
}

// Bind takes the gate off and leaves the binding to the plugin after it.
func (p *Plugin) Bind(ctx context.Context, _ fwk.CycleState, pod *v1.Pod,
	node string) *fwk.Status {
	defer timers.bind(time.Now())
	if err := p.host.Bind(ctx, pod, node); err != nil {
		return fwk.AsStatus(err)
	}
	return fwk.NewStatus(fwk.Skip)
}

// PostBind tells the engine.
func (p *Plugin) PostBind(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, node string) {
	defer timers.postBind(time.Now())
	report(ctx, "PostBind", pod, p.host.PostBind(pod, node))
}

// SignPod: a queue's decision is made before the cycle, so it does not tell pods apart; the nodes
// of a flavor do.
func (p *Plugin) SignPod(context.Context, *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	if p.host.Flavored() {
		return nil, fwk.NewStatus(fwk.Unschedulable, "the nodes of a pod depend on its flavor")
	}
	return nil, nil
}

// report logs the error of a hook that cannot return one.
func report(ctx context.Context, hook string, pod *v1.Pod, err error) {
	if err != nil {
		klog.FromContext(ctx).Error(err, "A hook failed", "hook", hook, "pod", klog.KObj(pod))
	}
}
