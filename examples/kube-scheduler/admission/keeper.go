// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// How long to wait before trying again what failed, or what must wait for others.
const (
	firstRetry = time.Second
	lastRetry  = time.Minute
)

// keeper keeps three in step: the Secret, what is served, and what the API server trusts.
type keeper struct {
	options *Options
	names   []string
	serve   func(*tls.Certificate)
	kicked  chan struct{}
	problem atomic.Pointer[error] // of the last round; nil before the first
}

func newKeeper(options *Options, serve func(*tls.Certificate)) *keeper {
	return &keeper{
		options: options,
		names:   []string{options.Service + "." + options.Namespace + ".svc"},
		serve:   serve,
		kicked:  make(chan struct{}, 1),
	}
}

// check says what the last round could not do.
func (k *keeper) check() error {
	if problem := k.problem.Load(); problem == nil {
		return errors.New("the certificates have not been looked at yet")
	} else {
		return *problem
	}
}

// run looks again when the Secret or the configuration has changed, when a renewal is due, and a
// while after a failure.
func (k *keeper) run(ctx context.Context) {
	k.watch(ctx)
	retry := wait.Backoff{Duration: firstRetry, Factor: 2, Jitter: 0.2, Steps: 100, Cap: lastRetry}
	backoff := retry
	for ctx.Err() == nil {
		next, err := k.round(ctx)
		if ctx.Err() != nil {
			return
		}
		k.problem.Store(&err)
		pause := max(next.Sub(k.options.Clock.Now()), lastRetry)
		if err != nil {
			pause = backoff.Step()
			klog.FromContext(ctx).Error(err, "The webhook's certificates are not in order, trying again",
				"in", pause.Round(time.Millisecond))
		} else {
			backoff = retry
		}
		timer := k.options.Clock.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-k.kicked:
		case <-timer.C():
		}
		timer.Stop()
	}
}

func (k *keeper) watch(ctx context.Context) {
	kick := func(any) {
		select {
		case k.kicked <- struct{}{}:
		default:
		}
	}
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc: kick, DeleteFunc: kick, UpdateFunc: func(_, now any) { kick(now) },
	}
	named := func(name, namespace string) informers.SharedInformerFactory {
		return informers.NewSharedInformerFactoryWithOptions(k.options.Client, 0,
			informers.WithNamespace(namespace),
			informers.WithTweakListOptions(func(o *metav1.ListOptions) {
				o.FieldSelector = fields.OneTermEqualSelector("metadata.name", name).String()
			}))
	}
	secrets := named(k.options.SecretName, k.options.Namespace)
	hooks := named(k.options.WebhookName, metav1.NamespaceAll)
	for _, informer := range []cache.SharedIndexInformer{
		secrets.Core().V1().Secrets().Informer(),
		hooks.Admissionregistration().V1().MutatingWebhookConfigurations().Informer(),
		hooks.Admissionregistration().V1().ValidatingWebhookConfigurations().Informer(),
	} {
		if _, err := informer.AddEventHandler(handler); err != nil {
			klog.FromContext(ctx).Error(err, "Changes will only be seen when something is due")
		}
	}
	secrets.StartWithContext(ctx)
	hooks.StartWithContext(ctx)
}

// round brings all three in step, and says when it will be needed again.
func (k *keeper) round(ctx context.Context) (time.Time, error) {
	all, missing := configurations(ctx, k.options.Client, k.options.WebhookName)
	// Certificates are made all the same: they are ready when a configuration comes.
	authority, err := k.shared(ctx, func(ca *x509.Certificate) bool {
		return missing == nil && trusts(all, ca)
	})
	if err != nil {
		return time.Time{}, errors.Join(err, missing)
	}
	k.serve(&authority.served)
	for _, each := range all {
		missing = errors.Join(missing, each.trust(ctx, authority))
	}
	return authority.nextRenewal(), missing
}

// shared returns what the Secret holds, renewed if it must be. Of replicas that renew at the same
// time one writes, and the others read what it wrote.
func (k *keeper) shared(ctx context.Context, trusted func(*x509.Certificate) bool) (
	*authority, error) {
	const tries = 10
	for range tries {
		secret, err := k.options.Client.CoreV1().Secrets(k.options.Namespace).
			Get(ctx, k.options.SecretName, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			secret = &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: k.options.SecretName}}
		} else if err != nil {
			return nil, err
		}
		now, next := k.options.Clock.Now(), (*authority)(nil)
		current, err := parseAuthority(secret.Data)
		if err == nil {
			next, err = current.renewed(now, k.names, k.options.CALife, k.options.CertLife, trusted)
		} else {
			if len(secret.Data) > 0 {
				klog.FromContext(ctx).Info("The Secret cannot be used, and is made anew",
					"secret", k.options.Namespace+"/"+k.options.SecretName, "why", err.Error())
			}
			next, err = newAuthority(now, k.names, k.options.CALife, k.options.CertLife)
		}
		if err != nil || next == current {
			return next, err
		}
		if err := k.write(ctx, secret, next); err == nil {
			return next, nil
		} else if !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("the Secret %s/%s was changed by others %d times in a row",
		k.options.Namespace, k.options.SecretName, tries)
}

func (k *keeper) write(ctx context.Context, secret *corev1.Secret, a *authority) error {
	data, err := a.data()
	if err != nil {
		return err
	}
	if secret.Data == nil {
		secret.Data = map[string][]byte{}
	}
	maps.Copy(secret.Data, data)
	secrets := k.options.Client.CoreV1().Secrets(k.options.Namespace)
	if secret.ResourceVersion == "" {
		_, err = secrets.Create(ctx, secret, metav1.CreateOptions{})
	} else {
		_, err = secrets.Update(ctx, secret, metav1.UpdateOptions{})
	}
	if err == nil {
		klog.FromContext(ctx).Info("Wrote the webhook's certificates", "trusted", len(a.cas),
			"servingUntil", a.served.Leaf.NotAfter)
	}
	return err
}
