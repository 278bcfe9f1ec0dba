// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// DefaultControllers make pods of Jobs and the like, and clean up after them. Nothing here looks
// at nodes: no kubelet reports, so the node controllers would take every node for dead.
var DefaultControllers = []string{
	"clusterrole-aggregation-controller", "cronjob-controller", "daemonset-controller",
	"deployment-controller", "disruption-controller", "garbage-collector-controller",
	"job-controller", "namespace-controller", "replicaset-controller",
	"replicationcontroller-controller", "serviceaccount-controller", "statefulset-controller",
	"ttl-after-finished-controller",
}

// aggregator is whom aggregated API servers take for the API server.
const aggregator = "front-proxy"

func (p *Plane) etcdFlags() []string {
	client, peer := p.etcdPort.url("http"), p.peerPort.url("http")
	return []string{
		"--name=" + p.Name,
		"--data-dir=" + p.etcdDir,
		"--listen-client-urls=" + client,
		"--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer,
		"--initial-advertise-peer-urls=" + peer,
		"--initial-cluster=" + p.Name + "=" + peer,
		"--socket-reuse-port",
		"--unsafe-no-fsync",
		"--quota-backend-bytes=4294967296",
		"--log-level=warn",
	}
}

func (p *Plane) apiFlags() []string {
	flags := []string{
		"--etcd-servers=" + p.etcdPort.url("http"),
		fmt.Sprint("--secure-port=", p.apiPort.Number),
		"--permit-port-sharing",
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		"--cert-dir=" + p.file("certs"),
		"--client-ca-file=" + p.file("clients.crt"),
		"--requestheader-client-ca-file=" + p.file("aggregators.crt"),
		"--requestheader-allowed-names=" + aggregator,
		"--proxy-client-cert-file=" + p.file("aggregator.crt"),
		"--proxy-client-key-file=" + p.file("aggregator.key"),
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-signing-key-file=" + p.file("accounts.key"),
		"--service-account-key-file=" + p.file("accounts.key"),
		"--authorization-mode=RBAC",
		"--token-auth-file=" + p.file("tokens.csv"),
		"--endpoint-reconciler-type=none",
		// No controller makes the account that a pod would need, or takes a new node's taint away.
		"--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
		"--service-cluster-ip-range=10.0.0.0/24",
	}
	if p.options.Audit != "" {
		flags = append(flags,
			"--audit-policy-file="+p.file("audit-policy.yaml"),
			"--audit-log-path="+p.auditFile(),
			"--audit-log-maxsize=100000")
	}
	flags = append(flags, onOff("--feature-gates", p.options.FeatureGates)...)
	flags = append(flags, onOff("--runtime-config", p.options.RuntimeConfig)...)
	return append(flags, p.options.APIFlags...)
}

func (p *Plane) controllerFlags(kubeconfig string) []string {
	controllers := p.options.Controllers
	if len(controllers) == 0 {
		controllers = DefaultControllers
	}
	return append([]string{
		"--kubeconfig=" + kubeconfig,
		"--controllers=" + strings.Join(controllers, ","),
		"--leader-elect=false",
		"--secure-port=0",
		"--kube-api-qps=1000",
		"--kube-api-burst=2000",
		"--use-service-account-credentials=false",
	}, onOff("--feature-gates", p.options.FeatureGates)...)
}

func onOff(flag string, settings map[string]bool) []string {
	if len(settings) == 0 {
		return nil
	}
	var words []string
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		words = append(words, fmt.Sprintf("%s=%t", name, settings[name]))
	}
	return []string{flag + "=" + strings.Join(words, ",")}
}
