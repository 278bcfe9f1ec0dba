// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

const head = "apiVersion: sluice/v1\nkind: ManagerConfiguration\n"

func TestTheDefaults(t *testing.T) {
	c, err := Decode([]byte(head))
	if err != nil {
		t.Fatal(err)
	}
	if c.Namespace != "kueue-system" || c.Origin != "multikueue" || c.Dispatcher != AllAtOnce ||
		c.SingleClusterPreemptionTimeout.Duration != 5*time.Minute || !*c.LeaderElection.LeaderElect ||
		c.LeaderElection.ResourceNamespace != "kueue-system" || c.FeatureGates[OrchestratedPreemption] {
		t.Errorf("the defaults: %+v", c)
	}
}

func TestWhatCannotBeUsed(t *testing.T) {
	for text, want := range map[string]string{
		"kind: Other":                                 "kind",
		head + "origen: x":                            "origen",
		head + "dispatcher: Some":                     "AllAtOnce",
		head + "featureGates: {Other: true}":          OrchestratedPreemption,
		head + "workerLostTimeout: -1s":               "workerLostTimeout",
		head + "preferNoPreemption: -1s":              "preferNoPreemption",
		head + "singleClusterPreemptionTimeout: -1s":  "singleClusterPreemptionTimeout",
		head + "effects: {workers: -1}":               "workers",
		head + "leaderElection: {leaseDuration: 10s}": "renewDeadline",
	} {
		if _, err := Decode([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

const goodKubeconfig = `
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://a:1", certificate-authority-data: ""}}]
users: [{name: u, user: {token: secret}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`

func TestKubeconfigs(t *testing.T) {
	but := func(old, new string) string { return strings.Replace(goodKubeconfig, old, new, 1) }
	const token, authority = "token: secret", `certificate-authority-data: ""`
	for name, test := range map[string]struct{ text, want string }{
		"good":     {goodKubeconfig, ""},
		"no text":  {"", "no key kubeconfig"},
		"no yaml":  {"{", "cannot be read"},
		"plugin":   {but(token, "exec: {command: x}"), "plugin"},
		"file":     {but(token, "tokenFile: x"), "names files"},
		"insecure": {but(authority, "insecure-skip-tls-verify: true"), "not verified"},
		"ca file":  {but(authority, "certificate-authority: x"), "names a file"},
	} {
		m := &Manager{config: &Config{Namespace: "ks"}, core: fake.NewClientset(&v1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: "ks", Name: "s"},
			Data:       map[string][]byte{kubeconfigKey: []byte(test.text)}})}
		got, err := m.access(context.Background(), &kueue.ClusterSource{
			KubeConfig: &kueue.KubeConfig{Location: "s"}})
		var known *problem
		switch {
		case test.want == "":
			if err != nil || got.config.Host != "https://a:1" || got.config.BearerToken != "secret" {
				t.Errorf("%s: %v, %v", name, got, err)
			}
		case err == nil || !strings.Contains(err.Error(), test.want):
			t.Errorf("%s: %v, want %q", name, err, test.want)
		case !errors.As(err, &known) || known.reason != badConfig:
			t.Errorf("%s: the reason is not %s: %v", name, badConfig, err)
		}
	}
	m := &Manager{config: &Config{}, core: fake.NewClientset()}
	_, err := m.access(context.Background(), &kueue.ClusterSource{})
	if err == nil || !strings.Contains(err.Error(), "only kubeConfig") {
		t.Errorf("without a kubeconfig: %v", err)
	}
}
