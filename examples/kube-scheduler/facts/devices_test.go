// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"math"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"sluice/kube-scheduler/sluice"
)

// exactly is a request for so many devices of a class; 0: for all of them.
func exactly(name, class string, count int64) resourcev1.DeviceRequest {
	mode := resourcev1.DeviceAllocationModeExactCount
	if count == 0 {
		mode = resourcev1.DeviceAllocationModeAll
	}
	return resourcev1.DeviceRequest{Name: name, Exactly: &resourcev1.ExactDeviceRequest{
		DeviceClassName: class, AllocationMode: mode, Count: count}}
}

func claimOf(requests ...resourcev1.DeviceRequest) *resourcev1.ResourceClaimSpec {
	return &resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: requests}}
}

func got(requests ...string) *resourcev1.AllocationResult {
	result := &resourcev1.AllocationResult{}
	for _, request := range requests {
		result.Devices.Results = append(result.Devices.Results,
			resourcev1.DeviceRequestAllocationResult{Request: request, Driver: "d", Pool: "p",
				Device: "x"})
	}
	return result
}

func TestClaimDevices(t *testing.T) {
	yes := true
	watched := exactly("w", "gpu", 3)
	watched.Exactly.AdminAccess = &yes
	either := resourcev1.DeviceRequest{Name: "e", FirstAvailable: []resourcev1.DeviceSubRequest{
		{Name: "big", DeviceClassName: "gpu", Count: 1},
		{Name: "small", DeviceClassName: "gpu", Count: 4},
		{Name: "other", DeviceClassName: "npu", AllocationMode: resourcev1.DeviceAllocationModeAll}}}
	watching := got("w", "g")
	watching.Devices.Results[0].AdminAccess = &yes
	for name, one := range map[string]struct {
		spec       *resourcev1.ResourceClaimSpec
		allocation *resourcev1.AllocationResult
		want       Devices
	}{
		"nothing": {claimOf(), nil, nil},
		"two requests, by class": {claimOf(exactly("a", "npu", 2), exactly("b", "gpu", 1),
			exactly("c", "npu", 3)), nil, Devices{{Name: "gpu", Value: 1}, {Name: "npu", Value: 5}}},
		"all of a class, before": {claimOf(exactly("a", "gpu", 0)), nil,
			Devices{{Name: "gpu", Value: mostAmount}}},
		"all of a class, after": {claimOf(exactly("a", "gpu", 0)), got("a", "a", "a"),
			Devices{{Name: "gpu", Value: 3}}},
		"more than can be counted": {claimOf(exactly("a", "gpu", math.MaxInt64),
			exactly("b", "gpu", math.MaxInt64)), nil, Devices{{Name: "gpu", Value: mostAmount}}},
		"an administrator's": {claimOf(watched, exactly("g", "gpu", 1)), nil,
			Devices{{Name: "gpu", Value: 1}}},
		"and what it got": {claimOf(watched, exactly("g", "gpu", 1)), watching,
			Devices{{Name: "gpu", Value: 1}}},
		"one of several, before": {claimOf(either, exactly("g", "gpu", 1)), nil,
			Devices{{Name: "gpu", Value: 5}, {Name: "npu", Value: mostAmount}}},
		"one of several, after": {claimOf(either), got("e/big"), Devices{{Name: "gpu", Value: 1}}},
		"what nobody asked for": {claimOf(either), got("e/gone", "x"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			same(t, ClaimDevices(one.spec, one.allocation), one.want)
		})
	}
}

func TestDevicesCountByTheNamesOfTheirTree(t *testing.T) {
	asked := func() []sluice.Amount {
		return []sluice.Amount{{Name: "cpu", Value: 1000}, {Name: "example.com/gpus", Value: 2}}
	}
	devices := Devices{{Name: "big.example.com", Value: 1}, {Name: "small.example.com", Value: 3},
		{Name: strings.Repeat("x", mostOfAName), Value: 1}}
	names := DeviceNames{"big.example.com": "example.com/gpus"}
	same(t, CountDevices(asked(), devices, names), []sluice.Amount{{Name: "cpu", Value: 1000},
		{Name: "deviceclass/small.example.com", Value: 3}, {Name: "example.com/gpus", Value: 3}})
	same(t, CountDevices(asked(), devices, nil), []sluice.Amount{{Name: "cpu", Value: 1000},
		{Name: "deviceclass/big.example.com", Value: 1},
		{Name: "deviceclass/small.example.com", Value: 3}, {Name: "example.com/gpus", Value: 2}})
}

func TestClaimNames(t *testing.T) {
	pod := &v1.Pod{Spec: v1.PodSpec{ResourceClaims: []v1.PodResourceClaim{
		{Name: "shared", ResourceClaimName: new("c")},
		{Name: "made", ResourceClaimTemplateName: new("t")},
		{Name: "not-yet", ResourceClaimTemplateName: new("u")},
		{Name: "not-needed", ResourceClaimTemplateName: new("v")},
		{Name: "of-tomorrow"}}},
		Status: v1.PodStatus{ResourceClaimStatuses: []v1.PodResourceClaimStatus{
			{Name: "made", ResourceClaimName: new("p-made-x7")}, {Name: "not-needed"}}}}
	var names []ClaimName
	ClaimNames(pod, func(one ClaimName) { names = append(names, one) })
	same(t, names, []ClaimName{{"c", "resourceclaim/c"},
		{"p-made-x7", "resourceclaim-from-template/t"}, {"", "resourceclaim-from-template/u"}})
	if long := missing("resourceclaim", strings.Repeat("x", 253)); len(long) != mostOfAName {
		t.Errorf("it has %d bytes", len(long))
	}
}
