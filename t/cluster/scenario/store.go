// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

// store creates objects with what an API server takes from no client: the creation time and the UID
// by which pods are ordered, and a status.
//
//	document ──create, dry run──▶ API server: defaults, validation, admission
//	                                   │ the object as it would be
//	                                   ▼
//	            + creation time, UID, status ──▶ etcd ──watch──▶ API server ──▶ everybody
//
// So whatever admission would do is done, and all who look at the API server, the scheduler
// included, see one and the same object.
type store struct {
	client  dynamic.Interface
	kubelet dynamic.Interface // who makes the pods that stand for those of a node
	etcd    string            // its URL
	http    *http.Client
}

// born is what a story says about an object's beginning.
type born struct {
	at     time.Time
	uid    string
	status func(now object) // changes the status that the API server gave
}

const (
	classTries = 100
	classWait  = 50 * time.Millisecond
)

// unseenClass tells whether the API server's admission has yet to see a PriorityClass that was just
// made.
func unseenClass(err error) bool {
	return err != nil && strings.Contains(err.Error(), "no PriorityClass with name story-")
}

func (s *store) create(ctx context.Context, k kind, of *unstructured.Unstructured, how born) error {
	by := s.client
	if isMirror(of) {
		by = s.kubelet
	}
	var client dynamic.ResourceInterface = by.Resource(k.resource)
	if k.namespaced {
		client = by.Resource(k.resource).Namespace(of.GetNamespace())
	}
	dry := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	made, err := client.Create(ctx, of, dry)
	for tries := 0; tries < classTries && unseenClass(err); tries++ {
		time.Sleep(classWait)
		made, err = client.Create(ctx, of, dry)
	}
	if err != nil {
		return err
	}
	metadata := child(made.Object, "metadata")
	metadata["creationTimestamp"] = how.at.UTC().Format(time.RFC3339)
	if how.uid != "" {
		metadata["uid"] = how.uid
	}
	delete(metadata, "resourceVersion")
	if how.status != nil {
		how.status(child(made.Object, "status"))
	}
	value, err := json.Marshal(made.Object)
	if err != nil {
		return err
	}
	return s.put(ctx, k.key(of.GetNamespace(), of.GetName()), value)
}

// put writes a key that is not there yet.
func (s *store) put(ctx context.Context, key string, value []byte) error {
	type pair struct {
		Key   []byte `json:"key"`
		Value []byte `json:"value"`
	}
	type compare struct {
		Key    []byte `json:"key"`
		Target string `json:"target"`
		Create string `json:"create_revision"`
	}
	request := map[string]any{
		"compare": []compare{{[]byte(key), "CREATE", "0"}},
		"success": []any{map[string]pair{"request_put": {[]byte(key), value}}},
	}
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, s.etcd+"/v3/kv/txn",
		bytes.NewReader(body))
	if err != nil {
		return err
	}
	answer, err := s.http.Do(post)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	var did struct {
		Succeeded bool   `json:"succeeded"`
		Message   string `json:"message"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&did); err != nil {
		return fmt.Errorf("etcd's answer about %s: %w", key, err)
	}
	if answer.StatusCode != http.StatusOK || !did.Succeeded {
		return fmt.Errorf("etcd does not take %s: %s %s", key, answer.Status, did.Message)
	}
	return nil
}
