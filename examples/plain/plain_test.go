// SPDX-License-Identifier: Apache-2.0

package plain_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"sluice/plain"
	"sluice/plain/hostile"
)

func TestNames(t *testing.T) {
	long := strings.Repeat("n", plain.NameBytes)
	for name, want := range map[string]string{
		"":                  "",
		"team-a":            "team-a",
		"nvidia.com/gpu":    "nvidia.com/gpu",
		"東京":                "東京",
		"a b":               `"a b"`,
		`a"b`:               `"a\"b"`,
		`a\b`:               `"a\\b"`,
		"a\x1b[31m":         `"a\x1b[31m"`,
		"a\nb\tc\rd\x00":    `"a\nb\tc\rd\x00"`,
		"\x7f\u0085":        `"\x7f\u0085"`,
		"a\u202egnp":        `"a\u202egnp"`,
		"\U000e0041":        `"\U000e0041"`,
		"\xff":              `"\xff"`,
		"\ufffd":            "\ufffd",
		long:                long,
		long + "n":          long + "...",
		long[:250] + "\x00": `"` + long[:249+1] + `"...`,
	} {
		if got := plain.Name(name); got != want {
			t.Errorf("%q is shown as %s, want %s", name, got, want)
		}
	}
}

// Whoever copies a name from what is shown means that name.
func TestNamesAreRead(t *testing.T) {
	for _, name := range []string{"team-a", "a b", "a\x1b[31m\n\"\\", "a\u202eb\U000e0041", "\xff",
		"東京"} {
		if got, err := plain.Read(plain.Name(name)); err != nil || got != name {
			t.Errorf("%s is read as %q (%v), want %q", plain.Name(name), got, err, name)
		}
	}
	for _, broken := range []string{`"a`, `"a"b`, `"\q"`, `"a"...`} {
		if got, err := plain.Read(broken); err == nil {
			t.Errorf("%s is read as %q", broken, got)
		} else if why := hostile.Hurts(err.Error(), 0); why != "" {
			t.Error(why)
		}
	}
}

func TestTexts(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{`queue "a b" is closed`, 100, `queue "a b" is closed`},
		{"one\ntwo\x1b", 100, `one\ntwo\x1b`},
		{"123456789", 9, "123456789"},
		{"1234567890", 9, "123456..."},
		{"12345é890", 9, "12345..."},
		{"1234\x1b789", 10, "1234..."},
		{"1234", 2, ".."},
	} {
		if got := plain.Text(c.text, c.most); got != c.want || len(got) > c.most {
			t.Errorf("%q in %d bytes is %q, want %q", c.text, c.most, got, c.want)
		}
	}
	if got := plain.Lines("a\x1b\nb\r\n"); got != "a\\x1b\nb\\r\n" {
		t.Errorf("lines are %q", got)
	}
}

func TestJSONIsExact(t *testing.T) {
	const name = "a\x1b\u009b\x7f\n\u202e<&>\U000e0041\U0010fffd東京\"\\"
	var out bytes.Buffer
	if err := plain.JSON(&out, map[string]any{name: []string{name}}); err != nil {
		t.Fatal(err)
	}
	if why := hostile.Hurts(out.String(), 5); why != "" {
		t.Error(why)
	}
	var back map[string][]string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || len(back[name]) != 1 ||
		back[name][0] != name {
		t.Errorf("it means %q (%v), want %q", back, err, name)
	}
	if !strings.Contains(out.String(), "<&>") || !strings.Contains(out.String(), "東京") {
		t.Errorf("what is printable is not as it is: %s", out.String())
	}
	if err := plain.JSON(&out, func() {}); err == nil {
		t.Error("a function has JSON")
	}
}

type inner struct {
	Name    string
	Message string `plain:"text"`
	Count   int
}

type outer struct {
	inner
	One, None *inner
	Many      []inner
	Amounts   map[string]int64
	Any       any
	kept      string
}

func TestCopiesAreShown(t *testing.T) {
	one := inner{"a b\n", "so it is\n", 7}
	is := outer{one, &one, nil, []inner{one}, map[string]int64{"c\x1b": 1}, []any{"d\n", 1}, "k\n"}
	shown := inner{`"a b\n"`, `so it is\n`, 7}
	want := outer{shown, &shown, nil, []inner{shown}, map[string]int64{`"c\x1b"`: 1},
		[]any{`"d\n"`, 1}, "k\n"}
	got := plain.Shown(is)
	got.inner = plain.Shown(is.inner) // embedded, and not exported
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if is.One.Name != "a b\n" || is.Many[0].Name != "a b\n" || is.Amounts["c\x1b"] != 1 {
		t.Error("the original is changed")
	}
}

func TestLogs(t *testing.T) {
	cause := errors.New("two\nlines\x1b[31m")
	_, words := plain.Log{}.FilterS("m", []any{"why", "a\nb\x1b", "err", cause, "n", 1,
		"nil", (*plainName)(nil)})
	if want := []any{"why", "a\nb\\x1b", "err", "two\nlines\\x1b[31m", "n", 1, "nil",
		(*plainName)(nil)}; !reflect.DeepEqual(words, want) {
		t.Errorf("a logger writes %q, want %q", words, want)
	}
	if format, words := (plain.Log{}).FilterF("%s %d", []any{"a\nb", 1}); format != "%s %d" ||
		fmt.Sprintf(format, words...) != `a\nb 1` {
		t.Errorf("Infof writes %q %q", format, words)
	}
	if words := (plain.Log{}).Filter([]any{"a\nb"}); words[0] != `a\nb` {
		t.Errorf("Info writes %q", words)
	}
	if err := plain.Error(cause); err.Error() != "two\nlines\\x1b[31m" || !errors.Is(err, cause) {
		t.Errorf("the error is %q", err)
	}
	if plain.Error(nil) != nil {
		t.Error("no error is one")
	}
}

type plainName struct{ name string }

func (p *plainName) String() string { return p.name }

// Any name, in every form: nothing of it does more than to be seen, what is shown is not escaped
// once more, and names and JSON mean what they were.
func TestAnyName(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	for range hostile.Names(t, 20_000) {
		name := hostile.Name(chance)
		shown, text := plain.Name(name), plain.Text(name, plain.NoteBytes)
		for form, output := range map[string]string{"name": shown, "text": text,
			"lines": plain.Lines(strings.ReplaceAll(name, "\n", "")), "quote": plain.Quote(name),
			"short": plain.Text(name, 10)} {
			if why := hostile.Hurts(output, 0); why != "" {
				t.Fatalf("as %s: %s", form, why)
			}
		}
		if again := plain.Text(text, plain.NoteBytes); again != text || len(text) > plain.NoteBytes {
			t.Fatalf("%q is %q, and then %q", name, text, again)
		}
		if len(shown) > plain.NameBytes+len(`""...`) {
			t.Fatalf("%q is too long", shown)
		}
		if back, err := plain.Read(plain.Quote(name)); err != nil || back != name {
			t.Fatalf("%q is read as %q: %v", name, back, err)
		}
		if back, err := plain.Read(shown); !strings.HasSuffix(shown, "...") &&
			(err != nil || back != name) {
			t.Fatalf("%s is read as %q (%v), want %q", shown, back, err, name)
		}
		if !utf8.ValidString(name) {
			continue
		}
		var out bytes.Buffer
		var back map[string]string
		if err := plain.JSON(&out, map[string]string{"name": name}); err != nil {
			t.Fatal(err)
		}
		if why := hostile.Hurts(out.String(), 3); why != "" {
			t.Fatal(why)
		}
		if err := json.Unmarshal(out.Bytes(), &back); err != nil || back["name"] != name {
			t.Fatalf("%q is %q in JSON: %v", name, back, err)
		}
	}
}
