// SPDX-License-Identifier: Apache-2.0

// Package config is what an operator may say to the plugin, in the scheduler's own configuration:
//
//	apiVersion: kubescheduler.config.k8s.io/v1
//	kind: KubeSchedulerConfiguration
//	profiles:
//	- schedulerName: default-scheduler
//	  plugins: ...
//	  pluginConfig:
//	  - name: Sluice
//	    args:
//	      library: /usr/lib/sluice/sluice.so
//	      removal: onBind
//	      reservationTimeout: 10m
//
// Every field has a default; a field that is not known is refused by its name. Profiles that enable
// the plugin share one engine, so they must say the same.
package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"
)

// Values of Removal, Manage and Undeclared.
const (
	OnBind      = "onBind"
	OnAdmission = "onAdmission"
	OptedIn     = "optedIn"
	All         = "all"
	Refused     = "refused"
	Unlimited   = "unlimited"
	Cluster     = "cluster"
)

// Args is the plugin's configuration.
type Args struct {
	// Library is the path of sluice.so. Default: /usr/lib/sluice/sluice.so.
	Library string `json:"library,omitempty"`

	// Removal says when a pod's gate goes: onBind (default), right before the pod is bound, in a
	// profile that disables the in-tree plugin SchedulingGates; or onAdmission, as soon as the queue
	// grants, in a stock profile.
	Removal string `json:"removal,omitempty"`

	// Manage says which pods of our profiles obey the queues: optedIn (default) or all.
	Manage string `json:"manage,omitempty"`

	// RootCeiling is what Volcano's queues together may use: unlimited (default), cluster (the sum of
	// the nodes), or amounts by resource, such as {cpu: 4000, memory: 16Ti}.
	RootCeiling Ceiling `json:"rootCeiling,omitzero"`

	// Undeclared says what becomes of a request for a resource that a ClusterQueue does not declare:
	// refused (default) or unlimited.
	Undeclared string `json:"undeclared,omitempty"`

	// DeviceClassMappings are the names by which Kueue's queues count devices that pods get by
	// ResourceClaims, as in Kueue's own configuration. Devices of other classes, and all of them in
	// Volcano's queues, count as deviceclass/<class>.
	DeviceClassMappings []DeviceClassMapping `json:"deviceClassMappings,omitempty"`

	// ReservationTimeout is how long a granted pod may hold its room before it is bound; 0 (default):
	// for ever.
	ReservationTimeout metav1.Duration `json:"reservationTimeout,omitzero"`

	// HeadGuard is how long the head of a queue may be passed over by smaller pods before it stops
	// them; 0 (default): for ever.
	HeadGuard metav1.Duration `json:"headGuard,omitzero"`

	// Preempt lets the engine evict pods so that others have room, as the queues' policies say.
	Preempt bool `json:"preempt,omitempty"`

	// Workloads makes the leader the controller of Kueue's Workloads (kueue.x-k8s.io/v1beta2), and of
	// Jobs that name a LocalQueue. Kueue itself must not run beside it. Default: false.
	Workloads bool `json:"workloads,omitempty"`

	// NativeMinimums answers the minimum that pods carry, and name a PodGroup of Kubernetes' own for,
	// by that PodGroup: the policy of components/native-minimums writes its name into them. Default:
	// false, it is answered by one of Volcano's.
	NativeMinimums bool `json:"nativeMinimums,omitempty"`

	// WaitingReasons says when a Workload that waits for room is told why.
	WaitingReasons WaitingReasons `json:"waitingReasons,omitzero"`
	// QueueStatusesPerSecond is how many statuses are written in a second of which only counts are
	// others, of Volcano's queues, and of Kueue's, and 20 times as many where no count has changed
	// for five seconds; 0: all. Default: 5.
	QueueStatusesPerSecond *int64 `json:"queueStatusesPerSecond,omitempty"`

	// PreemptionGates makes the gates of workloads count: the feature gate
	// MultiKueueOrchestratedPreemption of a worker cluster. Default: false.
	PreemptionGates bool `json:"preemptionGates,omitempty"`

	// ObserveOnly decides and reports, and holds nothing back.
	ObserveOnly bool `json:"observeOnly,omitempty"`

	// Record is the size of the engine's recording of its calls, from the start on; 0 (default): none.
	Record resource.Quantity `json:"record,omitzero"`

	// Metrics adds metrics that not everybody wants to store.
	Metrics Metrics `json:"metrics,omitzero"`

	// Limits bounds what the engine accepts.
	Limits Limits `json:"limits,omitzero"`

	// Effects is how what the engine asks for is carried out.
	Effects Effects `json:"effects,omitzero"`

	// Webhook serves admission, for what the policy alone cannot look up. Default: not served.
	Webhook *Webhook `json:"webhook,omitempty"`
}

// DeviceClassMapping is a resource, and the classes whose devices count as so much of it.
type DeviceClassMapping struct {
	Name             string   `json:"name"`
	DeviceClassNames []string `json:"deviceClassNames"`
}

// DeviceNames are the resources as which devices count, by the name of their class.
func (a *Args) DeviceNames() map[string]string {
	names := map[string]string{}
	for _, mapping := range a.DeviceClassMappings {
		for _, class := range mapping.DeviceClassNames {
			names[class] = mapping.Name
		}
	}
	return names
}

// WaitingReasons says when a Workload that waits for room is told why; `kubectl sluice why` knows
// it at once. Most have their room before that, and are written once.
type WaitingReasons struct {
	// After is how long it has waited by then. Default: 10s; 0s: at once.
	After *metav1.Duration `json:"after,omitempty"`
	// PerSecond is how many are told in a second, who waits longest first. Default: 2; 0: all.
	PerSecond *int64 `json:"perSecond,omitempty"`
}

// Metrics are those that are there only where they are asked for.
type Metrics struct {
	// LocalQueues has the wait and the workloads of each LocalQueue told, up to 15 series each.
	// Default: false.
	LocalQueues bool `json:"localQueues,omitempty"`
}

// Limits bounds what the engine accepts; 0: its own default.
type Limits struct {
	Message   resource.Quantity `json:"message,omitzero"`
	Pods      int64             `json:"pods,omitempty"`
	Queues    int64             `json:"queues,omitempty"`
	Nodes     int64             `json:"nodes,omitempty"`
	Workloads int64             `json:"workloads,omitempty"`
}

// Effects is how what the engine asks for is carried out.
type Effects struct {
	// Workers is how many writes may be under way at once. Default: 16.
	Workers int `json:"workers,omitempty"`
	// QPS and Burst limit the writes for pods: gates and conditions. Defaults: 500 and 1000.
	QPS   float32 `json:"qps,omitempty"`
	Burst int     `json:"burst,omitempty"`
}

// Webhook is where admission is served.
type Webhook struct {
	// Port is where it listens. Default: 9443.
	Port int `json:"port,omitempty"`
	// Namespace and Service are how the API server reaches it. Defaults: kube-system, sluice-webhook.
	Namespace string `json:"namespace,omitempty"`
	Service   string `json:"service,omitempty"`
	// Secret keeps its certificates, Configuration is the name of the ValidatingWebhookConfiguration
	// and of the MutatingWebhookConfiguration that trust them. Defaults: sluice-webhook-certs, sluice.
	Secret        string `json:"secret,omitempty"`
	Configuration string `json:"configuration,omitempty"`
}

// Decode reads the args of a profile, sets the defaults and checks the values.
func Decode(object runtime.Object) (*Args, error) {
	args := &Args{}
	if object != nil {
		unknown, ok := object.(*runtime.Unknown)
		if !ok {
			return nil, fmt.Errorf("the args of the plugin are a %T, not plain JSON or YAML", object)
		}
		if err := yaml.UnmarshalStrict(unknown.Raw, args); err != nil {
			return nil, fmt.Errorf("the args of the plugin cannot be used: %w",
				whichField(unknown.Raw, err))
		}
	}
	args.setDefaults()
	return args, args.validate()
}

// forms are those of fields of which an error of the decoder does not say what is wanted.
var forms = map[string]string{
	"reservationTimeout": "a duration such as 10m",
	"headGuard":          "a duration such as 30s",
	"waitingReasons":     "such as {after: 10s, perSecond: 2}",
	"record":             "a size such as 16Mi",
	"rootCeiling":        "unlimited, cluster, or amounts such as {cpu: 4000, memory: 16Ti}",
	"deviceClassMappings": "a list such as [{name: example.com/gpus, deviceClassNames: " +
		"[gpu.example.com]}]",
}

// whichField reads the fields one by one, since not every error of a value says whose it is.
func whichField(text []byte, all error) error {
	var fields map[string]any
	if yaml.Unmarshal(text, &fields) != nil {
		return all
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		alone, err := yaml.Marshal(map[string]any{name: fields[name]})
		if err != nil {
			return all
		}
		if err := yaml.UnmarshalStrict(alone, &Args{}); err != nil {
			if form := forms[name]; form != "" {
				return fmt.Errorf("%s: %v, want %s: %w", name, fields[name], form, err)
			}
			return fmt.Errorf("%s: %v: %w", name, fields[name], err)
		}
	}
	return all
}

func orDefault[T comparable](value *T, standard T) {
	var zero T
	if *value == zero {
		*value = standard
	}
}

func (a *Args) setDefaults() {
	orDefault(&a.Library, "/usr/lib/sluice/sluice.so")
	orDefault(&a.Removal, OnBind)
	orDefault(&a.Manage, OptedIn)
	orDefault(&a.Undeclared, Refused)
	if a.RootCeiling.Amounts == nil {
		orDefault(&a.RootCeiling.Mode, Unlimited)
	}
	if a.WaitingReasons.After == nil {
		a.WaitingReasons.After = &metav1.Duration{Duration: 10 * time.Second}
	}
	if a.WaitingReasons.PerSecond == nil {
		a.WaitingReasons.PerSecond = ptr.To[int64](2)
	}
	if a.QueueStatusesPerSecond == nil {
		a.QueueStatusesPerSecond = ptr.To[int64](5)
	}
	orDefault(&a.Effects.Workers, 16)
	orDefault(&a.Effects.QPS, 500)
	orDefault(&a.Effects.Burst, 1000)
	if w := a.Webhook; w != nil {
		orDefault(&w.Port, 9443)
		orDefault(&w.Namespace, "kube-system")
		orDefault(&w.Service, "sluice-webhook")
		orDefault(&w.Secret, "sluice-webhook-certs")
		orDefault(&w.Configuration, "sluice")
	}
}

func (a *Args) validate() error {
	var problems []error
	oneOf := func(field, value string, allowed ...string) {
		for _, one := range allowed {
			if value == one {
				return
			}
		}
		problems = append(problems, fmt.Errorf("%s: %q, want one of %q", field, value, allowed))
	}
	notBelow := func(field string, value, least int64) {
		if value < least {
			problems = append(problems, fmt.Errorf("%s: %d, want at least %d", field, value, least))
		}
	}
	perSecond := func(field string, value int64) {
		notBelow(field, value, 0)
		if most := int64(1000000); value > most {
			problems = append(problems, fmt.Errorf("%s: %d, want at most %d", field, value, most))
		}
	}
	length := func(field string, value time.Duration) {
		if value < 0 {
			problems = append(problems, fmt.Errorf("%s: %s, want 0s or more", field, value))
		}
	}
	oneOf("removal", a.Removal, OnBind, OnAdmission)
	oneOf("manage", a.Manage, OptedIn, All)
	oneOf("undeclared", a.Undeclared, Refused, Unlimited)
	if a.RootCeiling.Amounts == nil {
		oneOf("rootCeiling", a.RootCeiling.Mode, Unlimited, Cluster)
	}
	problems = append(problems, wrongMappings(a.DeviceClassMappings)...)
	length("reservationTimeout", a.ReservationTimeout.Duration)
	length("headGuard", a.HeadGuard.Duration)
	length("waitingReasons.after", a.WaitingReasons.After.Duration)
	perSecond("waitingReasons.perSecond", *a.WaitingReasons.PerSecond)
	perSecond("queueStatusesPerSecond", *a.QueueStatusesPerSecond)
	notBelow("record", a.Record.Value(), 0)
	notBelow("limits.message", a.Limits.Message.Value(), 0)
	notBelow("limits.pods", a.Limits.Pods, 0)
	notBelow("limits.queues", a.Limits.Queues, 0)
	notBelow("limits.nodes", a.Limits.Nodes, 0)
	notBelow("limits.workloads", a.Limits.Workloads, 0)
	notBelow("effects.workers", int64(a.Effects.Workers), 1)
	notBelow("effects.burst", int64(a.Effects.Burst), 1)
	if a.Effects.QPS <= 0 {
		problems = append(problems, fmt.Errorf("effects.qps: %g, want more than 0", a.Effects.QPS))
	}
	if a.Webhook != nil && (a.Webhook.Port < 1 || a.Webhook.Port > 65535) {
		problems = append(problems, fmt.Errorf("webhook.port: %d, want 1 to 65535", a.Webhook.Port))
	}
	return errors.Join(problems...)
}

// wrongMappings says what is wrong with the names of devices.
func wrongMappings(mappings []DeviceClassMapping) (problems []error) {
	problem := func(format string, values ...any) {
		problems = append(problems, fmt.Errorf("deviceClassMappings"+format, values...))
	}
	names, classes := map[string]int{}, map[string]string{}
	for i, mapping := range mappings {
		if wrong := wrongName(mapping.Name); wrong != "" {
			problem("[%d].name: %q, want %s", i, mapping.Name, wrong)
		}
		if before, twice := names[mapping.Name]; twice {
			problem("[%d].name: %q, want each name once: [%d] has it, too", i, mapping.Name, before)
		}
		names[mapping.Name] = i
		if len(mapping.DeviceClassNames) == 0 {
			problem("[%d].deviceClassNames: [], want the name of a DeviceClass at least", i)
		}
		for k, class := range mapping.DeviceClassNames {
			at := fmt.Sprintf("[%d].deviceClassNames[%d]", i, k)
			if wrong := validation.IsDNS1123Subdomain(class); len(wrong) > 0 {
				problem("%s: %q, want the name of a DeviceClass: %s", at, class, wrong[0])
			}
			if before, twice := classes[class]; twice {
				problem("%s: %q, want each class once: %s names it, too", at, class, before)
			}
			classes[class] = at
		}
	}
	return problems
}

// wrongName says what is wanted instead of a name that none of devices can be; "": it can.
func wrongName(name string) string {
	if wrong := validation.IsQualifiedName(name); len(wrong) > 0 {
		return "the name of a resource: " + wrong[0]
	}
	switch own := v1.ResourceName(name); {
	case own == v1.ResourceCPU, own == v1.ResourceMemory, own == v1.ResourceEphemeralStorage,
		own == v1.ResourcePods, strings.HasPrefix(name, v1.ResourceHugePagesPrefix):
		return "the name of a resource that is none of Kubernetes' own"
	case strings.HasPrefix(name, "deviceclass/"):
		return "another one: devices count by such a name where no mapping says otherwise"
	}
	return ""
}

// Ceiling is a mode by name, or amounts by resource.
type Ceiling struct {
	Mode    string
	Amounts map[string]resource.Quantity
}

// UnmarshalJSON reads either form.
func (c *Ceiling) UnmarshalJSON(text []byte) error {
	*c = Ceiling{}
	if len(text) > 0 && text[0] == '{' {
		return json.Unmarshal(text, &c.Amounts)
	}
	return json.Unmarshal(text, &c.Mode)
}

// MarshalJSON writes the form that was read.
func (c Ceiling) MarshalJSON() ([]byte, error) {
	if c.Amounts != nil {
		return json.Marshal(c.Amounts)
	}
	return json.Marshal(c.Mode)
}
