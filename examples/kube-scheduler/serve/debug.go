// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/host"
	"sluice/kube-scheduler/sluice"
	"sluice/plain"
)

const debugPath = "/debug/sluice/"

// debug answers questions about the engine.
type debug struct{ host *host.Host }

// view is one path below debugPath.
type view struct {
	Path       string      `json:"path"`
	About      string      `json:"about"`
	Parameters []parameter `json:"parameters,omitempty"`

	list  string             // the answer is a list under this key
	check func(*asked) error // what no single parameter tells
	show  func(d debug, w http.ResponseWriter, req *http.Request, v *view, a *asked) error
}

var views = []view{
	{Path: "host", About: "this replica: whether it leads and is synced, its library and " +
		"configuration", show: debug.showHost},
	{Path: "queues", About: "all queues, by kind and name", Parameters: page,
		list: "queues", show: debug.showList},
	{Path: "queue", About: "one queue", Parameters: queueNamed, show: debug.showAnswer},
	{Path: "pod", About: "one pod: what it waits for, and what is before it; by uid, or by " +
		"namespace and name", Parameters: podNamed, check: namesOnePod, show: debug.showAnswer},
	{Path: "groups", About: "all groups that were seen or that pods name, by namespace and name",
		Parameters: page, list: "groups", show: debug.showList},
	{Path: "group", About: "one group: what it waits for, and its members",
		Parameters: append(groupNamed[:3:3], page...), list: "members", show: debug.showGroup},
	{Path: "pending", About: "what waits in a queue, in its order",
		Parameters: append(queueNamed[:2:2], page...), list: "pods", show: debug.showList},
	{Path: "workload", About: "one workload of Kueue's: what it waits for, its gates, and who goes " +
		"for it", Parameters: workloadNamed, show: debug.showAnswer},
	{Path: "workloads", About: "the workloads of a ClusterQueue or a LocalQueue that wait or are " +
		"held, in their order; or those that hold quota",
		Parameters: append(workloadsOf[:4:4], page...), list: "workloads", show: debug.showList},
	{Path: "clusterQueue", About: "one ClusterQueue, as its workloads see it",
		Parameters: queueNamed[1:], show: debug.showAnswer},
	{Path: "localQueues", About: "all LocalQueues, by namespace and name", Parameters: page,
		list: "localQueues", show: debug.showList},
	{Path: "localQueue", About: "one LocalQueue", Parameters: workloadNamed,
		show: debug.showAnswer},
	{Path: "effects", About: "what the host has to do, and is doing", Parameters: page,
		list: "effects", show: debug.showList},
	{Path: "limits", About: "the limits, and how much of them is used", show: debug.showAnswer},
	{Path: "digest", About: "a hash of all that the engine knows; nobody is scheduled while it " +
		"is made", Parameters: []parameter{timers}, show: debug.showAnswer},
	{Path: "memory", About: "the bytes that the engine holds, without the recording",
		show: debug.showAnswer},
	{Path: "check", About: "whether the invariants hold; nobody is scheduled while they are " +
		"looked at", show: debug.showAnswer},
	{Path: "recording", About: "the recorded calls, as bytes for a replay",
		Parameters: bytePage, show: debug.showRecording},
}

// failure is an answer that is none.
type failure struct {
	status int
	text   string
}

func (f *failure) Error() string { return f.text }

func fail(status int, format string, args ...any) error {
	return &failure{status, fmt.Sprintf(format, args...)}
}

// ServeHTTP finds the view and shows it.
func (d debug) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if err := d.serve(w, req); err != nil {
		refuse(w, err)
	}
}

func (d debug) serve(w http.ResponseWriter, req *http.Request) error {
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		return fail(http.StatusMethodNotAllowed, "method %s: this only reads, use GET", req.Method)
	}
	if err := d.mayAnswer(req); err != nil {
		return err
	}
	path := strings.TrimPrefix(req.URL.Path+"/", debugPath)
	path = strings.TrimSuffix(path, "/")
	if path == "" {
		return write(w, map[string]any{"below": debugPath, "views": views})
	}
	for i := range views {
		if v := &views[i]; v.Path == path {
			a, err := v.read(req.URL.RawQuery)
			if err != nil {
				return fail(http.StatusBadRequest, "%s%s: %v", debugPath, path, err)
			}
			return v.show(d, w, req, v, a)
		}
	}
	return fail(http.StatusNotFound, "%s%s: there is no such view; %s lists them", debugPath, path,
		debugPath)
}

// refuse says why there is no answer. The parameters have been checked, so a value that the engine
// refuses is the name of something that it does not know.
func refuse(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	var failed *failure
	var refused *sluice.Error
	var unusable *host.Refused
	switch {
	case errors.As(err, &failed):
		status = failed.status
	case errors.As(err, &unusable):
		status = http.StatusUnprocessableEntity
	case errors.Is(err, host.ErrNotOpen):
		status = http.StatusServiceUnavailable
	case errors.As(err, &refused):
		switch refused.Code {
		case sluice.CodeMessage: // it is not UTF-8
			status = http.StatusBadRequest
		case sluice.CodeField:
			status = http.StatusNotFound
		case sluice.CodeUnsupported:
			status = http.StatusNotImplemented
		case sluice.CodeNoHandle, sluice.CodeNoMemory:
			status = http.StatusServiceUnavailable
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_ = plain.JSON(w, map[string]string{"error": plain.Text(err.Error(), plain.ConditionBytes)})
}

func write(w http.ResponseWriter, answer any) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_ = plain.JSON(w, answer) // all that can fail is the connection
	return nil
}

func (d debug) showAnswer(w http.ResponseWriter, _ *http.Request, _ *view, a *asked) error {
	answer, err := d.host.Inspect(a.query)
	if err != nil {
		return err
	}
	return write(w, answer)
}

func (d debug) showList(w http.ResponseWriter, _ *http.Request, v *view, a *asked) error {
	rows, from, err := d.host.List(a.query, v.list, int(a.most))
	if err != nil {
		return err
	}
	if rows == nil {
		rows = []any{} // not null
	}
	return write(w, map[string]any{v.list: rows, "from": from})
}

func (d debug) showGroup(w http.ResponseWriter, _ *http.Request, v *view, a *asked) error {
	answer, err := d.host.Inspect(a.query)
	if err != nil {
		return err
	}
	members, from, err := d.host.List(a.query, v.list, int(a.most))
	if err != nil {
		return err
	}
	if members != nil {
		answer[v.list] = members
	}
	answer["from"] = from
	return write(w, answer)
}

func (d debug) showHost(w http.ResponseWriter, _ *http.Request, _ *view, _ *asked) error {
	type library struct {
		Path     string `json:"path"`
		Version  string `json:"version"`
		ABI      string `json:"abi"`
		Compiler string `json:"compiler"`
	}
	var answer struct {
		Leads         bool         `json:"leads"`
		Synced        bool         `json:"synced"`
		NotReady      string       `json:"notReady"`
		Library       library      `json:"library"`
		Configuration *config.Args `json:"configuration"`
	}
	manifest := d.host.Library().Manifest()
	answer.Leads, answer.Synced = d.host.Leads(), d.host.Synced()
	if err := d.host.Ready(); err != nil {
		answer.NotReady = err.Error()
	}
	answer.Library = library{d.host.Library().Path(), manifest.Version,
		fmt.Sprintf("%d.%d", manifest.ABI>>16, manifest.ABI&0xffff), manifest.Compiler}
	answer.Configuration = d.host.Args()
	return write(w, answer)
}

// showRecording gives the pages out as they come: a recording may be large.
func (d debug) showRecording(w http.ResponseWriter, req *http.Request, _ *view, a *asked) error {
	if d.host.Args().Record.IsZero() {
		return fail(http.StatusNotFound,
			"nothing is recorded: set `record` in the args of the plugin Sluice, and restart")
	}
	for left, begun := a.most, false; ; begun = true {
		answer, err := d.host.Inspect(a.query)
		switch {
		case err != nil && begun:
			panic(http.ErrAbortHandler) // a cut connection, or a part would pass for the whole
		case err != nil:
			return err
		}
		if !begun {
			full, _ := answer["full"].(bool)
			header := w.Header()
			header.Set("Content-Type", "application/octet-stream")
			header.Set("Content-Disposition", `attachment; filename="sluice.recording"`)
			header.Set("Sluice-Recording-Full", fmt.Sprint(full))
			header.Set("X-Content-Type-Options", "nosniff")
		}
		part, _ := answer["bytes"].([]byte)
		part = part[:min(int64(len(part)), left)]
		left -= int64(len(part))
		_, err = w.Write(part)
		a.query.From, _ = answer["from"].(int64)
		if err != nil || a.query.From == 0 || left == 0 || req.Method == http.MethodHead {
			return nil
		}
	}
}
