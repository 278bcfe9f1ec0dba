// SPDX-License-Identifier: Apache-2.0

package check

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

//go:embed rules.yaml
var rulesText []byte

// ruleBook is rules.yaml.
type ruleBook struct {
	Rules []rule `json:"rules"`
	// Silent are the rows of the pages of which no object tells anything.
	Silent []silence `json:"silent"`
}

// silence are rows of a page, and why nothing is said of them.
type silence struct {
	Page    string   `json:"page"`
	Because string   `json:"because"`
	Rows    []string `json:"rows"`
}

// rule is what a page says of a field.
type rule struct {
	Page string `json:"page"`
	// Row is the first cell of the table's row, Text a sentence that is in no table.
	Row     string  `json:"row,omitempty"`
	Text    string  `json:"text,omitempty"`
	Verdict Verdict `json:"verdict"`
	Why     string  `json:"why,omitempty"` // words of the row
	Do      string  `json:"do"`

	// Code is the name by which the code says it, of what only the engine or a package can tell.
	Code string `json:"code,omitempty"`

	Kinds  []string `json:"kinds,omitempty"`  // kind.group
	Fields []string `json:"fields,omitempty"` // none: that there is such an object
	// Match is what the whole value must look like, and Unless what it must not; nothing: any value.
	Match   string `json:"match,omitempty"`
	Unless  string `json:"unless,omitempty"`
	Without *where `json:"without,omitempty"`
	// Lacks is the argument of sluice's own that does it, and is not set.
	Lacks string `json:"lacks,omitempty"`

	match, unless, without *regexp.Regexp
	paths                  [][]string
}

// where is a field of the same object that makes it another case.
type where struct {
	Field string `json:"field"`
	Match string `json:"match"`
}

func loadRules() (*ruleBook, error) {
	book := &ruleBook{}
	if err := yaml.UnmarshalStrict(rulesText, book); err != nil {
		return nil, fmt.Errorf("rules.yaml: %w", err)
	}
	for i := range book.Rules {
		if err := book.Rules[i].compile(); err != nil {
			return nil, fmt.Errorf("rules.yaml: %s, %q: %w", book.Rules[i].Page, book.Rules[i].Row, err)
		}
	}
	return book, nil
}

func (r *rule) compile() (err error) {
	for from, into := range map[string]**regexp.Regexp{r.Match: &r.match, r.Unless: &r.unless} {
		if from == "" {
			continue
		}
		if *into, err = regexp.Compile("^(?:" + from + ")$"); err != nil {
			return err
		}
	}
	if r.Without != nil {
		if r.without, err = regexp.Compile(r.Without.Match); err != nil {
			return err
		}
	}
	for _, field := range r.Fields {
		r.paths = append(r.paths, pathOf(field))
	}
	return nil
}

// named is a rule of the code's. One that is not there is a mistake of the program.
func (b *ruleBook) named(code string) *rule {
	at := slices.IndexFunc(b.Rules, func(r rule) bool { return r.Code == code })
	if at < 0 {
		panic("rules.yaml has no rule of the code " + code)
	}
	return &b.Rules[at]
}

var quoted = regexp.MustCompile("`([^`]+)`")

// namesIn are the names that the rows of a page begin with; of a.b that is a.
func (b *ruleBook) namesIn(page string) map[string]bool {
	names := map[string]bool{}
	add := func(row string) {
		for _, one := range quoted.FindAllStringSubmatch(row, -1) {
			name, _, _ := strings.Cut(one[1], ".")
			names[name] = true
		}
	}
	for i := range b.Rules {
		if b.Rules[i].Page == page {
			add(b.Rules[i].Row)
		}
	}
	for i := range b.Silent {
		for _, row := range b.Silent[i].Rows {
			if b.Silent[i].Page == page {
				add(row)
			}
		}
	}
	return names
}

// look says what the rules say of an object, and of the pods that it is a template of.
func (f *findings) look(object *unstructured.Unstructured, setup *Setup) {
	f.lookAt(object, "", object.Object, object.GroupVersionKind().GroupKind().String(), setup)
	for _, template := range templatesOf(object) {
		f.lookAt(object, template.at+".", template.pod, "Pod", setup)
	}
}

func (f *findings) lookAt(object *unstructured.Unstructured, prefix string, content map[string]any,
	kind string, setup *Setup) {
	for i := range f.rules.Rules {
		r := &f.rules.Rules[i]
		if r.Code != "" || !slices.Contains(r.Kinds, kind) || r.isElsewhere(content) ||
			r.Lacks != "" && setup.has(r.Lacks) {
			continue
		}
		say := func(field, value string) {
			f.add(nameOf(object), Finding{Verdict: r.Verdict, Field: field, Value: value,
				Why: strings.ReplaceAll(r.Why, "`", ""), Do: r.Do, Page: r.Page, by: r})
		}
		if len(r.paths) == 0 {
			say("", "")
		}
		for _, path := range r.paths {
			walk(content, "", path, func(at string, value any) {
				if text := textOf(value); r.is(text) {
					say(prefix+at, text)
				}
			})
		}
	}
}

func (r *rule) is(value string) bool {
	return (r.match == nil || r.match.MatchString(value)) &&
		(r.unless == nil || !r.unless.MatchString(value))
}

func (r *rule) isElsewhere(content map[string]any) (elsewhere bool) {
	if r.without == nil {
		return false
	}
	walk(content, "", pathOf(r.Without.Field), func(_ string, value any) {
		elsewhere = elsewhere || r.without.MatchString(textOf(value))
	})
	return elsewhere
}

// pathOf splits spec.items[*].annotations[a.b/c] into its steps, of which those in brackets are
// keys as they are, or all of them.
func pathOf(field string) (path []string) {
	for field != "" {
		if field[0] == '[' {
			key, rest, _ := strings.Cut(field[1:], "]")
			path, field = append(path, "["+key), rest
			continue
		}
		field = strings.TrimPrefix(field, ".")
		end := strings.IndexAny(field, ".[")
		if end < 0 {
			end = len(field)
		}
		path, field = append(path, field[:end]), field[end:]
	}
	return path
}

// walk calls found with each value that is at the path.
func walk(value any, at string, path []string, found func(at string, value any)) {
	if len(path) == 0 {
		found(at, value)
		return
	}
	key, bracketed := strings.CutPrefix(path[0], "[")
	step := func(name string, inner any) {
		switch {
		case bracketed:
			name = at + "[" + name + "]"
		case at != "":
			name = at + "." + name
		}
		walk(inner, name, path[1:], found)
	}
	switch in := value.(type) {
	case map[string]any:
		if bracketed && key == "*" {
			for _, name := range slices.Sorted(maps.Keys(in)) {
				step(name, in[name])
			}
		} else if inner, has := in[key]; has && inner != nil {
			step(key, inner)
		}
	case []any:
		if bracketed && key == "*" {
			for i := range in {
				step(fmt.Sprint(i), in[i])
			}
		}
	}
}

const mostShown = 80 // bytes of a value

// textOf is a value as it is compared and shown.
func textOf(value any) string {
	if text, is := value.(string); is {
		return text
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	if len(text) > mostShown {
		return strings.ToValidUTF8(string(text[:mostShown]), "") + "..."
	}
	return string(text)
}
