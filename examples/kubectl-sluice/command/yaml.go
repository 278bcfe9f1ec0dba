// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"sigs.k8s.io/yaml"

	"sluice/plain"
)

// plainYAML writes a value as YAML that means exactly what it says, and is plain all the same: the
// encoder escapes what YAML does not print, which is less. So texts that are not plain are written
// by other words, in whose places they are put in quotes.
func plainYAML(w io.Writer, view any) error {
	text, err := json.Marshal(view)
	if err != nil {
		return err
	}
	var value any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return err
	}
	odd := oddTexts{word: "odd"}
	for bytes.Contains(text, []byte(odd.word)) {
		odd.word += "d"
	}
	made, err := yaml.Marshal(odd.replaced(value))
	if err != nil {
		return err
	}
	_, err = strings.NewReplacer(odd.pairs...).WriteString(w, string(made))
	return err
}

// oddTexts are those that are not plain.
type oddTexts struct {
	word  string   // is in no text of the value
	pairs []string // the words in their places, each before what it stands for
}

func (o *oddTexts) replaced(value any) any {
	switch one := value.(type) {
	case string:
		return o.text(one)
	case []any:
		for i := range one {
			one[i] = o.replaced(one[i])
		}
	case map[string]any:
		made := make(map[string]any, len(one))
		for key, inner := range one {
			made[o.text(key)] = o.replaced(inner)
		}
		return made
	}
	return value
}

func (o *oddTexts) text(text string) string {
	if isOneLine(text) {
		return text
	}
	word := fmt.Sprintf("%s-%d-", o.word, len(o.pairs)/2)
	o.pairs = append(o.pairs, word, plain.Quote(text))
	return word
}
