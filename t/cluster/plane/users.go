// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	authv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// Admin is the user that every plane has, with every right.
const Admin = "admin"

// ControllerManager is who the controller manager is, as the audit shows it; its controllers tell
// themselves apart by their user agents. It has every right: the stock roles are made for a service
// account for each controller.
const ControllerManager = "system:kube-controller-manager"

// User has a token of his own; what he may do is up to RBAC.
type User struct {
	Name   string
	Groups []string
}

// ServiceAccountUser is seen by the API server as that service account, which need not exist.
func ServiceAccountUser(namespace, name string) User {
	return User{
		Name:   "system:serviceaccount:" + namespace + ":" + name,
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace},
	}
}

// writeTokens makes a token for each user and the file in which the API server reads them.
func writeTokens(file string, users []User) (map[string]string, error) {
	tokens := map[string]string{}
	var text bytes.Buffer
	rows := csv.NewWriter(&text)
	for _, user := range users {
		if user.Name == "" {
			return nil, fmt.Errorf("a user has no name: give Options.Users names")
		}
		if _, twice := tokens[user.Name]; twice {
			return nil, fmt.Errorf("user %q is there twice: %q is made by Start", user.Name, Admin)
		}
		token := rand.Text()
		tokens[user.Name] = token
		row := []string{token, user.Name, user.Name, strings.Join(user.Groups, ",")}
		if err := rows.Write(row); err != nil {
			return nil, fmt.Errorf("the token of user %q: %w", user.Name, err)
		}
	}
	rows.Flush()
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		return nil, fmt.Errorf("the users' tokens: %w", err)
	}
	return tokens, nil
}

// REST returns the configuration of a client without a rate limit. Whoever is not in Options.Users
// gets a token that the API server does not know: it answers 401.
func (p *Plane) REST(user string) *rest.Config {
	token, known := p.tokens[user]
	if !known {
		token = "of-nobody"
	}
	return &rest.Config{
		Host:            p.URL(),
		BearerToken:     token,
		TLSClientConfig: rest.TLSClientConfig{CAFile: p.caFile()},
		QPS:             -1,
		UserAgent:       "sluice-test",
	}
}

// Kubeconfig writes a kubeconfig for the user and returns its path.
func (p *Plane) Kubeconfig(user string) (string, error) {
	token, known := p.tokens[user]
	if !known {
		return "", fmt.Errorf("plane %s has no user %q: name it in Options.Users", p.Name, user)
	}
	return p.writeKubeconfig(user, token)
}

// ServiceAccountKubeconfig is Kubeconfig for a service account that exists, with a token that the
// API server makes for it, as a kubelet would ask for it.
func (p *Plane) ServiceAccountKubeconfig(
	ctx context.Context, namespace, name string,
) (string, error) {
	request := &authv1.TokenRequest{}
	answer, err := p.Client.CoreV1().ServiceAccounts(namespace).
		CreateToken(ctx, name, request, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("a token for service account %s/%s: %w", namespace, name, err)
	}
	return p.writeKubeconfig(ServiceAccountUser(namespace, name).Name, answer.Status.Token)
}

// ClientFor returns a client that acts as the user.
func (p *Plane) ClientFor(user string) (kubernetes.Interface, error) {
	return kubernetes.NewForConfig(p.REST(user))
}

func (p *Plane) writeKubeconfig(user, token string) (string, error) {
	config := api.NewConfig()
	config.Clusters[p.Name] = &api.Cluster{Server: p.URL(), CertificateAuthority: p.caFile()}
	config.AuthInfos[user] = &api.AuthInfo{Token: token}
	config.Contexts[p.Name] = &api.Context{Cluster: p.Name, AuthInfo: user}
	config.CurrentContext = p.Name
	file := filepath.Join(p.Dir, strings.NewReplacer(":", "-", "/", "-").Replace(user)+".kubeconfig")
	if err := clientcmd.WriteToFile(*config, file); err != nil {
		return "", fmt.Errorf("the kubeconfig of user %q: %w", user, err)
	}
	return file, nil
}
