// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"errors"
	"fmt"
	"net"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

// viewer is somebody who may ask the manager, and nothing else.
var viewer = plane.User{Name: "viewer"}

// answerPeople lets managers that are started from now on be asked through the Service of the
// manifests: no controller makes its endpoints here, and no kubelet the pod that they are of.
func (f *fleet) answerPeople() {
	f.Helper()
	address, err := shipped.OwnAddress()
	if errors.Is(err, shipped.ErrNoAddress) {
		f.Logf("nobody asks the manager: %v", err)
		return
	}
	f.must(err)
	port, err := plane.FreePort()
	f.must(err)
	f.asked = net.JoinHostPort(address, strconv.Itoa(port))
	pods := f.manager.Client.CoreV1().Pods(space)
	pod, err := pods.Create(f.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "sluice-manager"},
		Spec: corev1.PodSpec{NodeName: "beside-the-cluster",
			Containers: []corev1.Container{{Name: "manager", Image: "none"}}},
	}, metav1.CreateOptions{})
	f.must(err)
	pod.Status.Phase = corev1.PodRunning
	pod.Status.PodIP, pod.Status.PodIPs = address, []corev1.PodIP{{IP: address}}
	_, err = pods.UpdateStatus(f.Context(), pod, metav1.UpdateOptions{})
	f.must(err)
	target := &corev1.ObjectReference{Kind: "Pod", Namespace: space, Name: pod.Name}
	//lint:ignore SA1019 the proxy of an API server before 1.37 reads nothing else
	endpoints := &corev1.Endpoints{ObjectMeta: metav1.ObjectMeta{Name: "sluice-manager"},
		//lint:ignore SA1019 as above
		Subsets: []corev1.EndpointSubset{{
			Addresses: []corev1.EndpointAddress{{IP: address, TargetRef: target}},
			Ports:     []corev1.EndpointPort{{Name: "https", Port: int32(port)}}}}}
	_, err = f.manager.Client.CoreV1().Endpoints(space).Create(f.Context(), endpoints,
		metav1.CreateOptions{})
	f.must(err)
	_, err = f.manager.Client.DiscoveryV1().EndpointSlices(space).Create(f.Context(),
		&discoveryv1.EndpointSlice{
			ObjectMeta: metav1.ObjectMeta{Name: "sluice-manager",
				Labels: map[string]string{discoveryv1.LabelServiceName: "sluice-manager"}},
			AddressType: discoveryv1.AddressTypeIPv4,
			Endpoints:   []discoveryv1.Endpoint{{Addresses: []string{address}, TargetRef: target}},
			Ports:       []discoveryv1.EndpointPort{{Name: new("https"), Port: new(int32(port))}},
		}, metav1.CreateOptions{})
	f.must(err)
	_, err = f.manager.Client.RbacV1().RoleBindings(space).Create(f.Context(),
		&rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: viewer.Name},
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role",
				Name: "sluice-viewer"},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.UserKind, Name: viewer.Name}},
		}, metav1.CreateOptions{})
	f.must(err)
	f.plugin, err = shipped.KubectlSluice(f.Context(), f.root, f.TempDir())
	f.must(err)
}

// ask runs `kubectl sluice` as the viewer, until it says what is wanted.
func (f *fleet) ask(want []string, words ...string) {
	f.Helper()
	kubeconfig, err := f.manager.Kubeconfig(viewer.Name)
	f.must(err)
	var said string
	f.await("kubectl sluice "+strings.Join(words, " "), func() error {
		cmd := exec.CommandContext(f.Context(), f.plugin, append([]string{"--kubeconfig", kubeconfig},
			words...)...)
		out, err := cmd.CombinedOutput()
		if said = string(out); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		for _, one := range want {
			if !regexp.MustCompile(one).MatchString(said) {
				return fmt.Errorf("no %q in\n%s", one, out)
			}
		}
		return nil
	})
	f.Logf("\n%s", said)
}

// askWhileGated asks between the two openings.
func (f *fleet) askWhileGated(workload, first, second string) {
	f.Helper()
	if f.asked == "" {
		return
	}
	f.ask([]string{"(?m)^default +" + workload + " .* 2 +2 +1 "}, "fleet")
	f.ask([]string{
		"(?m)^" + first + " +yes +may preempt +open +\\S+ +\\d+s$",
		"(?m)^" + second + " +yes +would preempt +closed +\\d+s +-$",
		second + " may preempt"}, "fleet", workload)
	f.ask([]string{
		first + ": may preempt .* is open since \\d+s",
		second + ": would preempt - it signals since \\d+s - gate " + gateName + " is closed",
		second + " may preempt"}, "why", "workload/"+workload)
}

func (f *fleet) askWhileBound(workload, in string) {
	f.Helper()
	if f.asked != "" {
		f.ask([]string{"(?m)^default/" + workload + " is in " + in + "$"}, "why",
			"workload/"+workload)
	}
}
