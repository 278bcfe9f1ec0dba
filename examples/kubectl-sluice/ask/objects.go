// SPDX-License-Identifier: Apache-2.0

package ask

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

const listPage = 500 // objects of one answer

// Objects are all of a kind, in all namespaces; only those of a name, if that is not empty. A kind
// that is not served has none.
func (c *Cluster) Objects(ctx context.Context, of schema.GroupVersionResource, kind, name string) (
	all []*unstructured.Unstructured, err error) {
	path := fmt.Sprintf("/apis/%s/%s/%s", of.Group, of.Version, of.Resource)
	if of.Group == "" {
		path = fmt.Sprintf("/api/%s/%s", of.Version, of.Resource)
	}
	query := url.Values{"limit": {strconv.Itoa(listPage)}}
	if name != "" {
		query.Set("fieldSelector", "metadata.name="+name)
	}
	for {
		var page struct {
			Metadata struct {
				Continue string `json:"continue"`
			} `json:"metadata"`
			Items []map[string]any `json:"items"`
		}
		var text json.RawMessage
		err := c.get(ctx, path, query, &text)
		if apierrors.IsNotFound(err) {
			return nil, nil
		}
		if err == nil {
			err = utiljson.Unmarshal(text, &page) // whole numbers stay such
		}
		if err != nil {
			return nil, fmt.Errorf("the %s: %w", of.GroupResource(), err)
		}
		// Who lists objects of Kubernetes' own is not told their kind.
		for _, item := range page.Items {
			item["apiVersion"], item["kind"] = of.GroupVersion().String(), kind
			all = append(all, &unstructured.Unstructured{Object: item})
		}
		if page.Metadata.Continue == "" {
			return all, nil
		}
		query.Set("continue", page.Metadata.Continue)
	}
}
