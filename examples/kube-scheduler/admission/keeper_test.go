// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
	certutil "k8s.io/client-go/util/cert"
	testclock "k8s.io/utils/clock/testing"
)

func storedSecret(t *testing.T, client *fake.Clientset) *corev1.Secret {
	t.Helper()
	secret, err := client.CoreV1().Secrets("kube-system").
		Get(context.Background(), testSecret, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

func TestFirstRoundFillsTheShippedSecret(t *testing.T) {
	client := newClient(emptySecret(), shippedHook(), shippedChecks())
	w := newWebhook(t, options(client, testclock.NewFakeClock(testStart)))
	next := w.mustRound(t)
	w.mustServe(t, client, testStart)
	if want := testStart.Add(60 * 24 * time.Hour); !next.Equal(want) {
		t.Errorf("looks again at %s, want %s", next, want)
	}
	secret := storedSecret(t, client)
	for _, key := range []string{"ca.crt", "ca.key", "tls.crt", "tls.key"} {
		if len(secret.Data[key]) == 0 {
			t.Errorf("the Secret has no %s", key)
		}
	}
	writes := len(client.Actions())
	w.mustRound(t)
	for _, action := range client.Actions()[writes:] {
		if action.GetVerb() != "get" {
			t.Errorf("a second round wrote: %s %s", action.GetVerb(), action.GetResource().Resource)
		}
	}
}

func TestASecretThatIsMissingIsCreated(t *testing.T) {
	client := newClient(shippedHook(), shippedChecks())
	w := newWebhook(t, options(client, testclock.NewFakeClock(testStart)))
	w.mustRound(t)
	w.mustServe(t, client, testStart)
}

// meeting is a clock that is first looked at when its replica has read, and has not written yet:
// there it waits for the other.
type meeting struct {
	*testclock.FakeClock
	once sync.Once
	both *sync.WaitGroup
}

func (m *meeting) Now() time.Time {
	m.once.Do(func() {
		m.both.Done()
		m.both.Wait()
	})
	return m.FakeClock.Now()
}

func TestReplicasThatRaceAgree(t *testing.T) {
	for name, objects := range map[string][]runtime.Object{
		"empty":   {emptySecret(), shippedHook(), shippedChecks()},
		"missing": {shippedHook(), shippedChecks()},
	} {
		t.Run(name, func(t *testing.T) {
			client := newClient(objects...)
			var both, rounds sync.WaitGroup
			both.Add(2)
			replicas := make([]*Webhook, 2)
			for i := range replicas {
				o := options(client, nil)
				o.Clock = &meeting{FakeClock: testclock.NewFakeClock(testStart), both: &both}
				replicas[i] = newWebhook(t, o)
				rounds.Go(func() {
					if _, err := replicas[i].keeper.round(context.Background()); err != nil {
						t.Error(err)
					}
				})
			}
			rounds.Wait()
			writes := 0
			for _, action := range client.Actions() {
				if action.GetResource().Resource == "secrets" && action.GetVerb() != "get" {
					writes++
				}
			}
			if writes != 2 {
				t.Errorf("%d tried to write, want both", writes)
			}
			for _, w := range replicas {
				w.mustServe(t, client, testStart)
			}
			if !replicas[0].served.Load().Leaf.Equal(replicas[1].served.Load().Leaf) {
				t.Error("the replicas serve different certificates")
			}
		})
	}
}

// Six years in steps of a day, with a second replica that looks only once a week: at no time may
// either serve what the API server does not accept.
func TestRenewalsNeverBreakServing(t *testing.T) {
	client := newClient(emptySecret(), shippedHook(), shippedChecks())
	clock := testclock.NewFakeClock(testStart)
	first, second := newWebhook(t, options(client, clock)), newWebhook(t, options(client, clock))
	first.mustRound(t)
	second.mustRound(t)
	serving, trusting := map[string]bool{}, map[string]bool{}
	for day := range 6 * 365 {
		now := clock.Now()
		first.mustRound(t)
		if day%7 == 0 {
			second.mustRound(t)
		}
		first.mustServe(t, client, now)
		second.mustServe(t, client, now)
		serving[string(first.served.Load().Leaf.Raw)] = true
		cas, err := certutil.ParseCertsPEM(bundles(t, client)[0])
		if err != nil || len(cas) > 2 {
			t.Fatalf("day %d: %d CAs are trusted, %v", day, len(cas), err)
		}
		for _, ca := range cas {
			trusting[string(ca.Raw)] = true
		}
		clock.Step(24 * time.Hour)
	}
	if len(trusting) < 8 || len(trusting) > 10 {
		t.Errorf("%d CAs in six years, want one for each 8 months", len(trusting))
	}
	if len(serving) < 36 || len(serving) > 50 {
		t.Errorf("%d certificates in six years, want one for each 60 days and CA", len(serving))
	}
}

func TestACAThatIsNotTrustedYetSignsNothing(t *testing.T) {
	client := newClient(emptySecret(), shippedHook(), shippedChecks())
	clock := testclock.NewFakeClock(testStart)
	w := newWebhook(t, options(client, clock))
	w.mustRound(t)

	broken := true
	client.PrependReactor("patch", "validatingwebhookconfigurations",
		func(k8stesting.Action) (bool, runtime.Object, error) {
			return broken, nil, errors.New("not today")
		})
	refused := 0
	for range 330 {
		if _, err := w.keeper.round(context.Background()); err != nil {
			refused++
		}
		w.mustServe(t, client, clock.Now())
		clock.Step(24 * time.Hour)
	}
	if refused == 0 {
		t.Error("no round told of the patch that failed")
	}
	broken = false
	w.mustRound(t)
	w.mustRound(t)
	w.mustServe(t, client, clock.Now())
}

func TestALongSleepIsRepaired(t *testing.T) {
	client := newClient(emptySecret(), shippedHook(), shippedChecks())
	clock := testclock.NewFakeClock(testStart)
	w := newWebhook(t, options(client, clock))
	for _, slept := range []time.Duration{100, 300, 364, 365, 4000} {
		clock.Step(slept * 24 * time.Hour)
		w.mustRound(t)
		w.mustServe(t, client, clock.Now())
	}
}

func TestAClockThatIsBehindThrowsNothingAway(t *testing.T) {
	client := newClient(emptySecret(), shippedHook(), shippedChecks())
	ahead := newWebhook(t, options(client, testclock.NewFakeClock(testStart)))
	ahead.mustRound(t)
	written := storedSecret(t, client).ResourceVersion
	behind := newWebhook(t, options(client, testclock.NewFakeClock(testStart.Add(-48*time.Hour))))
	behind.mustRound(t)
	if now := storedSecret(t, client).ResourceVersion; now != written {
		t.Error("the replica whose clock is behind wrote the Secret anew")
	}
	if !behind.served.Load().Leaf.Equal(ahead.served.Load().Leaf) {
		t.Error("the replicas serve different certificates")
	}
}

func TestWhatIsDamagedIsMadeAnew(t *testing.T) {
	for key, damage := range map[string][]byte{
		"ca.crt": nil, "ca.key": []byte("no key"), "tls.crt": []byte("no certificate"), "tls.key": {},
	} {
		client := newClient(emptySecret(), shippedHook(), shippedChecks())
		w := newWebhook(t, options(client, testclock.NewFakeClock(testStart)))
		w.mustRound(t)
		secret := storedSecret(t, client)
		secret.Data[key] = damage
		secret.Data["other"] = []byte("kept")
		if _, err := client.CoreV1().Secrets("kube-system").
			Update(context.Background(), secret, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		w.mustRound(t)
		w.mustServe(t, client, testStart)
		if !bytes.Equal(storedSecret(t, client).Data["other"], []byte("kept")) {
			t.Errorf("%s: what others keep in the Secret is gone", key)
		}
	}
}

func TestForAnotherServiceItIsSignedAnew(t *testing.T) {
	client := newClient(emptySecret(), shippedHook(), shippedChecks())
	o := options(client, testclock.NewFakeClock(testStart))
	o.Service = "old-name"
	newWebhook(t, o).mustRound(t)
	w := newWebhook(t, options(client, testclock.NewFakeClock(testStart)))
	w.mustRound(t)
	w.mustServe(t, client, testStart)
}

func TestWithoutConfigurationItServesAndSays(t *testing.T) {
	client := newClient(emptySecret())
	w := newWebhook(t, options(client, testclock.NewFakeClock(testStart)))
	if err := w.Check(nil); err == nil {
		t.Error("healthy before it has begun")
	}
	if _, err := w.keeper.round(context.Background()); !apierrors.IsNotFound(err) {
		t.Errorf("got %v, want that the configuration is not found", err)
	}
	if w.served.Load() == nil {
		t.Error("no certificate is served")
	}
}

// An overlay has the one configuration, the other, or both.
func TestOneConfigurationIsEnough(t *testing.T) {
	for name, object := range map[string]runtime.Object{
		"mutating": shippedHook(), "validating": shippedChecks(),
	} {
		client := newClient(emptySecret(), object)
		w := newWebhook(t, options(client, testclock.NewFakeClock(testStart)))
		w.mustRound(t)
		w.mustServe(t, client, testStart)
		if len(bundles(t, client)) != 2 {
			t.Errorf("%s: %d webhooks were looked at", name, len(bundles(t, client)))
		}
	}
}

// Who cannot read one of the configurations does not know whom it trusts.
func TestAConfigurationThatCannotBeReadIsTold(t *testing.T) {
	client := newClient(emptySecret(), shippedHook(), shippedChecks())
	clock := testclock.NewFakeClock(testStart)
	w := newWebhook(t, options(client, clock))
	w.mustRound(t)
	client.PrependReactor("get", "validatingwebhookconfigurations",
		func(k8stesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(schema.GroupResource{}, testHook, nil)
		})
	clock.Step(250 * 24 * time.Hour) // a new CA is due, and another certificate
	for range 3 {
		if _, err := w.keeper.round(context.Background()); !apierrors.IsForbidden(err) {
			t.Errorf("got %v, want that it may not be read", err)
		}
		clock.Step(60 * 24 * time.Hour / 4)
	}
	validating, err := client.Tracker().Get(schema.GroupVersionResource{
		Group: "admissionregistration.k8s.io", Version: "v1",
		Resource: "validatingwebhookconfigurations"}, "", testHook)
	if err != nil {
		t.Fatal(err)
	}
	for _, hook := range validating.(*admissionregistration.ValidatingWebhookConfiguration).Webhooks {
		if err := accepts(hook.ClientConfig.CABundle, w.served.Load().Leaf, clock.Now()); err != nil {
			t.Errorf("%s does not trust what is served: %v", hook.Name, err)
		}
	}
}

func TestAnOutageKeepsWhatIsServed(t *testing.T) {
	client := newClient(emptySecret(), shippedHook(), shippedChecks())
	w := newWebhook(t, options(client, testclock.NewFakeClock(testStart)))
	w.mustRound(t)
	before := w.served.Load()
	client.PrependReactor("*", "*", func(k8stesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewInternalError(errors.New("etcd is away"))
	})
	if _, err := w.keeper.round(context.Background()); err == nil {
		t.Error("the outage was not told")
	}
	if w.served.Load() != before {
		t.Error("what is served has changed")
	}
}

func TestAlwaysRefusedUpdatesEnd(t *testing.T) {
	client := newClient(emptySecret(), shippedHook(), shippedChecks())
	client.PrependReactor("update", "secrets",
		func(k8stesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewConflict(schema.GroupResource{}, "", errors.New("again"))
		})
	w := newWebhook(t, options(client, testclock.NewFakeClock(testStart)))
	if _, err := w.keeper.round(context.Background()); err == nil {
		t.Error("ten conflicts in a row were not told")
	}
}
