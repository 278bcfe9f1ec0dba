// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"context"
	"fmt"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// Jobs and the like are real objects, and this program is their controller: the real one would give
// pods names, times and UIDs that no story could know. Who looks at the API server sees the
// chain of owners that there would be:
//
//	Deployment NAME (story-NAME) ◀── ReplicaSet NAME-rs (story-NAME-rs) ◀── pods NAME-0, NAME-1, ...
//	                             ◀── ReplicaSet NAME-rs1 ◀── pods made after its template was edited
//
// Which pods go when others of a new template come is the story's to tell.

// ownerKind is a kind that makes pods.
type ownerKind struct {
	count string // the field of spec that says how many
	make  string // the word of what it makes in between; nothing: pods
}

var ownerKinds = map[string]ownerKind{
	"job":         {"parallelism", ""},
	"replicaset":  {"replicas", ""},
	"statefulset": {"replicas", ""},
	"deployment":  {"replicas", "replicaset"},
}

// isOwner tells whether a kind makes pods.
func isOwner(word string) bool { return ownerKinds[word].count != "" }

func ownerUID(name string) string { return "story-" + name }

// storyLabel is by what an owner selects its pods.
const storyLabel = "sim.sluice.sh/owner"

// fillOwner adds what the API server asks of an owner, and no story cares for.
func fillOwner(plain object, word, name string) {
	spec := child(plain, "spec")
	template := child(spec, "template")
	fillPodSpec(child(template, "spec"))
	metadata := child(template, "metadata")
	texts(metadata, "annotations")
	texts(metadata, "labels")
	if word == "job" {
		child(template, "spec")["restartPolicy"] = "Never"
		return
	}
	child(metadata, "labels")[storyLabel] = name
	child(child(spec, "selector"), "matchLabels")[storyLabel] = name
	if word == "statefulset" && spec["serviceName"] == nil {
		spec["serviceName"] = name
	}
	// Not allowed in a template, and given to the pods.
	delete(child(template, "spec"), "priority")
}

func controlledBy(word, name string) []any {
	k := kinds[word]
	return []any{object{
		"apiVersion": k.resource.GroupVersion().String(), "kind": k.name, "name": name,
		"uid": ownerUID(name), "controller": true,
	}}
}

// applyOwner makes an owner and its pods, or changes it to what the document says.
func (t *telling) applyOwner(where *Tree, doc *Tree, ref string) error {
	word, namespace, _ := SplitRef(ref)
	count, err := copiesOf(word, doc)
	if err != nil {
		return err
	}
	if err := t.ensureNamespace(namespace); err != nil {
		return err
	}
	of := objectOf(doc, ref)
	if t.objects[ref] {
		err = t.applyObject(kinds[word], of)
	} else {
		err = t.makeOwner(word, of)
	}
	switch {
	case err == nil:
		t.objects[ref] = true
		return t.scale(where, doc, ref, count)
	case t.refusals[ref] != nil:
		return t.refused(ref, err.Error())
	}
	return where.Say("%s is refused: %v", ref, err)
}

func (t *telling) makeOwner(word string, of *unstructured.Unstructured) error {
	name := of.GetName()
	how := born{at: t.clock.Wall(), uid: ownerUID(name)}
	err := t.store.create(t.ctx, kinds[word], of, how)
	if err != nil {
		return err
	}
	return t.makeBetween(word, of, 0)
}

func inBetween(name string, edits int) string {
	if edits == 0 {
		return name + "-rs"
	}
	return fmt.Sprintf("%s-rs%d", name, edits)
}

// makeBetween makes what makes the pods of a template of an owner, if it does not itself.
func (t *telling) makeBetween(word string, of *unstructured.Unstructured, edits int) error {
	between := ownerKinds[word].make
	if between == "" {
		return nil
	}
	spec := child(of.Object, "spec")
	inner := &unstructured.Unstructured{Object: object{"spec": object{
		"replicas": spec["replicas"], "selector": spec["selector"], "template": spec["template"],
	}}}
	inner.SetAPIVersion(kinds[between].resource.GroupVersion().String())
	inner.SetKind(kinds[between].name)
	inner.SetNamespace(of.GetNamespace())
	inner.SetName(inBetween(of.GetName(), edits))
	metadata := child(inner.Object, "metadata")
	metadata["ownerReferences"] = controlledBy(word, of.GetName())
	metadata["annotations"] = object{"deployment.kubernetes.io/revision": strconv.Itoa(edits + 1)}
	how := born{at: t.clock.Wall(), uid: ownerUID(inner.GetName())}
	return t.store.create(t.ctx, kinds[between], inner, how)
}

// scale makes the pods that are missing, and deletes the latest of those that are too many.
func (t *telling) scale(where *Tree, doc *Tree, ref string, count int64) error {
	_, namespace, name := SplitRef(ref)
	made := t.children[ref]
	edited := t.edited[ref]
	for i := int64(len(made)); i < count; i++ {
		template := plainObject(doc.Find("spec", "template"))
		if edited.times > 0 {
			template = runtime.DeepCopyJSON(edited.template)
		}
		podRef := RefOf("pod", namespace, fmt.Sprintf("%s-%d", name, i))
		t.children[ref] = append(t.children[ref], podRef)
		pod := podOfTemplate(template, edited.times, ref, podRef)
		if err := t.createPod(where, pod, nil); err != nil {
			return err
		}
	}
	for i := len(made) - 1; i >= int(count); i-- {
		t.children[ref] = made[:i]
		if pod := t.podNow(made[i]); pod != nil {
			if err := t.deletePod(pod); err != nil {
				return err
			}
		}
	}
	return nil
}

// edited is what an owner makes its pods from after it was edited.
type edited struct {
	times    int
	template object
}

// editOwner follows a patch of an owner's template.
func (t *telling) editOwner(ref string) error {
	word, namespace, name := SplitRef(ref)
	now, err := t.clientFor(kinds[word], namespace).Get(t.ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	edits := t.edited[ref].times + 1
	template := child(child(now.Object, "spec"), "template")
	t.edited[ref] = edited{edits, runtime.DeepCopyJSON(template)}
	return t.makeBetween(word, now, edits)
}

// patchOwner follows a patch of an owner's template, and of how many pods it wants.
func (t *telling) patchOwner(where *Tree, ref string) error {
	word, _, _ := SplitRef(ref)
	if where.Find("spec", "template") != nil {
		if err := t.editOwner(ref); err != nil {
			return where.Say("%s: %v", ref, err)
		}
	}
	if count := where.Find("spec", ownerKinds[word].count); count != nil {
		n, err := where.Get("spec").IntOf(ownerKinds[word].count, 0, 1000000, 1)
		if err != nil {
			return err
		}
		doc := t.s.Documents[ref]
		if doc == nil {
			return notDescribed(where, ref)
		}
		return t.scale(where, doc, ref, n)
	}
	return nil
}

// deleteOwner takes an owner away, with its pods, and what else belongs to it: there is no garbage
// collector here.
func (t *telling) deleteOwner(ref string) error {
	word, namespace, name := SplitRef(ref)
	delete(t.objects, ref)
	if err := t.remove(kinds[word], namespace, name); err != nil {
		return err
	}
	if between := ownerKinds[word].make; between != "" {
		for edits := range t.edited[ref].times + 1 {
			if err := t.remove(kinds[between], namespace, inBetween(name, edits)); err != nil {
				return err
			}
		}
	}
	delete(t.edited, ref)
	if err := t.eachChild(ref, t.deletePod); err != nil {
		return err
	}
	delete(t.children, ref)
	return t.collect(t.ctx, namespace, types.UID(ownerUID(name)))
}

func (t *telling) remove(k kind, namespace, name string) error {
	err := t.clientFor(k, namespace).Delete(t.ctx, name, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// collect deletes the PodGroups of an owner.
func (t *telling) collect(ctx context.Context, namespace string, owner types.UID) error {
	k := kinds["podgroup"]
	groups, err := t.clientFor(k, namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range groups.Items {
		by := metav1.GetControllerOf(&groups.Items[i])
		if by == nil || by.UID != owner {
			continue
		}
		if err := t.remove(k, namespace, groups.Items[i].GetName()); err != nil {
			return err
		}
	}
	return nil
}
