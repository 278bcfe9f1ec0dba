// SPDX-License-Identifier: Apache-2.0

package host

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"sluice/kube-scheduler/facts"
)

// difference is the merge patch from one version to another, for that very version; nil: there is
// none. What the types of this program do not know of stays as it is.
func difference(seen, wanted metav1.Object) ([]byte, error) {
	before, err := asMap(seen)
	if err != nil {
		return nil, err
	}
	after, err := asMap(wanted)
	if err != nil {
		return nil, err
	}
	patch := apart(before, after)
	if len(patch) == 0 {
		return nil, nil
	}
	of, _ := patch["metadata"].(map[string]any)
	if of == nil {
		of = map[string]any{}
	}
	of["uid"], of["resourceVersion"] = seen.GetUID(), seen.GetResourceVersion()
	patch["metadata"] = of
	return json.Marshal(patch)
}

// asMap keeps numbers as they are written.
func asMap(object any) (fields map[string]any, err error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return fields, decoder.Decode(&fields)
}

// apart is what makes the one of the other: nil takes a key away.
func apart(before, after map[string]any) map[string]any {
	patch := map[string]any{}
	for key := range before {
		if _, stays := after[key]; !stays {
			patch[key] = nil
		}
	}
	for key, now := range after {
		was, had := before[key]
		inner, isMap := now.(map[string]any)
		outer, wasMap := was.(map[string]any)
		if isMap && wasMap {
			if deeper := apart(outer, inner); len(deeper) > 0 {
				patch[key] = deeper
			}
		} else if !had || !reflect.DeepEqual(was, now) {
			patch[key] = now
		}
	}
	return patch
}

// patch writes what an object lacks of the wanted one into the very version that was seen, and
// returns the version that says it. [within the lease]
func (c *clients) patch(ctx context.Context, of schema.GroupVersionResource, seen,
	wanted metav1.Object, subresources ...string) (int64, error) {
	text, err := difference(seen, wanted)
	if err != nil || text == nil {
		return facts.Version(seen.GetResourceVersion()), err
	}
	return c.send(ctx, of, seen, text, subresources...)
}

// send writes a difference from what was seen, and returns the version that has it. [within the
// lease]
func (c *clients) send(ctx context.Context, of schema.GroupVersionResource, seen metav1.Object,
	text []byte, subresources ...string) (int64, error) {
	written, err := c.objects.Resource(of).Namespace(seen.GetNamespace()).Patch(ctx,
		seen.GetName(), types.MergePatchType, text, metav1.PatchOptions{}, subresources...)
	if err != nil {
		return 0, err
	}
	return facts.Version(written.GetResourceVersion()), nil
}
