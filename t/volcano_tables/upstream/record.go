// SPDX-License-Identifier: Apache-2.0

// Package uthelper is a part of Volcano's own package of this name: it is built in a copy of that,
// and writes down each case of its tables, and what Volcano's scheduler makes of it.
package uthelper

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"runtime"
	"slices"

	utilfeature "k8s.io/apiserver/pkg/util/feature"

	"volcano.sh/volcano/pkg/scheduler/api"
	"volcano.sh/volcano/pkg/scheduler/conf"
	"volcano.sh/volcano/pkg/scheduler/framework"
	"volcano.sh/volcano/pkg/scheduler/util"
)

// The clients of the API's release that is to be had are older than this, and would wait for ever.
func init() {
	if err := utilfeature.DefaultMutableFeatureGate.Set("WatchListClient=false"); err != nil {
		panic(err)
	}
}

// given is what a case says, as it was before the scheduler saw it.
var given = map[*TestCommonStruct][]byte{}

// RegisterSession takes the place of the one whose name is now registerSession.
func (test *TestCommonStruct) RegisterSession(tiers []conf.Tier,
	config []conf.Configuration) *framework.Session {
	said, err := json.Marshal(map[string]any{
		"pods": test.Pods, "nodes": test.Nodes, "podGroups": test.PodGroups,
		"queues": test.Queues, "priorityClasses": test.PriClass,
		"resourceClaims": test.ResourceClaims, "tiers": tiers,
	})
	if err != nil {
		panic(err)
	}
	given[test] = said
	return test.registerSession(tiers, config)
}

// CheckAll takes the place of the one whose name is now checkAll.
func (test *TestCommonStruct) CheckAll(caseIndex int) error {
	err := test.checkAll(caseIndex)
	said := ""
	if err != nil {
		said = err.Error()
	}
	phases := map[api.JobID]string{}
	pipelined := []string{}
	for id, job := range test.ssn.Jobs {
		phases[id] = string(job.PodGroup.Status.Phase)
		for _, task := range job.TaskStatusIndex[api.Pipelined] {
			pipelined = append(pipelined, task.Namespace+"/"+task.Name)
		}
	}
	line, failed := json.Marshal(map[string]any{
		"test": caller(), "name": test.Name, "given": json.RawMessage(given[test]),
		"plugins": slices.Collect(maps.Keys(test.Plugins)),
		"actions": slices.Collect(maps.Keys(conf.EnabledActionMap)),
		"bound":   slices.Collect(maps.Keys(test.binder.(*util.FakeBinder).Binds())),
		"evicted": test.evictor.(*util.FakeEvictor).Evicts(), "pipelined": pipelined,
		"phases": phases, "failed": said,
	})
	if failed == nil {
		failed = write(line)
	}
	if failed != nil {
		panic(failed)
	}
	return err
}

// write adds a line to the file that all tests write to.
func write(line []byte) error {
	file, err := os.OpenFile(os.Getenv("RECORDS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(line, '\n'))
	return err
}

var test = regexp.MustCompile(`\.(Test\w+)`)

// caller is the name of the test that goes through the table.
func caller() string {
	places := make([]uintptr, 10)
	frames := runtime.CallersFrames(places[:runtime.Callers(2, places)])
	for {
		frame, more := frames.Next()
		if name := test.FindStringSubmatch(frame.Function); name != nil {
			return name[1]
		}
		if !more {
			return ""
		}
	}
}
