// SPDX-License-Identifier: Apache-2.0

package serve

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// discover is what API servers and kubectl ask before anything else. Every replica answers, since
// the API server takes one that does not for broken.
//
// No verb is served but `get` and `list`: whoever deletes a namespace or collects garbage looks for
// `delete`, and so passes us by.
func discover(path string) (any, error) {
	version := metav1.GroupVersionForDiscovery{
		GroupVersion: visibilityGroup + "/" + visibilityVersion, Version: visibilityVersion}
	switch path {
	case visibilityPath:
		return &metav1.APIGroup{TypeMeta: metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"},
			Name: visibilityGroup, Versions: []metav1.GroupVersionForDiscovery{version},
			PreferredVersion: version}, nil
	case visibilityPath + "/" + visibilityVersion:
		list := &metav1.APIResourceList{
			TypeMeta:     metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
			GroupVersion: version.GroupVersion,
			APIResources: []metav1.APIResource{
				{Name: "queues", SingularName: "queue", Namespaced: true, Kind: "Queue",
					Verbs: metav1.Verbs{"list"}},
				{Name: "pending", SingularName: "pending", Namespaced: true, Kind: "Pending",
					Verbs: metav1.Verbs{"list"}},
			},
		}
		for _, one := range explained {
			list.APIResources = append(list.APIResources, metav1.APIResource{
				Name: one.resource + "/why", Namespaced: true, Kind: "Why", Verbs: metav1.Verbs{"get"}})
		}
		return list, nil
	}
	return nil, noSuchPath(path)
}
