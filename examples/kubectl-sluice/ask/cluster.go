// SPDX-License-Identifier: Apache-2.0

// Package ask is what kubectl-sluice says to a cluster: questions to the leading sluice-scheduler,
// and Commands. All of it goes through the API server:
//
//	questions   GET  .../services/https:sluice-scheduler:https/proxy/debug/sluice/...
//	Commands    POST .../commands (bus.volcano.sh/v1alpha1)
//
// The API server lets nobody's credentials through its proxy, and the scheduler answers nobody whom
// it does not know. So the questions carry a token of the service account sluice-viewer, asked for
// here and good for ten minutes: it can do nothing but read what the scheduler tells.
package ask

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
)

// Scheduler says where sluice-scheduler is asked; Shipped is where the manifests put it.
type Scheduler struct {
	Namespace, Service, Port string
	Account                  string // whose token the questions carry
}

// Shipped is examples/deploy's.
var Shipped = Scheduler{
	Namespace: "kube-system", Service: "sluice-scheduler", Port: "https", Account: "sluice-viewer",
}

// CommandSpace is where Commands are made: vcctl's namespace.
const CommandSpace = metav1.NamespaceDefault

// Cluster is one API server, as one user sees it.
type Cluster struct {
	api       rest.Interface
	scheduler Scheduler
	token     string
	until     time.Time // the token is good
}

// New connects to nothing yet.
func New(config *rest.Config, scheduler Scheduler) (*Cluster, error) {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	own := rest.CopyConfig(config)
	own.GroupVersion = &schema.GroupVersion{Version: "v1"}
	own.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	own.ContentType, own.AcceptContentTypes = "application/json", "application/json"
	own.QPS, own.Burst = 50, 100
	own.UserAgent = "kubectl-sluice"
	api, err := rest.UnversionedRESTClientFor(own)
	if err != nil {
		return nil, fmt.Errorf("a client of the API server: %w", err)
	}
	return &Cluster{api: api, scheduler: scheduler}, nil
}

// call makes one request to the API server itself; into may be nil.
func (c *Cluster) call(ctx context.Context, request *rest.Request, body, into any) error {
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		request = request.SetHeader("Content-Type", "application/json").Body(text)
	}
	result := request.Do(ctx)
	if err := result.Error(); err != nil {
		return named(err)
	}
	answer, err := result.Raw()
	if err != nil {
		return err
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer, into)
}

func (c *Cluster) get(ctx context.Context, path string, query url.Values, into any) error {
	request := c.api.Get().AbsPath(path)
	for name, values := range query {
		for _, value := range values {
			request = request.Param(name, value)
		}
	}
	return c.call(ctx, request, nil, into)
}

// tokenLasts is the shortest that API servers give out.
const tokenLasts = 10 * time.Minute

// authorize makes sure that there is a token for the next question.
func (c *Cluster) authorize(ctx context.Context) error {
	if time.Now().Before(c.until) {
		return nil
	}
	path := fmt.Sprintf("/api/v1/namespaces/%s/serviceaccounts/%s/token", c.scheduler.Namespace,
		c.scheduler.Account)
	var request struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Spec       struct {
			ExpirationSeconds int64 `json:"expirationSeconds"`
		} `json:"spec"`
	}
	request.APIVersion, request.Kind = "authentication.k8s.io/v1", "TokenRequest"
	request.Spec.ExpirationSeconds = int64(tokenLasts / time.Second)
	var answer struct {
		Status struct {
			Token string `json:"token"`
		} `json:"status"`
	}
	asked := time.Now()
	if err := c.call(ctx, c.api.Post().AbsPath(path), request, &answer); err != nil {
		return fmt.Errorf("asking %s takes a token of the service account %s/%s: %w",
			c.scheduler.Service, c.scheduler.Namespace, c.scheduler.Account, c.hint(err))
	}
	c.token, c.until = answer.Status.Token, asked.Add(tokenLasts/2)
	return nil
}

// hint says what is missing in the cluster, where that is known.
func (c *Cluster) hint(err error) error {
	switch {
	case apierrors.IsForbidden(err):
		return &Problem{Forbidden, fmt.Errorf("%w (bind the Role sluice-viewer of %s to who asks)",
			err, c.scheduler.Namespace)}
	case apierrors.IsNotFound(err):
		return &Problem{Unreachable, fmt.Errorf("%w (is %s installed in the namespace %s, and does a "+
			"replica of it run?)", err, c.scheduler.Service, c.scheduler.Namespace)}
	}
	return err
}
