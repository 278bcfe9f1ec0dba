// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	crdv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	yamlreader "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// definition is a CustomResourceDefinition, and the text that it was read from.
type definition struct {
	crdv1.CustomResourceDefinition
	text []byte
}

// ApplyCRDDir applies every CustomResourceDefinition in the *.yaml files of a directory.
func (p *Plane) ApplyCRDDir(ctx context.Context, dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return fmt.Errorf("the directory of definitions %q: %w", dir, err)
	}
	if len(files) == 0 {
		return fmt.Errorf("no *.yaml file in %s: is it the directory of the definitions?", dir)
	}
	var texts [][]byte
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("a file of definitions: %w", err)
		}
		texts = append(texts, text)
	}
	return p.ApplyCRDs(ctx, texts...)
}

// ApplyCRDs applies every CustomResourceDefinition in the YAML texts (other kinds are passed over)
// and returns when all are established and discovery tells of them.
func (p *Plane) ApplyCRDs(ctx context.Context, texts ...[]byte) error {
	client, err := crdclient.NewForConfig(p.REST(Admin))
	if err != nil {
		return fmt.Errorf("a client for definitions: %w", err)
	}
	var definitions []definition
	for _, text := range texts {
		found, err := definitionsIn(text)
		if err != nil {
			return err
		}
		definitions = append(definitions, found...)
	}
	force := true
	how := metav1.PatchOptions{FieldManager: "sluice-test", Force: &force}
	for _, d := range definitions {
		_, err := client.ApiextensionsV1().CustomResourceDefinitions().
			Patch(ctx, d.Name, types.ApplyPatchType, d.text, how)
		if err != nil {
			return fmt.Errorf("apply CustomResourceDefinition %s: %w", d.Name, err)
		}
	}
	for _, d := range definitions {
		if err := p.awaitDefinition(ctx, client, &d); err != nil {
			return err
		}
	}
	return nil
}

func definitionsIn(text []byte) ([]definition, error) {
	var definitions []definition
	documents := yamlreader.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return definitions, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the definitions are not YAML: %w", err)
		}
		d := definition{text: document}
		var kind metav1.TypeMeta
		if err := yaml.Unmarshal(document, &kind); err != nil {
			return nil, fmt.Errorf("a document among the definitions: %w", err)
		}
		if kind.Kind != "CustomResourceDefinition" {
			continue
		}
		if err := yaml.Unmarshal(document, &d.CustomResourceDefinition); err != nil {
			return nil, fmt.Errorf("a CustomResourceDefinition: %w", err)
		}
		definitions = append(definitions, d)
	}
}

// A machine that is busy with several control planes takes its time.
const servedWithin = 2 * time.Minute

func (p *Plane) awaitDefinition(
	ctx context.Context, client crdclient.Interface, d *definition,
) error {
	problem := errors.New("not looked at yet")
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, servedWithin, true,
		func(ctx context.Context) (bool, error) {
			problem = p.lookAtDefinition(ctx, client, d)
			return problem == nil, nil
		})
	if err != nil {
		return fmt.Errorf("CustomResourceDefinition %s is not served (%w): %w", d.Name, err, problem)
	}
	return nil
}

// lookAtDefinition says what is still missing.
func (p *Plane) lookAtDefinition(
	ctx context.Context, client crdclient.Interface, d *definition,
) error {
	crd, err := client.ApiextensionsV1().CustomResourceDefinitions().
		Get(ctx, d.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	conditions := map[crdv1.CustomResourceDefinitionConditionType]crdv1.ConditionStatus{}
	for _, c := range crd.Status.Conditions {
		conditions[c.Type] = c.Status
	}
	if conditions[crdv1.Established] != crdv1.ConditionTrue {
		return fmt.Errorf("its conditions are %v", conditions)
	}
	for _, version := range crd.Spec.Versions {
		if !version.Served {
			continue
		}
		group := crd.Spec.Group + "/" + version.Name
		list, err := p.Client.Discovery().ServerResourcesForGroupVersion(group)
		if err != nil {
			return fmt.Errorf("discovery of %s: %w", group, err)
		}
		if !lists(list, crd.Spec.Names.Plural) {
			return fmt.Errorf("discovery of %s does not list %s", group, crd.Spec.Names.Plural)
		}
	}
	return nil
}

func lists(list *metav1.APIResourceList, plural string) bool {
	for _, resource := range list.APIResources {
		if resource.Name == plural {
			return true
		}
	}
	return false
}
