// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"
	"strings"

	"sluice/kubectl-sluice/ask"
	"sluice/kubectl-sluice/show"
	"sluice/plain"
)

// What of top is shown.
type page int

const (
	treePage  page = iota // the queues
	queuePage             // one of them, and what waits in it
	whyPage               // one that waits
	helpPage
)

// screen is what a person sees of top, and has done to it: keys in, text out. It asks nobody: what
// it shows is put into it.
type screen struct {
	options       show.Options
	width, height int

	page   page
	before page // of the help
	sort   int  // in show.Sorts
	filter string
	typing bool // the filter
	seek   bool // the cursor goes to the first queue that the filter means
	cursor int  // on a queue of the tree, or on one that waits in the queue
	top    int  // the first line that is seen

	now, last show.Moment // what the queues were, and at the picture before
	broken    error       // why there is nothing newer

	queue   *ask.Queue // of queuePage
	waiting *waiting   // in it
	subject subject    // of whyPage
	why     string

	lines []show.Line // of the tree, as it was drawn last
}

// subject is one that waits, as it is asked about.
type subject struct {
	of              *resource
	namespace, name string
}

const keysHelp = `
  arrows, j k    move             enter    open the queue; why what is under the cursor waits
  page up, down  move by a page   escape   back
  home g, end G  first, last      /        only the queues with this in their names
  s              the next order   ?        this
  q              end
`

// press is a key; false: it ends.
func (s *screen) press(k key) bool {
	switch {
	case k == keyQuit:
		return false
	case s.typing:
		s.typeFilter(k)
		return true
	}
	switch k {
	case "q", "Q":
		return false
	case keyUp, "k":
		s.move(-1)
	case keyDown, "j":
		s.move(1)
	case keyPageUp:
		s.move(-s.room())
	case keyPageDown, " ":
		s.move(s.room())
	case keyHome, "g":
		s.move(-s.count())
	case keyEnd, "G":
		s.move(s.count())
	case keyEnter:
		s.open()
	case keyBack, "h":
		s.back()
	case "/":
		if s.page == treePage {
			s.typing, s.filter = true, ""
		}
	case "s":
		s.sort = (s.sort + 1) % len(show.Sorts)
	case "?":
		if s.page != helpPage {
			s.before, s.page = s.page, helpPage
		}
	}
	return true
}

func (s *screen) typeFilter(k key) {
	switch k {
	case keyEnter:
		s.typing = false
	case keyBack:
		s.typing, s.filter = false, ""
	case keyErase:
		if runes := []rune(s.filter); len(runes) > 0 {
			s.filter = string(runes[:len(runes)-1])
		}
	default:
		if len([]rune(string(k))) == 1 {
			s.filter += string(k)
		}
	}
	s.cursor, s.top, s.seek = 0, 0, true
}

// count is over how many things the cursor goes.
func (s *screen) count() int {
	switch s.page {
	case treePage:
		return len(s.drawn())
	case queuePage:
		if s.waiting != nil {
			return len(s.waiting.rows)
		}
	}
	return 0
}

// drawn are the queues of the tree, from above.
func (s *screen) drawn() []*ask.Queue {
	var queues []*ask.Queue
	for i := range s.lines {
		if s.lines[i].Queue != nil {
			queues = append(queues, s.lines[i].Queue)
		}
	}
	return queues
}

func (s *screen) move(by int) {
	s.cursor = max(min(s.cursor+by, s.count()-1), 0)
	if s.page == whyPage {
		s.top = max(s.top+by, 0)
	}
}

func (s *screen) open() {
	switch s.page {
	case treePage:
		if queues := s.drawn(); s.cursor < len(queues) {
			s.page, s.queue, s.waiting, s.cursor, s.top = queuePage, queues[s.cursor], nil, 0, 0
		}
	case queuePage:
		if s.waiting != nil && s.cursor < len(s.waiting.subjects) {
			s.page, s.subject, s.why, s.top = whyPage, s.waiting.subjects[s.cursor], "", 0
		}
	}
}

func (s *screen) back() {
	switch s.page {
	case treePage:
		s.filter = ""
	case queuePage:
		s.page, s.cursor, s.top = treePage, s.place(s.queue), 0
	case whyPage:
		s.page, s.top = queuePage, 0
	case helpPage:
		s.page = s.before
	}
}

// place is where a queue is in the tree.
func (s *screen) place(queue *ask.Queue) int {
	return max(slices.IndexFunc(s.drawn(), func(one *ask.Queue) bool {
		return one.Kind == queue.Kind && one.Name == queue.Name
	}), 0)
}

// What is above and below what moves: the line of the time, an empty one, that of the keys.
const frame = 3

func (s *screen) room() int { return max(s.height-frame, 1) }

// picture is what the screen shows, a line for each of its rows; cursor is the one that is chosen,
// -1: none is.
func (s *screen) picture() (lines []string, cursor int) {
	var body []string
	cursor = -1
	switch s.page {
	case treePage:
		body, cursor = s.treeLines()
	case queuePage:
		body, cursor = s.queueLines()
	case whyPage:
		body = split(s.why)
	case helpPage:
		body = split(strings.Trim(keysHelp, "\n") + "\n\n  " + show.Legend(&s.options.Style))
	}
	body, cursor = s.scroll(body, cursor)
	head := s.now.Headline(&s.last)
	if s.broken != nil {
		head = strings.TrimSuffix(s.now.Broken(s.broken), "\n")
	}
	lines = append(lines, head, "")
	if cursor >= 0 {
		cursor += len(lines)
	}
	lines = append(lines, body...)
	for len(lines) < s.height-1 {
		lines = append(lines, "")
	}
	lines = append(lines, s.keysLine())
	for i := range lines {
		lines[i] = show.Cut(lines[i], s.width)
	}
	return lines, cursor
}

// scroll keeps the cursor in what is seen.
func (s *screen) scroll(body []string, cursor int) ([]string, int) {
	room := s.room()
	if cursor >= 0 {
		s.top = min(s.top, cursor)
		s.top = max(s.top, cursor-room+1)
		if s.cursor == 0 {
			s.top = 0
		}
	}
	s.top = max(min(s.top, len(body)-room), 0)
	body = body[s.top:]
	return body[:min(len(body), room)], cursor - s.top
}

func (s *screen) treeLines() ([]string, int) {
	options := s.options
	options.Width, options.Sort = s.width, show.Sorts[s.sort]
	s.lines = show.ForestLines(show.Named(s.now.Queues, s.filter), options)
	queues := s.drawn()
	if s.seek {
		s.seek = false
		s.cursor = slices.IndexFunc(queues, func(one *ask.Queue) bool {
			return show.IsNamed(one, s.filter)
		})
	}
	s.cursor = max(min(s.cursor, len(queues)-1), 0)
	var text []string
	at, cursor := 0, -1
	for i, line := range s.lines {
		if line.Queue != nil {
			if at == s.cursor {
				cursor = i
			}
			at++
		}
		text = append(text, line.Text)
	}
	return text, cursor
}

func (s *screen) queueLines() ([]string, int) {
	for i := range s.now.Queues {
		if one := &s.now.Queues[i]; one.Kind == s.queue.Kind && one.Name == s.queue.Name {
			s.queue = one
		}
	}
	path := show.Up(s.now.Queues, s.queue.Kind, s.queue.Name)
	text := split(show.One(s.queue, path, below(s.now.Queues, s.queue), &s.options.Style))
	text = append(text, "")
	switch {
	case s.waiting == nil:
		return append(text, "..."), -1
	case len(s.waiting.rows) == 0:
		return append(text, "Nothing waits for room."), -1
	}
	s.cursor = max(min(s.cursor, len(s.waiting.rows)-1), 0)
	cursor := len(text) + 1 + s.cursor // below the titles
	return append(text, split(show.Waits(s.waiting.rows, false, s.width))...), cursor
}

func (s *screen) keysLine() string {
	switch {
	case s.typing:
		return "/" + plain.Text(s.filter, plain.NameBytes)
	case s.page == helpPage:
		return "escape: back   q: end"
	case s.page == whyPage:
		return "escape: back   ?: keys   q: end"
	case s.page == queuePage:
		return "enter: why   escape: back   ?: keys   q: end"
	}
	line := fmt.Sprintf("enter: open   /: filter   s: by %s   ?: keys   q: end", show.Sorts[s.sort])
	if s.filter != "" {
		line += "   only " + plain.Name(s.filter)
	}
	return line
}

func split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
