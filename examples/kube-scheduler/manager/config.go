// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	componentconfig "k8s.io/component-base/config/v1alpha1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/yaml"
)

// APIVersion and Kind of the configuration.
const (
	APIVersion = "sluice/v1"
	Kind       = "ManagerConfiguration"
)

// Who says which clusters a workload may go to.
const (
	AllAtOnce = "AllAtOnce" // this manager: all of its configuration
	External  = "External"  // somebody else, in status.nominatedClusterNames
)

// OrchestratedPreemption is the feature gate, as Kueue calls it. Without it copies have no gate,
// and may preempt in all clusters at once.
const OrchestratedPreemption = "MultiKueueOrchestratedPreemption"

// Config is what an operator may say. Every field has a default; one that is not known is refused.
type Config struct {
	metav1.TypeMeta `json:",inline"`

	// Library is the path of sluice.so. Default: /usr/lib/sluice/sluice.so.
	Library string `json:"library,omitempty"`

	// Namespace has the Secrets with the workers' kubeconfigs. Default: kueue-system.
	Namespace string `json:"namespace,omitempty"`

	// Origin is written into the label kueue.x-k8s.io/multikueue-origin of all that this manager
	// makes in a worker: no two managers of one worker may have the same. Default: multikueue.
	Origin string `json:"origin,omitempty"`

	// ControllerName: AdmissionChecks of this controllerName are ours. Default:
	// kueue.x-k8s.io/multikueue, whose own controller must then not run (in Kueue's configuration
	// featureGates: {MultiKueue: false}).
	ControllerName string `json:"controllerName,omitempty"`

	// Dispatcher is AllAtOnce (default) or External.
	Dispatcher string `json:"dispatcher,omitempty"`

	// FeatureGates: MultiKueueOrchestratedPreemption, false by default, as in Kueue.
	FeatureGates map[string]bool `json:"featureGates,omitempty"`

	// SingleClusterPreemptionTimeout is how long only one cluster may preempt for a workload.
	// Default: 5m. The annotation sluice.sh/single-cluster-preemption-timeout of a workload is for
	// that workload alone.
	SingleClusterPreemptionTimeout metav1.Duration `json:"singleClusterPreemptionTimeout,omitzero"`

	// PreferNoPreemption is how long a workload's first gate stays closed in case a worker can admit
	// it without preempting. Default: 0s.
	PreferNoPreemption metav1.Duration `json:"preferNoPreemption,omitzero"`

	// WorkerLostTimeout is how long a workload stays in a worker that cannot be reached. Default: 15m.
	WorkerLostTimeout metav1.Duration `json:"workerLostTimeout,omitzero"`

	// Record is the size of the engine's recording of its calls, from the start on; 0 (default): none.
	Record resource.Quantity `json:"record,omitzero"`

	// Limits bounds what the engine accepts.
	Limits Limits `json:"limits,omitzero"`

	// Effects is how what the engine asks for is carried out.
	Effects Effects `json:"effects,omitzero"`

	// LeaderElection among the replicas. Default: sluice-manager, in Namespace.
	LeaderElection componentconfig.LeaderElectionConfiguration `json:"leaderElection,omitzero"`
}

// Limits bounds what the engine accepts; 0: its own default. What is refused for one is told of
// again until there is room.
type Limits struct {
	Message   resource.Quantity `json:"message,omitzero"`
	Workloads int64             `json:"workloads,omitempty"`
	Clusters  int64             `json:"clusters,omitempty"`
}

// Effects is how what the engine asks for is carried out.
type Effects struct {
	// Workers is how many writes may be under way at once. Default: 32.
	Workers int `json:"workers,omitempty"`
	// QPS and Burst limit the writes, here and in each worker. Defaults: 200 and 400.
	QPS   float32 `json:"qps,omitempty"`
	Burst int     `json:"burst,omitempty"`
}

// ReadConfig reads a file; "": the defaults.
func ReadConfig(file string) (*Config, error) {
	if file == "" {
		return Decode(nil)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	c, err := Decode(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}

// Decode reads the text of a configuration, sets the defaults and checks the values.
func Decode(text []byte) (*Config, error) {
	c := &Config{TypeMeta: metav1.TypeMeta{APIVersion: APIVersion, Kind: Kind}}
	if err := yaml.UnmarshalStrict(text, c); err != nil {
		return nil, err
	}
	c.setDefaults()
	return c, c.validate()
}

func orDefault[T comparable](value *T, standard T) {
	var zero T
	if *value == zero {
		*value = standard
	}
}

func (c *Config) setDefaults() {
	orDefault(&c.Library, "/usr/lib/sluice/sluice.so")
	orDefault(&c.Namespace, "kueue-system")
	orDefault(&c.Origin, "multikueue")
	orDefault(&c.ControllerName, kueue.MultiKueueControllerName)
	orDefault(&c.Dispatcher, AllAtOnce)
	orDefault(&c.SingleClusterPreemptionTimeout.Duration, 5*time.Minute)
	orDefault(&c.WorkerLostTimeout.Duration, 15*time.Minute)
	orDefault(&c.Effects.Workers, 32)
	orDefault(&c.Effects.QPS, 200)
	orDefault(&c.Effects.Burst, 400)
	orDefault(&c.LeaderElection.ResourceLock, resourcelock.LeasesResourceLock)
	orDefault(&c.LeaderElection.ResourceName, "sluice-manager")
	orDefault(&c.LeaderElection.ResourceNamespace, c.Namespace)
	componentconfig.RecommendedDefaultLeaderElectionConfiguration(&c.LeaderElection)
}

func (c *Config) validate() error {
	var problems []error
	wrong := func(format string, words ...any) {
		problems = append(problems, fmt.Errorf(format, words...))
	}
	if c.APIVersion != APIVersion || c.Kind != Kind {
		wrong("apiVersion and kind: %s %s, want %s %s", c.APIVersion, c.Kind, APIVersion, Kind)
	}
	if c.Dispatcher != AllAtOnce && c.Dispatcher != External {
		wrong("dispatcher: %q, want one of %q", c.Dispatcher, []string{AllAtOnce, External})
	}
	for _, name := range slices.Sorted(maps.Keys(c.FeatureGates)) {
		if name != OrchestratedPreemption {
			wrong("featureGates: %q is not known, want %s", name, OrchestratedPreemption)
		}
	}
	for _, one := range []struct {
		field string
		value metav1.Duration
		least time.Duration
	}{
		{"singleClusterPreemptionTimeout", c.SingleClusterPreemptionTimeout, 1},
		{"workerLostTimeout", c.WorkerLostTimeout, 1},
		{"preferNoPreemption", c.PreferNoPreemption, 0},
	} {
		if one.value.Duration < one.least {
			wrong("%s: %s, want %s or more", one.field, one.value.Duration, one.least)
		}
	}
	if c.Record.Sign() < 0 {
		wrong("record: %s, want 0 or more", c.Record.String())
	}
	for _, one := range []struct {
		field string
		value int64
	}{
		{"limits.message", c.Limits.Message.Value()},
		{"limits.workloads", c.Limits.Workloads},
		{"limits.clusters", c.Limits.Clusters},
	} {
		if one.value < 0 {
			wrong("%s: %d, want 0 or more", one.field, one.value)
		}
	}
	if c.Effects.Workers < 1 || c.Effects.Burst < 1 || c.Effects.QPS <= 0 {
		wrong("effects: workers %d, qps %g, burst %d, want all above 0", c.Effects.Workers,
			c.Effects.QPS, c.Effects.Burst)
	}
	election := &c.LeaderElection
	if election.LeaseDuration.Duration <= election.RenewDeadline.Duration {
		wrong("leaderElection: leaseDuration %s, want more than renewDeadline %s",
			election.LeaseDuration.Duration, election.RenewDeadline.Duration)
	}
	return errors.Join(problems...)
}
