// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Cluster is a control plane on which stories are told, one after the other.
type Cluster struct {
	Admin *rest.Config // may do all
	Etcd  string       // URL of its client port
	Dir   string       // for files of the stories

	// Scheduler is how the scheduler may speak to the API server: its own rights and no more.
	Scheduler *rest.Config
	// Run starts the scheduler's process.
	Run func(args, env []string) (Process, error)
	// Library is sluice.so.
	Library string
	// Webhook is the port on which the API server asks the scheduler.
	Webhook int
	// Rights gives the scheduler the shipped rights for Workloads, or takes them away.
	Rights func(ctx context.Context, workloads bool) error

	workloads bool // it has them
	stories   int  // told so far
}

// Process is a program that runs.
type Process interface {
	Kill() error
	Running() bool
	Tail(lines int) string
}

// What is left of a story is taken out of etcd: finalizers and times to end are the story's.
var leftovers = []string{
	"/registry/pods/", "/registry/minions/", "/registry/events/", "/registry/runtimeclasses/",
	"/registry/" + volcano + "/", "/registry/" + bus + "/", "/registry/" + kueue + "/",
	"/registry/leases/kube-system/" + lease, "/registry/jobs/", "/registry/replicasets/",
	"/registry/poddisruptionbudgets/",
	"/registry/statefulsets/", "/registry/deployments/", "/registry/daemonsets/",
}

// Reset takes away whatever the last story has left.
func (c *Cluster) Reset(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(c.Admin)
	if err != nil {
		return err
	}
	keys := slices.Clone(leftovers)
	namespaces, err := client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, each := range namespaces.Items {
		if !contains("default kube-system kube-public kube-node-lease sluice-system", each.Name) {
			keys = append(keys, "/registry/namespaces/"+each.Name)
		}
	}
	classes, err := client.SchedulingV1().PriorityClasses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, each := range classes.Items {
		if !contains("system-cluster-critical system-node-critical", each.Name) {
			keys = append(keys, "/registry/priorityclasses/"+each.Name)
		}
	}
	for _, key := range keys {
		if err := c.erase(ctx, key); err != nil {
			return err
		}
	}
	return c.awaitEmpty(ctx)
}

// erase takes a key out of etcd, or all that is below one that ends in a slash.
func (c *Cluster) erase(ctx context.Context, key string) error {
	request := map[string][]byte{"key": []byte(key)}
	if below, ok := strings.CutSuffix(key, "/"); ok {
		request["range_end"] = []byte(below + "0") // the next character
	}
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Etcd+"/v3/kv/deleterange",
		bytes.NewReader(body))
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(post)
	if err != nil {
		return fmt.Errorf("etcd: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("etcd does not delete %s: %s", key, answer.Status)
	}
	return nil
}

// awaitEmpty waits until the API server has heard of it.
func (c *Cluster) awaitEmpty(ctx context.Context) error {
	client, err := dynamic.NewForConfig(c.Admin)
	if err != nil {
		return err
	}
	for _, word := range []string{"pod", "node", "queue", "command", "clusterqueue", "cohort",
		"localqueue", "resourceflavor", "workload", "admissioncheck", "workloadpriorityclass",
		"runtimeclass", "podgroup", "job", "replicaset",
		"statefulset", "deployment", "daemonset"} {
		for {
			found, err := client.Resource(kinds[word].resource).List(ctx,
				metav1.ListOptions{ResourceVersion: "0"})
			if err != nil {
				return err
			}
			if len(found.Items) == 0 {
				break
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("%d of kind %s do not go: %w", len(found.Items), word, ctx.Err())
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
	return nil
}
