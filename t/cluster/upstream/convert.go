// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"sluice/cluster/shipped"
)

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1",
	Resource: "customresourcedefinitions"}

// Convert has the API server ask Kueue to convert its objects between versions, as Kueue's
// manifests do. Without that the definitions are bare.
func (k *Kueue) Convert(ctx context.Context) error {
	root, err := shipped.Root()
	if err != nil {
		return err
	}
	module, err := shipped.KueueModule(ctx, root)
	if err != nil {
		return err
	}
	patches, err := filepath.Glob(filepath.Join(module,
		"config/components/crd/patches/webhook_in_*.yaml"))
	if err != nil {
		return err
	}
	objects, err := dynamic.NewForConfig(k.plane.REST("admin"))
	if err != nil {
		return err
	}
	body, err := json.Marshal(map[string]any{"spec": map[string]any{"conversion": map[string]any{
		"strategy": "Webhook", "webhook": map[string]any{
			"conversionReviewVersions": []string{"v1"},
			"clientConfig": map[string]any{
				"url": "https://" + local(k.hooks) + "/convert", "caBundle": k.authority}}}}})
	if err != nil {
		return err
	}
	for _, patch := range patches {
		kind := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(patch), ".yaml"), "webhook_in_")
		if kind == "resourceflavors" {
			continue // in no manifest of Kueue's
		}
		name := kind + ".kueue.x-k8s.io"
		if _, err := objects.Resource(definitions).Patch(ctx, name, types.MergePatchType, body,
			metav1.PatchOptions{}); err != nil {
			return err
		}
	}
	return nil
}
