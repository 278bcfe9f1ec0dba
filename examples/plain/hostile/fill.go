// SPDX-License-Identifier: Apache-2.0

package hostile

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
)

// called is what a text that Fill makes begins with, if it is no word.
const called = "called-"

// Fill gives every field of a value something: a text is a word, or called by a number that few
// others have; of slices and maps there are a few. Rename then gives what is called so its names.
func Fill(chance *rand.Rand, value any, words []string) {
	fill(chance, reflect.ValueOf(value).Elem(), words)
}

func fill(chance *rand.Rand, value reflect.Value, words []string) {
	switch value.Kind() {
	case reflect.String:
		if chance.IntN(3) == 0 {
			value.SetString(words[chance.IntN(len(words))])
		} else {
			value.SetString(fmt.Sprint(called, chance.IntN(40)))
		}
	case reflect.Int32, reflect.Int64:
		value.SetInt(chance.Int64N(6))
	case reflect.Bool:
		value.SetBool(chance.IntN(2) == 0)
	case reflect.Struct:
		for i := range value.NumField() {
			if value.Type().Field(i).IsExported() {
				fill(chance, value.Field(i), words)
			}
		}
	case reflect.Pointer:
		if chance.IntN(4) > 0 {
			value.Set(reflect.New(value.Type().Elem()))
			fill(chance, value.Elem(), words)
		}
	case reflect.Slice:
		value.Set(reflect.MakeSlice(value.Type(), chance.IntN(4), 4))
		for i := range value.Len() {
			fill(chance, value.Index(i), words)
		}
	case reflect.Map:
		value.Set(reflect.MakeMap(value.Type()))
		for range chance.IntN(4) {
			key := reflect.New(value.Type().Key()).Elem()
			inner := reflect.New(value.Type().Elem()).Elem()
			fill(chance, key, words)
			fill(chance, inner, words)
			value.SetMapIndex(key, inner)
		}
	}
}

// Rename is a copy of a value that Fill made, in which what is called by the same number has the
// same name, and what is not has another one.
func Rename[T any](value T, name func(called string) string) T {
	names, taken := map[string]string{}, map[string]bool{}
	from := reflect.ValueOf(&value).Elem()
	into := reflect.New(from.Type()).Elem()
	rename(into, from, func(text string) string {
		if !strings.HasPrefix(text, called) {
			return text
		}
		for names[text] == "" {
			if chosen := name(text); !taken[chosen] {
				names[text], taken[chosen] = chosen, true
			}
		}
		return names[text]
	})
	return into.Interface().(T)
}

func rename(into, from reflect.Value, name func(string) string) {
	switch from.Kind() {
	case reflect.String:
		into.SetString(name(from.String()))
	case reflect.Struct:
		into.Set(from)
		for i := range from.NumField() {
			if from.Type().Field(i).IsExported() {
				rename(into.Field(i), from.Field(i), name)
			}
		}
	case reflect.Pointer:
		if !from.IsNil() {
			into.Set(reflect.New(from.Type().Elem()))
			rename(into.Elem(), from.Elem(), name)
		}
	case reflect.Slice:
		into.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			rename(into.Index(i), from.Index(i), name)
		}
	case reflect.Map:
		into.Set(reflect.MakeMap(from.Type()))
		for entries := from.MapRange(); entries.Next(); {
			key := reflect.New(from.Type().Key()).Elem()
			inner := reflect.New(from.Type().Elem()).Elem()
			rename(key, entries.Key(), name)
			rename(inner, entries.Value(), name)
			into.SetMapIndex(key, inner)
		}
	default:
		into.Set(from)
	}
}
