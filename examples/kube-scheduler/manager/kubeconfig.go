// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/lease"
)

// Reasons of a cluster that is not active.
const (
	badConfig        = "BadKubeConfig"
	connectionFailed = "ClientConnectionFailed"
	notSupported     = "NotSupported"
)

// problem is why a worker is not connected: a reason for its condition, and in words.
type problem struct {
	reason string
	err    error
}

func (p *problem) Error() string { return p.err.Error() }
func (p *problem) Unwrap() error { return p.err }

func because(reason, format string, words ...any) error {
	return &problem{reason, fmt.Errorf(format, words...)}
}

// kubeconfigKey is the key of a Secret.
const kubeconfigKey = "kubeconfig"

// access is how a worker is reached, and a sum of that, to see when it changes.
type access struct {
	config *rest.Config
	sum    [sha256.Size]byte
}

// access reads the kubeconfig that a cluster names. A Secret is read when it is needed, so that the
// manager must not be allowed to list them.
func (m *Manager) access(ctx context.Context, source *kueue.ClusterSource) (*access, error) {
	text, err := m.kubeconfig(ctx, source)
	if err != nil {
		return nil, err
	}
	parsed, err := clientcmd.Load(text)
	if err != nil {
		return nil, because(badConfig, "the kubeconfig cannot be read: %w", err)
	}
	if err := harmless(parsed); err != nil {
		return nil, because(badConfig, "the kubeconfig cannot be used: %w", err)
	}
	config, err := clientcmd.NewDefaultClientConfig(*parsed, nil).ClientConfig()
	if err != nil {
		return nil, because(badConfig, "the kubeconfig cannot be used: %w", err)
	}
	config.QPS, config.Burst = m.config.Effects.QPS, m.config.Effects.Burst
	config.UserAgent = "sluice-manager"
	return &access{config, sha256.Sum256(text)}, nil
}

func (m *Manager) kubeconfig(ctx context.Context, source *kueue.ClusterSource) ([]byte, error) {
	from := source.KubeConfig
	switch {
	case from == nil:
		return nil, because(notSupported, "clusterSource: only kubeConfig is supported")
	case from.LocationType == kueue.PathLocationType:
		text, err := os.ReadFile(from.Location)
		if err != nil {
			return nil, because(badConfig, "%w", err)
		}
		return text, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lease.WriteTimeout)
	defer cancel()
	secret, err := m.core.CoreV1().Secrets(m.config.Namespace).Get(ctx, from.Location,
		metav1.GetOptions{})
	if err != nil {
		return nil, because(badConfig, "%w", err)
	}
	text := secret.Data[kubeconfigKey]
	if len(text) == 0 {
		return nil, because(badConfig, "the secret %s/%s has no key %s", m.config.Namespace,
			from.Location, kubeconfigKey)
	}
	return text, nil
}

// harmless refuses what would make the manager run programs, read files of its own, or talk to
// anybody who answers: whoever may write a kubeconfig is not therefore trusted with that.
func harmless(config *api.Config) error {
	var problems []error
	for name, user := range config.AuthInfos {
		switch {
		case user.Exec != nil || user.AuthProvider != nil:
			problems = append(problems, fmt.Errorf("user %q has a plugin: give it a token", name))
		case user.TokenFile != "" || user.ClientCertificate != "" || user.ClientKey != "":
			problems = append(problems, fmt.Errorf("user %q names files: put what is in them here", name))
		}
	}
	for name, cluster := range config.Clusters {
		switch {
		case cluster.InsecureSkipTLSVerify:
			problems = append(problems, fmt.Errorf("cluster %q is not verified: give the authority of "+
				"its certificate", name))
		case cluster.CertificateAuthority != "":
			problems = append(problems, fmt.Errorf("cluster %q names a file: put its "+
				"certificate-authority-data here", name))
		}
	}
	return errors.Join(problems...)
}
