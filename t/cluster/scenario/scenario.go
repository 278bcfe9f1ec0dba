// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"math"
	"strings"
	"time"
)

// Scenario is a file of Kubernetes documents with the one that tells the story.
type Scenario struct {
	Name        string
	File        string
	Removal     string // onBind or onAdmission
	Fixed       bool   // the story says which
	Config      *Tree  // for the library
	Autoscaler  *Autoscaling
	Documents   map[string]*Tree // by reference
	Steps       []*Step
	OutOfReach  []*Beyond // what this executor leaves out
	NeedsLease  bool      // the story takes the lease away
	Workloads   bool      // it has Workloads, which gates of pods do not concern
	description *Tree
}

// Autoscaling is what a story says about its autoscaler.
type Autoscaling struct {
	Template *Tree
	Name     string
	Max      int64
	Delay    time.Duration
}

// Step is what happens at one time.
type Step struct {
	Tree   *Tree
	At     time.Duration
	Until  time.Duration // when the next one begins
	Expect *Tree
	Never  *Tree
}

// Forever is when the step after the last one begins.
const Forever = time.Duration(math.MaxInt64)

// Beyond is something that cannot be done, or seen, from outside of the scheduler's process.
type Beyond struct {
	Where *Tree
	Why   string
	Whole bool // without it the story makes no sense
}

// Read reads the scenario in a file. Everything that can be known to be wrong before the story is
// told is found here.
func Read(path string) (*Scenario, error) {
	documents, err := Load(path)
	if err != nil {
		return nil, err
	}
	return New(documents)
}

// New makes a scenario of the documents of a file.
func New(documents *Tree) (*Scenario, error) {
	s := &Scenario{File: documents.File, Documents: map[string]*Tree{}}
	for _, pair := range documents.Pairs {
		if err := s.readDocument(pair.Value); err != nil {
			return nil, err
		}
	}
	if s.description == nil {
		return nil, documents.Say("no document of kind Scenario in this file")
	}
	if err := s.readStory(); err != nil {
		return nil, err
	}
	s.findBeyond()
	return s, nil
}

func (s *Scenario) readDocument(doc *Tree) error {
	if doc.Type != Map {
		return doc.At("a Kubernetes document: a map with kind and metadata")
	}
	kind, err := doc.TextOf("kind", "")
	if err != nil {
		return err
	}
	if kind == "Scenario" {
		if s.description != nil {
			return doc.Say("a second Scenario, the first is in line %d: want one",
				s.description.Line)
		}
		s.description = doc
		return nil
	}
	ref, err := refOf(doc)
	if err != nil {
		return err
	}
	if other := s.Documents[ref]; other != nil {
		return doc.Say("%s is described twice, first in line %d", ref, other.Line)
	}
	s.Documents[ref] = doc
	return nil
}

// refOf is "pod/x" of a document: the kind in lower case.
func refOf(doc *Tree) (string, error) {
	metadata, err := doc.Typed("metadata", Map)
	if err != nil {
		return "", err
	}
	var texts [3]string
	for i, from := range []struct {
		tree           *Tree
		key, otherwise string
	}{{doc, "kind", ""}, {metadata, "name", ""}, {metadata, "namespace", "default"}} {
		if texts[i], err = from.tree.TextOf(from.key, from.otherwise); err != nil {
			return "", err
		}
	}
	switch {
	case texts[0] == "":
		return "", doc.Say("a document without its kind")
	case texts[1] == "" || len(texts[1]) > 253 || len(texts[2]) > 253:
		return "", doc.Say("metadata.name is missing or too long, want 1 to 253 bytes")
	}
	return RefOf(texts[0], texts[2], texts[1]), nil
}

// RefOf is kind/name, or kind/namespace/name outside of the namespace default.
func RefOf(kind, namespace, name string) string {
	if namespace == "default" || namespace == "" {
		return strings.ToLower(kind) + "/" + name
	}
	return strings.ToLower(kind) + "/" + namespace + "/" + name
}

// SplitRef is a reference in its parts.
func SplitRef(ref string) (kind, namespace, name string) {
	parts := strings.SplitN(ref, "/", 3)
	if len(parts) == 3 {
		return parts[0], parts[1], parts[2]
	}
	return parts[0], "default", parts[len(parts)-1]
}

func onlyKeys(tree *Tree, keys, want string) error {
	if tree == nil {
		return nil
	}
	for _, pair := range tree.Pairs {
		if !contains(keys, pair.Key) {
			return pair.Value.Say("%s is not known here, want %s", pair.Key, want)
		}
	}
	return nil
}

// contains tells whether a word is one of those in a text.
func contains(words, word string) bool {
	for _, each := range strings.Fields(words) {
		if each == word {
			return true
		}
	}
	return false
}

func (s *Scenario) readStory() error {
	metadata, err := s.description.Typed("metadata", Map)
	if err != nil {
		return err
	}
	if s.Name, err = metadata.TextOf("name", "scenario"); err != nil {
		return err
	}
	version, err := s.description.TextOf("apiVersion", "")
	if err != nil {
		return err
	}
	if version == "" {
		version = "missing"
	}
	if version != "sluice/v1" {
		return s.description.Say("apiVersion is %s, want sluice/v1", version)
	}
	spec, err := s.description.Typed("spec", Map)
	if err != nil {
		return err
	}
	err = onlyKeys(spec, "removal autoscaler config clusters steps about",
		"removal, autoscaler, config, clusters, about or steps")
	if err != nil {
		return err
	}
	if clusters := spec.Get("clusters"); clusters != nil {
		s.OutOfReach = append(s.OutOfReach, &Beyond{clusters, "it is told of several clusters", true})
		return nil
	}
	s.Workloads = s.hasWorkloads()
	s.Fixed = spec.Get("removal") != nil
	if s.Removal, err = spec.TextOf("removal", "onBind"); err != nil {
		return err
	}
	if s.Removal != "onBind" && s.Removal != "onAdmission" {
		return spec.Get("removal").At("onBind or onAdmission")
	}
	if s.Config, err = spec.Typed("config", Map); err != nil {
		return err
	}
	if err = s.readAutoscaler(spec); err != nil {
		return err
	}
	return s.readSteps(spec)
}

func (s *Scenario) readAutoscaler(spec *Tree) error {
	tree, err := spec.Typed("autoscaler", Map)
	if tree == nil || err != nil {
		return err
	}
	if err = onlyKeys(tree, "template max delay", "template, max and delay"); err != nil {
		return err
	}
	template, err := tree.TextOf("template", "")
	if err != nil {
		return err
	}
	if !strings.HasPrefix(template, "node/") {
		return tree.Say("autoscaler.template is missing, want node/NAME")
	}
	if s.Documents[template] == nil {
		return notDescribed(tree, template)
	}
	a := &Autoscaling{Template: s.Documents[template], Name: template[len("node/"):]}
	if a.Max, err = tree.IntOf("max", 0, 100000, 1); err != nil {
		return err
	}
	if delay := tree.Get("delay"); delay != nil {
		if a.Delay, err = delay.AsDuration(); err != nil {
			return err
		}
		if a.Delay < 0 {
			return delay.At("a duration that is not negative")
		}
	}
	s.Autoscaler = a
	return nil
}

func notDescribed(where *Tree, ref string) error {
	return where.Say("%s is not described: want a document with that kind and name in this file",
		ref)
}

func (s *Scenario) readSteps(spec *Tree) error {
	list, err := spec.Typed("steps", List)
	if err != nil {
		return err
	}
	if list == nil || len(list.Pairs) == 0 {
		return s.description.Say("spec.steps is missing or empty, want a list")
	}
	var at time.Duration
	for _, pair := range list.Pairs {
		step := &Step{Tree: pair.Value, Until: Forever}
		if step.Tree.Type != Map || len(step.Tree.Pairs) == 0 {
			return step.Tree.At("a map such as {at: 10s, apply: [pod/p]}")
		}
		for _, key := range step.Tree.Pairs {
			if err := s.checkStepKey(key); err != nil {
				return err
			}
		}
		step.At = at
		if when := step.Tree.Get("at"); when != nil {
			if step.At, err = when.AsDuration(); err != nil {
				return err
			}
			if step.At < at {
				return when.At("a time that is not before that of the step above it")
			}
		}
		at = step.At
		step.Expect = step.Tree.Get("expect")
		step.Never = step.Expect.Get("never")
		if n := len(s.Steps); n > 0 {
			s.Steps[n-1].Until = at
		}
		s.Steps = append(s.Steps, step)
	}
	return nil
}
