// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// WriteKubeconfig writes a kubeconfig that goes through the proxy with this token.
func (p *Proxy) WriteKubeconfig(path, token string) error {
	config := api.NewConfig()
	config.Clusters["proxy"] = &api.Cluster{Server: p.URL(), CertificateAuthorityData: p.CA()}
	config.AuthInfos["user"] = &api.AuthInfo{Token: token}
	config.Contexts["proxy"] = &api.Context{Cluster: "proxy", AuthInfo: "user"}
	config.CurrentContext = "proxy"
	return clientcmd.WriteToFile(*config, path)
}
