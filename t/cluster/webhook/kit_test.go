// SPDX-License-Identifier: Apache-2.0

// Package webhook tests the admission of examples/deploy on a real API server: the manifests as
// they are shipped, two replicas of the real scheduler, and what people who write queues, commands
// and pods are told.
package webhook

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

type cluster struct {
	*testing.T
	*shipped.Sluice
	client dynamic.Interface
}

func (c *cluster) on(t *testing.T) *cluster { return &cluster{t, c.Sluice, c.client} }

// start applies the manifests; no replica runs yet. The API server looks for its webhooks by the
// endpoints of their Service, since no address of a Service leads anywhere here.
func start(t *testing.T) *cluster {
	p, err := plane.Start(t.Context(), plane.Options{
		Name: "webhook", APIFlags: []string{"--enable-aggregator-routing=true"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	s, err := shipped.Apply(t.Context(), p, "overlays/webhook")
	if errors.Is(err, shipped.ErrNoAddress) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(p.REST(plane.Admin))
	if err != nil {
		t.Fatal(err)
	}
	return &cluster{t, s, client}
}

func (c *cluster) run(name string) *shipped.Replica {
	c.Helper()
	replica, err := c.Sluice.Run(c.Context(), name)
	if err != nil {
		c.Fatal(err)
	}
	if err := c.Sluice.AwaitReady(c.Context(), replica); err != nil {
		c.Fatal(err)
	}
	return replica
}

const patience = time.Minute

func (c *cluster) await(what string, holds func() error) {
	c.Helper()
	var problem error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if problem = holds(); problem == nil {
			return
		}
	}
	c.Fatalf("not within %s: %s: %v", patience, what, problem)
}

// The kinds that are written here.
var resources = map[string]schema.GroupVersionResource{
	"Queue":       {Group: "scheduling.volcano.sh", Version: "v1beta1", Resource: "queues"},
	"Command":     {Group: "bus.volcano.sh", Version: "v1alpha1", Resource: "commands"},
	"PodGroup":    {Group: "scheduling.volcano.sh", Version: "v1beta1", Resource: "podgroups"},
	"StatefulSet": {Group: "apps", Version: "v1", Resource: "statefulsets"},
	"Pod":         {Version: "v1", Resource: "pods"},
	"Node":        {Version: "v1", Resource: "nodes"},
}

func (c *cluster) read(text string) *unstructured.Unstructured {
	c.Helper()
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
		c.Fatalf("%v in\n%s", err, text)
	}
	kind := object.GetKind()
	object.SetAPIVersion(resources[kind].GroupVersion().String())
	if kind != "Queue" && kind != "Node" && object.GetNamespace() == "" {
		object.SetNamespace("default")
	}
	return object
}

func (c *cluster) of(object *unstructured.Unstructured) dynamic.ResourceInterface {
	client := c.client.Resource(resources[object.GetKind()])
	if namespace := object.GetNamespace(); namespace != "" {
		return client.Namespace(namespace)
	}
	return client
}

// create creates an object from YAML; with dry nothing stays.
func (c *cluster) create(text string, dry ...string) (*unstructured.Unstructured, error) {
	c.Helper()
	object := c.read(text)
	return c.of(object).Create(c.Context(), object, metav1.CreateOptions{DryRun: dry})
}

func (c *cluster) mustCreate(texts ...string) {
	c.Helper()
	for _, text := range texts {
		if _, err := c.create(text); err != nil {
			c.Fatalf("%v\n%s", err, text)
		}
	}
}

func (c *cluster) patchQueue(ctx context.Context, name, patch string, sub ...string) error {
	_, err := c.client.Resource(resources["Queue"]).Patch(ctx, name, types.MergePatchType,
		[]byte(patch), metav1.PatchOptions{}, sub...)
	return err
}

func (c *cluster) deleteQueue(name string) error {
	return c.client.Resource(resources["Queue"]).Delete(c.Context(), name, metav1.DeleteOptions{})
}

func command(action, kind, name string) string {
	return fmt.Sprintf(`{kind: Command, metadata: {generateName: c-}, action: %s,
		target: {kind: %s, name: %s, apiVersion: x, uid: ""}}`, action, kind, name)
}

// order makes a Command, and waits until the queue's state is what comes of it.
func (c *cluster) order(action, queue, state string) {
	c.Helper()
	c.mustCreate(command(action, "Queue", queue))
	c.await(queue+" is "+state, func() error {
		now, err := c.client.Resource(resources["Queue"]).Get(c.Context(), queue, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if is, _, _ := unstructured.NestedString(now.Object, "status", "state"); is != state {
			return errors.New("it is " + is)
		}
		return nil
	})
}

// refused compares an error with the refusal that is wanted: by whom, with which status, and how.
func (c *cluster) refused(what string, err error, by string, code int32, says string) {
	c.Helper()
	status := apierrors.APIStatus(nil)
	if !errors.As(err, &status) {
		c.Errorf("%s: not refused: %v, want %q", what, err, says)
		return
	}
	is := status.Status()
	if is.Code != code || !strings.Contains(is.Message, says) ||
		!strings.Contains(is.Message, `admission webhook "`+by+`" denied the request`) {
		c.Errorf("%s: %d %q, want %d by %s with %q", what, is.Code, is.Message, code, by, says)
	}
}
