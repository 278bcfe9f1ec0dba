// SPDX-License-Identifier: Apache-2.0

package host

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A write says only what is to change, and for which version.
func TestDifference(t *testing.T) {
	seen := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "j", UID: "u", ResourceVersion: "7",
		Annotations: map[string]string{"a": "1", "b": "2"}}}
	if text, err := difference(seen, seen.DeepCopy()); text != nil || err != nil {
		t.Errorf("of what is the same: %s, %v", text, err)
	}
	wanted := seen.DeepCopy()
	suspend, large := true, int64(1)<<60+1
	wanted.Spec.Suspend, wanted.Spec.ActiveDeadlineSeconds = &suspend, &large
	delete(wanted.Annotations, "a")
	text, err := difference(seen, wanted)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"metadata":{"annotations":{"a":null},"resourceVersion":"7","uid":"u"},` +
		`"spec":{"activeDeadlineSeconds":1152921504606846977,"suspend":true}}`
	if string(text) != want {
		t.Errorf("the patch is %s\nwant %s", text, want)
	}
}
