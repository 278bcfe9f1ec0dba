// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	bus "volcano.sh/apis/pkg/apis/bus/v1alpha1"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
	"sluice/plain"
)

// question is one kind of object: from the request to what the engine says of it.
type question func(context.Context, *admissionv1.AdmissionRequest) (
	*admissionv1.AdmissionResponse, error)

// What is asked about.
var (
	pods     = metav1.GroupVersionResource{Version: "v1", Resource: "pods"}
	queues   = metav1.GroupVersionResource(volcano.SchemeGroupVersion.WithResource("queues"))
	commands = metav1.GroupVersionResource(bus.SchemeGroupVersion.WithResource("commands"))
	groups   = metav1.GroupVersionResource(volcano.SchemeGroupVersion.WithResource("podgroups"))
)

// gates is what a mutating webhook asks: it needs to know nothing but the pod.
func (w *Webhook) gates(ctx context.Context, request *admissionv1.AdmissionRequest) (
	*admissionv1.AdmissionResponse, error) {
	return w.pod(ctx, request, gated)
}

// checkPod is what a validating webhook asks: gates are not its to add.
func (w *Webhook) checkPod(ctx context.Context, request *admissionv1.AdmissionRequest) (
	*admissionv1.AdmissionResponse, error) {
	if err := w.complete(false); err != nil {
		return nil, err
	}
	return w.pod(ctx, request, func(response *admissionv1.AdmissionResponse, _ *corev1.Pod,
		_ []string) (*admissionv1.AdmissionResponse, error) {
		return response, nil
	})
}

func (w *Webhook) pod(ctx context.Context, request *admissionv1.AdmissionRequest,
	allow func(*admissionv1.AdmissionResponse, *corev1.Pod, []string) (
		*admissionv1.AdmissionResponse, error)) (*admissionv1.AdmissionResponse, error) {
	var pod corev1.Pod
	if err := json.Unmarshal(objectOf(request), &pod); err != nil {
		return nil, refuse(http.StatusBadRequest, "the object of %s is not a pod: %v", request.UID, err)
	}
	pod.Namespace = request.Namespace
	asked, err := w.options.Describe(ctx, &pod)
	if err != nil {
		return nil, refuse(http.StatusServiceUnavailable, "the pod cannot be told about: %v", err)
	}
	admission, wrong, err := w.settle(ctx, func() (sluice.Admission, sluice.Tail, error) {
		return w.options.Engine.Admit(string(request.Operation), asked)
	})
	switch {
	case err != nil:
		return nil, err
	case wrong != "":
		return forbidden("sluice cannot queue this pod: " + wrong), nil
	case !admission.Allow:
		return forbidden(admission.Reason), nil
	}
	return allow(allowed(), &pod, admission.Gates)
}

// checkQueue asks about one of Volcano's queues. Whoever deletes one that could never be used must
// not be stopped: of that nothing but its name is read.
func (w *Webhook) checkQueue(ctx context.Context, request *admissionv1.AdmissionRequest) (
	*admissionv1.AdmissionResponse, error) {
	if err := w.complete(true); err != nil {
		return nil, err
	}
	object, err := readObject(request, sluice.KindQueue)
	if err != nil {
		return nil, err
	}
	asked := sluice.Queue{Kind: sluice.KindQueue, Name: object.GetName()}
	var warnings []string
	if request.Operation != admissionv1.Delete {
		var queue volcano.Queue
		if err := facts.Read(object, &queue); err != nil {
			return invalid(err.Error()), nil
		}
		if err := facts.Queue(&queue, &asked); err != nil {
			return invalid(err.Error()), nil
		}
		if _, err := facts.UsersOf(queue.Annotations); err != nil {
			return invalid(sluice.KindQueue + "/" + queue.Name + ": " + err.Error()), nil
		}
		if ignored := facts.DeviceQuota(&queue); ignored != "" {
			warnings = append(warnings, plain.Text(ignored, plain.RefusalBytes))
		}
	}
	answer, err := w.answer(ctx, request, "queue", func() (sluice.Admission, sluice.Tail, error) {
		return w.options.Engine.AdmitQueue(string(request.Operation), &asked)
	})
	if answer != nil {
		answer.Warnings = warnings
	}
	return answer, err
}

func (w *Webhook) checkCommand(ctx context.Context, request *admissionv1.AdmissionRequest) (
	*admissionv1.AdmissionResponse, error) {
	if err := w.complete(true); err != nil {
		return nil, err
	}
	object, err := readObject(request, "Command")
	if err != nil {
		return nil, err
	}
	var command bus.Command
	if err := facts.Read(object, &command); err != nil {
		return invalid(err.Error()), nil
	}
	asked := facts.Command(&command)
	asked.Namespace = request.Namespace
	return w.answer(ctx, request, "command", func() (sluice.Admission, sluice.Tail, error) {
		return w.options.Engine.AdmitCommand(string(request.Operation), asked)
	})
}

// checkGroup asks about a PodGroup. Its priority does not matter yet.
func (w *Webhook) checkGroup(ctx context.Context, request *admissionv1.AdmissionRequest) (
	*admissionv1.AdmissionResponse, error) {
	if err := w.complete(true); err != nil {
		return nil, err
	}
	object, err := readObject(request, facts.KindGroup)
	if err != nil {
		return nil, err
	}
	object.SetNamespace(request.Namespace)
	var group volcano.PodGroup
	var asked sluice.Group
	if err := facts.Read(object, &group); err != nil {
		return invalid(err.Error()), nil
	}
	if err := facts.Group(&group, nil, &asked); err != nil {
		return invalid(err.Error()), nil
	}
	return w.answer(ctx, request, "group", func() (sluice.Admission, sluice.Tail, error) {
		return w.options.Engine.AdmitGroup(string(request.Operation), &asked)
	})
}

// answer is that of the engine about what is no pod. What is created or changed is wrong as it is;
// what is deleted is only not to go now.
func (w *Webhook) answer(ctx context.Context, request *admissionv1.AdmissionRequest, what string,
	ask func() (sluice.Admission, sluice.Tail, error)) (*admissionv1.AdmissionResponse, error) {
	admission, wrong, err := w.settle(ctx, ask)
	switch {
	case err != nil:
		return nil, err
	case wrong != "":
		return invalid("sluice cannot use this " + what + ": " + wrong), nil
	case admission.Allow:
		return allowed(), nil
	case request.Operation == admissionv1.Delete:
		return forbidden(admission.Reason), nil
	}
	return invalid(admission.Reason), nil
}

// complete refuses to answer as long as the first listing is not: what is not known yet would pass
// for what is not there.
func (w *Webhook) complete(aboutQueues bool) error {
	if err := w.options.Complete(aboutQueues); err != nil {
		return refuse(http.StatusServiceUnavailable, "this replica of sluice cannot answer yet: %v", err)
	}
	return nil
}

const firstLook = 5 * time.Millisecond

// settle asks until the object is allowed, or its refusal has stood for a while: whoever creates a
// queue and then one below it, or opens a queue and then creates a pod in it, is faster than the
// news of it. `wrong` is why the engine cannot read the object.
func (w *Webhook) settle(ctx context.Context, ask func() (sluice.Admission, sluice.Tail, error)) (
	admission sluice.Admission, wrong string, err error) {
	for pause, waited := firstLook, time.Duration(0); ; pause *= 2 {
		admission, tail, err := ask()
		if err != nil {
			wrong, err = unreadable(err)
			return sluice.Admission{}, wrong, err
		}
		pause = min(pause, w.options.Patience-waited)
		if admission.Allow || pause <= 0 {
			w.options.Told(tail)
			return admission, "", nil
		}
		select {
		case <-ctx.Done():
			return admission, "", nil // nobody waits for the answer any more
		case <-time.After(pause):
			waited += pause
		}
	}
}

// unreadable tells what is wrong with an object that the engine could not read, from an engine that
// could not answer.
func unreadable(err error) (wrong string, unanswered error) {
	failed := (*sluice.Error)(nil)
	if !errors.As(err, &failed) {
		return "", fmt.Errorf("the engine cannot answer: %w", err)
	}
	switch failed.Code {
	case sluice.CodeField, sluice.CodeLimit:
		return fmt.Sprintf("%s: %q, want %s", failed.Key, failed.Value, failed.Want), nil
	case sluice.CodeMessage: // too long, or too deep
		return err.Error(), nil
	case sluice.CodeUnsupported:
		return "", refuse(http.StatusNotImplemented, "the engine cannot answer: %v", err)
	}
	return "", fmt.Errorf("the engine cannot answer: %w", err)
}

func objectOf(request *admissionv1.AdmissionRequest) []byte {
	if request.Operation == admissionv1.Delete {
		return request.OldObject.Raw
	}
	return request.Object.Raw
}

// readObject reads an object of a custom resource as the informers do: whole numbers stay such.
func readObject(request *admissionv1.AdmissionRequest, kind string) (*unstructured.Unstructured,
	error) {
	raw := objectOf(request)
	object := &unstructured.Unstructured{}
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil, refuse(http.StatusBadRequest, "the review %s has no object", request.UID)
	}
	if err := object.UnmarshalJSON(raw); err != nil {
		return nil, refuse(http.StatusBadRequest, "the object of %s is not a %s: %v", request.UID, kind,
			err)
	}
	if object.GetKind() != kind {
		return nil, refuse(http.StatusBadRequest, "the object of %s is a %s, want a %s", request.UID,
			object.GetKind(), kind)
	}
	return object, nil
}

func allowed() *admissionv1.AdmissionResponse {
	return &admissionv1.AdmissionResponse{Allowed: true}
}

// invalid is a refusal of what is wrong as it is, forbidden one of what might be right later, or
// elsewhere.
func invalid(why string) *admissionv1.AdmissionResponse {
	return denied(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, why)
}

func forbidden(why string) *admissionv1.AdmissionResponse {
	return denied(http.StatusForbidden, metav1.StatusReasonForbidden, why)
}

func denied(code int32, reason metav1.StatusReason, why string) *admissionv1.AdmissionResponse {
	return &admissionv1.AdmissionResponse{Result: &metav1.Status{Status: metav1.StatusFailure,
		Code: code, Reason: reason, Message: plain.Text(why, plain.RefusalBytes)}}
}

type patchStep struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// gated adds gates beside those that are there.
func gated(response *admissionv1.AdmissionResponse, pod *corev1.Pod, names []string) (
	*admissionv1.AdmissionResponse, error) {
	if len(names) == 0 {
		return response, nil
	}
	var steps []patchStep
	if len(pod.Spec.SchedulingGates) == 0 {
		steps = append(steps, patchStep{"add", "/spec/schedulingGates", []any{}})
	}
	for _, name := range names {
		steps = append(steps,
			patchStep{"add", "/spec/schedulingGates/-", corev1.PodSchedulingGate{Name: name}})
	}
	return patched(response, steps)
}
