// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"time"

	"sluice/cluster/plane"
)

// board is the address of the page that a user serves for himself.
func (c *cluster) board(user plane.User) string {
	c.Helper()
	kubeconfig, err := c.Kubeconfig(user.Name)
	if err != nil {
		c.Fatal(err)
	}
	cmd := exec.CommandContext(c.Context(), c.program, "board", "--kubeconfig="+kubeconfig)
	out, err := cmd.StdoutPipe()
	if err != nil {
		c.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() { _ = cmd.Wait() }) // the context that is over has ended it
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		c.Fatal(err)
	}
	return strings.TrimSpace(line)
}

type boardDocument struct {
	May    []string
	Error  string
	Frames []struct {
		Queues []struct {
			Key, State string
			Waiting    int
		}
		Lines  []struct{ Put []string }
		Claims []struct{ Key, Message string }
	}
}

func (d *boardDocument) state(queue string) string {
	for _, frame := range d.Frames {
		for _, q := range frame.Queues {
			if q.Key == queue {
				return q.State
			}
		}
	}
	return ""
}

func (c *cluster) frame(address, query string) (d boardDocument) {
	c.Helper()
	answer, err := http.Get(address + "frame?" + query)
	if err != nil {
		c.Fatal(err)
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&d); err != nil {
		c.Fatal(err)
	}
	return d
}

// deed asks the page for what its button asks for, and tells the status and the answer.
func (c *cluster) deed(address, body string) (int, string) {
	c.Helper()
	req, err := http.NewRequest(http.MethodPost, address+"act", strings.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Origin", "http://"+req.Host)
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		c.Fatal(err)
	}
	defer answer.Body.Close()
	said, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(said)
}

// testBoard: two people look at the same queues, and one of them may do something.
func testBoard(c *cluster) {
	looks, acts, stranger := c.board(viewer), c.board(operator), c.board(nobody)
	seen := c.frame(looks, "queue=Queue/train")
	if seen.state("Queue/train") != "Open" || len(seen.Frames[0].Lines) != 1 ||
		len(seen.Frames[0].Lines[0].Put) == 0 {
		c.Fatalf("the page says %+v", seen)
	}
	key := seen.Frames[0].Lines[0].Put[0]
	why := ""
	for _, claim := range c.frame(looks, "claim="+key).Frames[0].Claims {
		if claim.Key == key {
			why = claim.Message
		}
	}
	if !strings.Contains(why, "queue train has room for") {
		c.Errorf("%s waits: %q", key, why)
	}
	if len(seen.May) != 0 {
		c.Errorf("who only looks may %v", seen.May)
	}
	if status, said := c.deed(looks, `{"queue": "Queue/train", "deed": "suspend"}`); status != 403 {
		c.Errorf("who only looks suspends: %d %s", status, said)
	}
	if told := c.frame(stranger, ""); !strings.Contains(told.Error, "sluice-viewer") {
		c.Errorf("who may not ask is told %+v", told)
	}
	if may := c.frame(acts, "").May; !slices.Contains(may, "suspend") {
		c.Fatalf("an operator may %v", may)
	}
	for _, step := range []struct{ deed, state string }{{"suspend", "Suspended"}, {"resume", "Open"}} {
		body := `{"queue": "Queue/train", "deed": "` + step.deed + `"}`
		if status, said := c.deed(acts, body); status != 200 {
			c.Fatalf("%s: %d %s", step.deed, status, said)
		}
		last := ""
		for end := time.Now().Add(20 * time.Second); last != step.state; {
			if time.Now().After(end) {
				c.Fatalf("%s: train is %s after 20 s", step.deed, last)
			}
			time.Sleep(200 * time.Millisecond)
			seen := c.frame(looks, "")
			last = seen.state("Queue/train")
		}
	}
}
