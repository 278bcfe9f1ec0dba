// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"reflect"
)

// Shown is a copy of a value with every text in it as people may be shown it. A text is a Name, but
// in a field with the tag
//
//	Message string `plain:"text"`
//
// a Text. It goes through structs, slices, maps and pointers; what else there is is copied as it
// is.
func Shown[T any](value T) T {
	from := reflect.ValueOf(&value).Elem()
	into := reflect.New(from.Type()).Elem()
	show(into, from, false)
	return into.Interface().(T)
}

func show(into, from reflect.Value, text bool) {
	switch from.Kind() {
	case reflect.String:
		if text {
			into.SetString(Text(from.String(), ConditionBytes))
		} else {
			into.SetString(Name(from.String()))
		}
	case reflect.Struct:
		into.Set(from)
		for i := range from.NumField() {
			if field := from.Type().Field(i); field.IsExported() {
				show(into.Field(i), from.Field(i), field.Tag.Get("plain") == "text")
			}
		}
	case reflect.Pointer:
		if !from.IsNil() {
			into.Set(reflect.New(from.Type().Elem()))
			show(into.Elem(), from.Elem(), text)
		}
	case reflect.Interface:
		if !from.IsNil() {
			inner := reflect.New(from.Elem().Type()).Elem()
			show(inner, from.Elem(), text)
			into.Set(inner)
		}
	case reflect.Slice:
		if !from.IsNil() {
			into.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
			for i := range from.Len() {
				show(into.Index(i), from.Index(i), text)
			}
		}
	case reflect.Map:
		showMap(into, from, text)
	default:
		into.Set(from)
	}
}

func showMap(into, from reflect.Value, text bool) {
	if from.IsNil() {
		return
	}
	into.Set(reflect.MakeMapWithSize(from.Type(), from.Len()))
	for entries := from.MapRange(); entries.Next(); {
		key := reflect.New(from.Type().Key()).Elem()
		value := reflect.New(from.Type().Elem()).Elem()
		show(key, entries.Key(), false)
		show(value, entries.Value(), text)
		into.SetMapIndex(key, value)
	}
}
