// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"

	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"

	"sluice/kube-scheduler/admission"
	"sluice/kube-scheduler/host"
)

// newWebhook is nil where the configuration does not ask for one. Every replica serves it, whoever
// leads.
func newWebhook(h *host.Host, client kubernetes.Interface) (*admission.Webhook, error) {
	asked := h.Args().Webhook
	if asked == nil {
		return nil, nil
	}
	return admission.New(admission.Options{
		Engine:      h.Engine(),
		Client:      client,
		Namespace:   asked.Namespace,
		Service:     asked.Service,
		SecretName:  asked.Secret,
		WebhookName: asked.Configuration,
		Addr:        fmt.Sprintf(":%d", asked.Port),
		Describe:    h.Newcomer,
		Complete:    h.Complete,
		Dispatched:  h.Dispatched,
		HasQueue:    h.HasQueue,
		Told:        h.Note,
	})
}

// runWebhook ends the process if the webhook cannot be served: a replica that pretends to be whole
// would make pods be refused.
func runWebhook(ctx context.Context, webhook *admission.Webhook) {
	if err := webhook.Run(ctx); err != nil && ctx.Err() == nil {
		klog.FromContext(ctx).Error(err, "The webhook cannot be served")
		klog.FlushAndExit(klog.ExitFlushTimeout, 1)
	}
}
