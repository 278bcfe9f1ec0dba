// SPDX-License-Identifier: Apache-2.0

package ask

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	queuesPath   = "/apis/scheduling.volcano.sh/v1beta1/queues"
	commandsPath = "/apis/bus.volcano.sh/v1alpha1/namespaces/" + CommandSpace + "/commands"
	kueuePath    = "/apis/kueue.x-k8s.io/v1beta2"
	eventsPath   = "/api/v1/namespaces/" + CommandSpace + "/events"
)

// Action is what a Command asks of a queue.
type Action string

// The actions of queues.
const (
	Open    Action = "OpenQueue"
	Close   Action = "CloseQueue"
	Suspend Action = "SuspendQueue"
	Resume  Action = "ResumeQueue"
)

type command struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Action            Action                 `json:"action"`
	Target            *metav1.OwnerReference `json:"target"`
	Reason            string                 `json:"reason,omitempty"`
	Message           string                 `json:"message,omitempty"`
}

// Object is the part of a Queue object that is looked at here.
type Object struct {
	metav1.ObjectMeta `json:"metadata"`
	Status            struct {
		State string `json:"state"`
	} `json:"status"`
}

// Names are the names of Volcano's queues.
func (c *Cluster) Names(ctx context.Context) ([]string, error) {
	var list struct {
		Items []Object `json:"items"`
	}
	if err := c.get(ctx, queuesPath, nil, &list); err != nil {
		return nil, err
	}
	names := make([]string, 0, len(list.Items))
	for i := range list.Items {
		names = append(names, list.Items[i].Name)
	}
	return names, nil
}

// Object is a Queue as the API server has it.
func (c *Cluster) Object(ctx context.Context, name string) (*Object, error) {
	var queue Object
	return &queue, c.get(ctx, queuesPath+"/"+url.PathEscape(name), nil, &queue)
}

// Order is a Command that was made.
type Order struct {
	Name string
	UID  types.UID
}

// Command makes a Command for the queue. The queue owns it: if the queue goes first, the Command
// goes too.
func (c *Cluster) Command(ctx context.Context, queue *Object, action Action) (Order, error) {
	owner := metav1.OwnerReference{APIVersion: "scheduling.volcano.sh/v1beta1", Kind: VolcanoQueue,
		Name: queue.Name, UID: queue.UID}
	wanted := command{
		TypeMeta:   metav1.TypeMeta{APIVersion: "bus.volcano.sh/v1alpha1", Kind: "Command"},
		ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{owner}},
		Action:     action,
		Target:     &owner,
		Reason:     "KubectlSluice",
	}
	wanted.GenerateName = fmt.Sprintf("%.200s-%s-", queue.Name, strings.ToLower(string(action)))
	var made command
	err := c.call(ctx, c.api.Post().AbsPath(commandsPath), wanted, &made)
	var refused *apierrors.StatusError
	switch {
	case apierrors.IsNotFound(err):
		err = &Problem{Unreachable, fmt.Errorf("%w (install examples/deploy/crds)", err)}
	case errors.As(err, &refused) &&
		strings.Contains(refused.ErrStatus.Message, "denied the request"):
		err = &Problem{Refused, err}
	}
	return Order{made.Name, made.UID}, err
}

// StopPolicy writes that of one of Kueue's queues; one of a ClusterQueue has no namespace.
func (c *Cluster) StopPolicy(ctx context.Context, namespace, resource, name, policy string) error {
	path := kueuePath
	if namespace != "" {
		path += "/namespaces/" + url.PathEscape(namespace)
	}
	path += "/" + resource + "/" + url.PathEscape(name)
	body := fmt.Appendf(nil, `{"spec":{"stopPolicy":%q}}`, policy)
	return named(c.api.Patch(types.MergePatchType).AbsPath(path).Body(body).Do(ctx).Error())
}

// CarriedOut tells whether a Command has been: it is deleted then.
func (c *Cluster) CarriedOut(ctx context.Context, name string) (bool, error) {
	err := c.get(ctx, commandsPath+"/"+url.PathEscape(name), nil, nil)
	if KindOf(err) == NotFound {
		return true, nil
	}
	return false, err
}

// Refusal is why the Command was refused; empty: it was not, or who asks may not see it. Others may
// be refused at the same time, for other reasons.
func (c *Cluster) Refusal(ctx context.Context, queue *Object, order Order) string {
	var list struct {
		Items []struct {
			Message string `json:"message"`
			Related struct {
				UID types.UID `json:"uid"`
			} `json:"related"`
		} `json:"items"`
	}
	query := url.Values{"fieldSelector": {
		"involvedObject.kind=Queue,involvedObject.name=" + queue.Name}}
	if c.get(ctx, eventsPath, query, &list) != nil {
		return ""
	}
	for i := range list.Items {
		if list.Items[i].Related.UID == order.UID {
			return list.Items[i].Message
		}
	}
	return ""
}
