// SPDX-License-Identifier: Apache-2.0

package config

import (
	"maps"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
)

func decode(text string) (*Args, error) {
	return Decode(&runtime.Unknown{Raw: []byte(text)})
}

func TestNothingSaidIsTheDefaults(t *testing.T) {
	args, err := Decode(nil)
	if err != nil {
		t.Fatal(err)
	}
	if args.Removal != OnBind || args.Manage != OptedIn || args.Undeclared != Refused ||
		args.RootCeiling.Mode != Unlimited || args.Effects.Workers != 16 || args.Webhook != nil ||
		args.WaitingReasons.After.Duration != 10*time.Second || *args.WaitingReasons.PerSecond != 2 ||
		*args.QueueStatusesPerSecond != 5 {
		t.Errorf("got %+v", args)
	}
}

func TestAllFieldsAreRead(t *testing.T) {
	args, err := decode(`{library: /l.so, removal: onAdmission, manage: all,
		rootCeiling: {cpu: 4000, memory: 16Ti}, undeclared: unlimited, reservationTimeout: 10m,
		headGuard: 30s, observeOnly: true, record: 1Mi, limits: {pods: 7, message: 2Mi},
		effects: {workers: 2, qps: 3.5, burst: 4}, webhook: {port: 8443}, deviceClassMappings: [
		{name: example.com/gpus, deviceClassNames: [a.example.com, b]}, {name: npu,
		deviceClassNames: [c]}], waitingReasons: {after: 0s, perSecond: 0},
		queueStatusesPerSecond: 0}`)
	if err != nil {
		t.Fatal(err)
	}
	memory := args.RootCeiling.Amounts["memory"]
	if names := args.DeviceNames(); !maps.Equal(names, map[string]string{
		"a.example.com": "example.com/gpus", "b": "example.com/gpus", "c": "npu"}) {
		t.Errorf("devices count by the names %v", names)
	}
	if args.Library != "/l.so" || args.Removal != OnAdmission || args.Manage != All ||
		memory.Value() != 16<<40 || args.Undeclared != Unlimited ||
		args.ReservationTimeout.Duration != 10*time.Minute || args.HeadGuard.Seconds() != 30 ||
		!args.ObserveOnly || args.Record.Value() != 1<<20 || args.Limits.Pods != 7 ||
		args.Limits.Message.Value() != 2<<20 || args.Effects.QPS != 3.5 ||
		args.Webhook.Port != 8443 || args.Webhook.Service != "sluice-webhook" ||
		args.WaitingReasons.After.Duration != 0 || *args.WaitingReasons.PerSecond != 0 ||
		*args.QueueStatusesPerSecond != 0 {
		t.Errorf("got %+v", args)
	}
}

func TestWhatIsWrongIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		`{remova: onBind}`:               `unknown field "remova"`,
		`{waitForPodsReady: {}}`:         `unknown field "waitForPodsReady"`,
		`{removal: later}`:               `removal: "later", want one of ["onBind" "onAdmission"]`,
		`{manage: some}`:                 `manage: "some"`,
		`{undeclared: maybe}`:            `undeclared: "maybe"`,
		`{rootCeiling: sky}`:             `rootCeiling: "sky", want one of ["unlimited" "cluster"]`,
		`{rootCeiling: {cpu: many}}`:     `rootCeiling: map[cpu:many], want unlimited, cluster, or`,
		`{reservationTimeout: 10}`:       `reservationTimeout: 10, want a duration such as 10m`,
		`{record: 16 MB}`:                `record: 16 MB, want a size such as 16Mi`,
		`{reservationTimeout: -1s}`:      `reservationTimeout: -1s, want 0s or more`,
		`{headGuard: soon}`:              `headGuard: soon, want a duration such as 30s: `,
		`{effects: {workers: -1}}`:       `effects.workers: -1, want at least 1`,
		`{effects: {qps: -1}}`:           `effects.qps: -1, want more than 0`,
		`{limits: {pods: -5}}`:           `limits.pods: -5`,
		`{webhook: {port: 70000}}`:       `webhook.port: 70000`,
		`{removal: later, manage: some}`: `manage: "some"`,
		`[]`:                             `cannot be used`,
		`{waitingReasons: yes}`:          `waitingReasons: true, want such as {after: 10s, `,
		`{waitingReasons: {after: -1s}}`: `waitingReasons.after: -1s, want 0s or more`,

		`{waitingReasons: {perSecond: -1}}`:      `waitingReasons.perSecond: -1, want at least 0`,
		`{waitingReasons: {perSecond: 1000001}}`: `waitingReasons.perSecond: 1000001, want at most`,
		`{queueStatusesPerSecond: -1}`:           `queueStatusesPerSecond: -1, want at least 0`,
		`{queueStatusesPerSecond: 1000001}`:      `queueStatusesPerSecond: 1000001, want at most`,

		`{deviceClassMappings: {a: b}}`: `want a list such as [{name: example.com/gpus,`,
		`{deviceClassMappings: [{name: g}]}`: `deviceClassMappings[0].deviceClassNames: [], want ` +
			`the name of a DeviceClass at least`,
		`{deviceClassMappings: [{name: a b, deviceClassNames: [c]}]}`: `deviceClassMappings[0].name: ` +
			`"a b", want the name of a resource: `,
		`{deviceClassMappings: [{deviceClassNames: [c]}]}`: `deviceClassMappings[0].name: "", want `,
		`{deviceClassMappings: [{name: cpu, deviceClassNames: [c]}]}`: `deviceClassMappings[0].name: ` +
			`"cpu", want the name of a resource that is none of Kubernetes' own`,
		`{deviceClassMappings: [{name: deviceclass/x, deviceClassNames: [c]}]}`: `"deviceclass/x", want`,
		`{deviceClassMappings: [{name: g, deviceClassNames: [a, a]}]}`: `deviceClassMappings[0].` +
			`deviceClassNames[1]: "a", want each class once: [0].deviceClassNames[0] names it, too`,
		`{deviceClassMappings: [{name: g, deviceClassNames: [a]}, {name: h, deviceClassNames: ` +
			`[a]}]}`: `deviceClassMappings[1].deviceClassNames[0]: "a", want each class once`,
		`{deviceClassMappings: [{name: g, deviceClassNames: [a]}, {name: g, deviceClassNames: ` +
			`[b]}]}`: `deviceClassMappings[1].name: "g", want each name once: [0] has it, too`,
		`{deviceClassMappings: [{name: g, deviceClassNames: [A_]}]}`: `deviceClassNames[0]: "A_", want ` +
			`the name of a DeviceClass: `,
	} {
		if _, err := decode(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
