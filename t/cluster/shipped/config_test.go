// SPDX-License-Identifier: Apache-2.0

package shipped

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"sigs.k8s.io/yaml"
)

func TestOnlyPathsAreAdapted(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	shipped, err := os.ReadFile(filepath.Join(root, "examples/deploy/base/config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	adapted, err := WithPaths(shipped, "/the/library", "/the/kubeconfig")
	if err != nil {
		t.Fatal(err)
	}
	got, want := decode(t, adapted), decode(t, shipped)
	child(want, "clientConnection")["kubeconfig"] = "/the/kubeconfig"
	profile := want["profiles"].([]any)[0].(map[string]any)
	child(profile["pluginConfig"].([]any)[0].(map[string]any), "args")["library"] = "/the/library"
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant %v", adapted, want)
	}
	for _, bad := range []string{
		"", "{", "profiles: []", "profiles: {}", "profiles: [{pluginConfig: [{}]}]",
	} {
		if _, err := WithPaths([]byte(bad), "l", "k"); err == nil {
			t.Errorf("%s was adapted", bad)
		}
	}
}

func decode(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var config map[string]any
	if err := yaml.Unmarshal(text, &config); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return config
}
