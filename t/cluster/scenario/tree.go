// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Type is what a value is.
type Type int

// The types of values.
const (
	Null Type = iota
	Text
	List
	Map
)

// Tree is a YAML value that knows its place: what is wrong with it can be said by file and line.
type Tree struct {
	Type   Type
	Quoted bool // a text in quotes is never a number or a truth value
	File   string
	Line   int
	Key    string // the key it stands under; of an item, that of its list
	Text   string
	Pairs  []Pair
	weight int
}

// Pair is an entry of a map, or an item of a list, which has no key.
type Pair struct {
	Key   string
	Value *Tree
}

// The limits of a file, as the simulator has them.
const (
	fileBytes  = 16 << 20
	treeDepth  = 64
	treeWeight = 1 << 20
	mapKeys    = 4096
)

// Fault says what is wrong with a scenario, and where.
type Fault struct{ text string }

func (f *Fault) Error() string { return f.text }

// At is the complaint that the value is not what it should be.
func (t *Tree) At(want string, args ...any) error {
	key := t.Key
	if key == "" {
		key = "the value"
	}
	return t.Say("%s is %s, want %s", key, t.show(), fmt.Sprintf(want, args...))
}

// Say is any other complaint about the place.
func (t *Tree) Say(what string, args ...any) error {
	return &Fault{t.Place() + ": " + fmt.Sprintf(what, args...)}
}

// Place is file:line.
func (t *Tree) Place() string { return fmt.Sprintf("%s:%d", t.File, t.Line) }

func (t *Tree) show() string {
	switch {
	case t == nil || t.Type == Null:
		return "missing"
	case t.Type == List:
		return "a list"
	case t.Type == Map:
		return "a map"
	case t.Quoted || t.Text == "":
		return fmt.Sprintf("\"%.80s\"", t.Text)
	}
	return fmt.Sprintf("%.80s", t.Text)
}

// Get is the value of a key; nil if there is no such key, or it is null.
func (t *Tree) Get(key string) *Tree {
	if t == nil || t.Type != Map {
		return nil
	}
	for _, pair := range t.Pairs {
		if pair.Key == key {
			if pair.Value.Type == Null {
				return nil
			}
			return pair.Value
		}
	}
	return nil
}

// Find is Get along a path.
func (t *Tree) Find(path ...string) *Tree {
	for _, key := range path {
		t = t.Get(key)
	}
	return t
}

// AsText is the text of a value.
func (t *Tree) AsText() (string, error) {
	if t.Type != Text {
		return "", t.At("text")
	}
	return t.Text, nil
}

// TextOf is the text of a key, or what stands in for it.
func (t *Tree) TextOf(key, otherwise string) (string, error) {
	value := t.Get(key)
	if value == nil {
		return otherwise, nil
	}
	return value.AsText()
}

// IsInt tells whether it is an integer, and which.
func (t *Tree) IsInt() (int64, bool) {
	if t.Type != Text || t.Quoted {
		return 0, false
	}
	n, err := strconv.ParseInt(t.Text, 10, 64)
	return n, err == nil && !strings.HasPrefix(t.Text, "+")
}

// IsBool tells whether it is a truth value, and which.
func (t *Tree) IsBool() (value, ok bool) {
	if t.Type != Text || t.Quoted {
		return false, false
	}
	return t.Text == "true", t.Text == "true" || t.Text == "false"
}

// IntOf is the integer of a key, or what stands in for it.
func (t *Tree) IntOf(key string, least, most, otherwise int64) (int64, error) {
	value := t.Get(key)
	if value == nil {
		return otherwise, nil
	}
	n, ok := value.IsInt()
	if !ok || n < least || n > most {
		return otherwise, value.At("an integer from %d to %d", least, most)
	}
	return n, nil
}

// Typed is the value of a key that must be a map or a list, if it is there.
func (t *Tree) Typed(key string, kind Type) (*Tree, error) {
	value := t.Get(key)
	if value == nil || value.Type == kind {
		return value, nil
	}
	if kind == Map {
		return nil, value.At("a map")
	}
	return nil, value.At("a list")
}

// Plain is the value as JSON would have it.
func (t *Tree) Plain() any {
	switch t.Type {
	case Null:
		return nil
	case List:
		list := make([]any, 0, len(t.Pairs))
		for _, pair := range t.Pairs {
			list = append(list, pair.Value.Plain())
		}
		return list
	case Map:
		m := make(map[string]any, len(t.Pairs))
		for _, pair := range t.Pairs {
			m[pair.Key] = pair.Value.Plain()
		}
		return m
	}
	if n, ok := t.IsInt(); ok {
		return n
	}
	if b, ok := t.IsBool(); ok {
		return b
	}
	return t.Text
}

// Load reads all documents of a file.
func Load(path string) (*Tree, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, fileBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > fileBytes {
		return nil, &Fault{path + ": is larger than 16 MiB"}
	}
	return Parse(path, text)
}

// Parse reads all documents of a text, as the items of a list. Name is what errors call the file.
func Parse(name string, text []byte) (*Tree, error) {
	all := &Tree{Type: List, File: name, Line: 1}
	if place := invalidUTF8(text); place >= 0 {
		all.Line += bytes.Count(text[:place], []byte("\n"))
		return nil, all.Say("not YAML: invalid leading UTF-8 octet")
	}
	p := &parse{file: name}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, notYAML(all, err)
		}
		if len(document.Content) != 1 {
			continue
		}
		value, err := p.value(document.Content[0], "", 1)
		if err != nil {
			return nil, err
		}
		if value.Type != Null {
			all.Pairs = append(all.Pairs, Pair{Value: value})
		}
	}
}

func invalidUTF8(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

var yamlError = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)`)

func notYAML(place *Tree, err error) error {
	found := yamlError.FindStringSubmatch(err.Error())
	if found == nil {
		return place.Say("not YAML: %v", err)
	}
	here := *place
	if line, err := strconv.Atoi(found[1]); err == nil {
		here.Line = line
	}
	if strings.Contains(found[2], "exceeded max depth") {
		return here.Say("nested too deep: want at most %d levels", treeDepth)
	}
	return here.Say("not YAML: %s", found[2])
}

type parse struct {
	file   string
	weight int
	open   []*yaml.Node
}

func (p *parse) value(node *yaml.Node, key string, depth int) (*Tree, error) {
	tree := &Tree{File: p.file, Line: node.Line, Key: key, weight: 1}
	if p.weight++; p.weight > treeWeight {
		return nil, tree.Say("the file is too large, counting what its aliases repeat: " +
			"want at most 1048576 values")
	}
	if depth > treeDepth {
		return nil, tree.Say("nested too deep: want at most %d levels", treeDepth)
	}
	switch node.Kind {
	case yaml.AliasNode:
		for _, open := range p.open {
			if open == node.Alias {
				return nil, tree.Say("an alias inside of what it stands for")
			}
		}
		return p.value(node.Alias, key, depth+1)
	case yaml.ScalarNode:
		return tree, p.scalar(node, tree)
	}
	if !strings.HasPrefix(node.ShortTag(), "!!") {
		return nil, tree.Say("%s", aTag)
	}
	p.open = append(p.open, node)
	defer func() { p.open = p.open[:len(p.open)-1] }()
	if node.Kind == yaml.SequenceNode {
		return tree, p.list(node, tree, depth)
	}
	return tree, p.mapping(node, tree, depth)
}

const aTag = "a tag (an unquoted text that begins with !): write the text in quotes"

func (p *parse) scalar(node *yaml.Node, tree *Tree) error {
	if node.Style&yaml.TaggedStyle != 0 && !strings.HasPrefix(node.ShortTag(), "!!") {
		return tree.Say("%s", aTag)
	}
	if strings.ContainsRune(node.Value, 0) {
		return tree.Say("a text with a zero byte")
	}
	const quotes = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle |
		yaml.LiteralStyle | yaml.FoldedStyle
	tree.Quoted = node.Style&quotes != 0
	tree.Text = node.Value
	tree.Type = Text
	switch node.Value {
	case "", "~", "null", "Null", "NULL":
		if !tree.Quoted {
			tree.Type = Null
		}
	}
	return nil
}

func (p *parse) list(node *yaml.Node, tree *Tree, depth int) error {
	tree.Type = List
	for _, item := range node.Content {
		value, err := p.value(item, tree.Key, depth+1)
		if err != nil {
			return err
		}
		tree.Pairs = append(tree.Pairs, Pair{Value: value})
	}
	return nil
}

func (p *parse) mapping(node *yaml.Node, tree *Tree, depth int) error {
	tree.Type = Map
	seen := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		here := &Tree{File: p.file, Line: node.Content[i].Line}
		key := node.Content[i].Value
		switch {
		case node.Content[i].Kind != yaml.ScalarNode:
			return here.Say("a key that is not text")
		case key == "<<":
			return here.Say("merge keys (<<) are not understood: write the keys out")
		case len(tree.Pairs) == mapKeys:
			return here.Say("a map with too many keys: want at most %d", mapKeys)
		case seen[key] > 0:
			return here.Say("the key %s is there twice, first in line %d", key, seen[key])
		}
		value, err := p.value(node.Content[i+1], key, depth+1)
		if err != nil {
			return err
		}
		seen[key] = value.Line
		tree.Pairs = append(tree.Pairs, Pair{key, value})
	}
	return nil
}
