// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/printers"

	"sluice/plain"
)

// What is printed, by --output: nothing or wide for a person, all else for programs.
const (
	wide    = "wide"
	asNames = "name"
	asJSON  = "json"
	asYAML  = "yaml"
	formats = "wide, name, json, yaml, jsonpath=TEMPLATE, go-template=TEMPLATE"
)

// answer is what a subcommand has to say.
type answer struct {
	view  any           // for programs
	names []string      // of -o name: the objects that it is about
	text  func() string // for a person
}

// forPerson tells whether a person reads it.
func (o *options) forPerson() bool { return o.output == "" || o.output == wide }

// checkOutput refuses an --output before anything is asked.
func (o *options) checkOutput() error {
	switch o.output {
	case "", wide, asNames, asJSON, asYAML:
		return nil
	}
	_, err := templated(o.output)
	if genericclioptions.IsNoCompatiblePrinterError(err) {
		err = fmt.Errorf("--output is %q, want one of %s", o.output, formats)
	}
	if err != nil {
		return usage(err)
	}
	return nil
}

// templated prints by a template: jsonpath=..., go-template=..., or that of a file.
func templated(output string) (printers.ResourcePrinter, error) {
	return genericclioptions.NewKubeTemplatePrintFlags().ToPrinter(output)
}

// print says it as it was asked for.
func (o *options) print(a answer) error {
	if o.watch != nil {
		first := o.watch.last == nil
		if news, err := o.watch.isNews(a.view); err != nil || !news {
			return err
		}
		if o.forPerson() && !first {
			fmt.Fprintf(o.out, "\n%s\n", time.Now().Format(time.TimeOnly))
		}
	}
	var b bytes.Buffer
	if err := o.write(&b, a); err != nil {
		return err
	}
	_, err := o.out.Write(b.Bytes())
	return err
}

func (o *options) write(b *bytes.Buffer, a answer) error {
	switch o.output {
	case "", wide:
		b.WriteString(a.text())
		return nil
	case asNames:
		for _, name := range a.names {
			b.WriteString(name + "\n")
		}
		return nil
	case asJSON:
		return plain.JSON(b, a.view)
	case asYAML:
		return plainYAML(b, a.view)
	}
	return o.writeByTemplate(b, a.view)
}

// writeByTemplate gives the template texts as they are shown elsewhere: those that are not plain
// are in quotes.
func (o *options) writeByTemplate(w io.Writer, view any) error {
	printer, err := templated(o.output)
	if err != nil {
		return usage(err)
	}
	text, err := json.Marshal(view)
	if err != nil {
		return err
	}
	var object unstructured.Unstructured
	if err := json.Unmarshal(text, &object.Object); err != nil {
		return err
	}
	object.Object = quoted(object.Object).(map[string]any)
	if err := printer.PrintObj(&object, w); err != nil {
		return usage(fmt.Errorf("--output %s: %w", o.output, err))
	}
	return nil
}

// quoted is a value in which each text that is not plain, or has several lines, is in quotes.
func quoted(value any) any {
	switch one := value.(type) {
	case string:
		if !isOneLine(one) {
			return plain.Quote(one)
		}
	case []any:
		for i := range one {
			one[i] = quoted(one[i])
		}
	case map[string]any:
		made := make(map[string]any, len(one))
		for key, inner := range one {
			made[quoted(key).(string)] = quoted(inner)
		}
		return made
	}
	return value
}

func isOneLine(text string) bool {
	return plain.Lines(text) == text && !strings.Contains(text, "\n")
}
