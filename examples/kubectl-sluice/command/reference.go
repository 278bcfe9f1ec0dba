// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sluice/kubectl-sluice/ask"
)

// resource is a kind of object, by the words that kubectl takes for it.
type resource struct {
	kind    string // as the scheduler and the API say it
	group   string // of its API
	plural  string
	aliases []string
}

var (
	pods      = &resource{"Pod", "", "pods", []string{"po"}}
	jobs      = &resource{"Job", "batch", "jobs", nil}
	podGroups = &resource{"PodGroup", "scheduling.volcano.sh", "podgroups", []string{"pg"}}
	workloads = &resource{"Workload", "kueue.x-k8s.io", "workloads", []string{"wl"}}

	queues        = &resource{ask.VolcanoQueue, "scheduling.volcano.sh", "queues", []string{"q"}}
	clusterQueues = &resource{ask.ClusterQueue, "kueue.x-k8s.io", "clusterqueues", []string{"cq"}}
	cohorts       = &resource{ask.Cohort, "kueue.x-k8s.io", "cohorts", nil}
	localQueues   = &resource{ask.LocalQueue, "kueue.x-k8s.io", "localqueues", []string{"lq"}}
)

// singular is how a person writes the kind.
func (r *resource) singular() string { return strings.ToLower(r.kind) }

// isCalled tells whether a word means this kind: pod, pods, po, pods.v1., workload.kueue.x-k8s.io.
func (r *resource) isCalled(word string) bool {
	word, group, hasGroup := strings.Cut(strings.ToLower(word), ".")
	if hasGroup && group != r.group {
		return false
	}
	return word == r.singular() || word == r.plural || slices.Contains(r.aliases, word)
}

// object is the full name of one, as -o name prints it.
func (r *resource) object(name string) string {
	kind := r.singular()
	if r.group != "" {
		kind += "." + r.group
	}
	return kind + "/" + name
}

// reference is an object as it was typed.
type reference struct {
	of   *resource
	name string
}

// refer reads NAME, KIND/NAME or KIND NAME; a NAME alone is of the first kind. A name in quotes, as
// it was shown, is taken as it is.
func refer(args []string, kinds ...*resource) (reference, error) {
	word, name, hasKind := strings.Cut(args[0], "/")
	switch {
	case len(args) == 2:
		word, name = args[0], args[1]
	case strings.HasPrefix(args[0], `"`) || !hasKind:
		return reference{kinds[0], args[0]}, nil
	}
	for _, kind := range kinds {
		if kind.isCalled(word) {
			return reference{kind, name}, nil
		}
	}
	var forms []string
	for _, kind := range kinds {
		forms = append(forms, kind.singular()+"/NAME")
	}
	return reference{}, usage(fmt.Errorf("%q: want NAME or one of %s; -n says in which namespace",
		strings.Join(args, " "), strings.Join(forms, ", ")))
}

// oneObject wants NAME, KIND/NAME or KIND NAME.
func oneObject(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 || len(args) == 2 && !strings.Contains(args[0], "/") {
			return nil
		}
		return usage(fmt.Errorf("%s: %d arguments, want 1: [%s]", cmd.CommandPath(), len(args), what))
	}
}
