// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	corelisters "k8s.io/client-go/listers/core/v1"

	"sluice/kube-scheduler/host"
	"sluice/kube-scheduler/sluice"
	"sluice/plain"
)

// The API group that the API server sends on to us; its APIService is in the manifests.
const (
	visibilityGroup   = "visibility.sluice.sh"
	visibilityVersion = "v1alpha1"
	visibilityPath    = "/apis/" + visibilityGroup
)

// So many questions are answered at a time: whoever asks more often waits, and not the scheduler.
const mostQuestions = 8

// visibility answers who may see a namespace. The API server has authenticated him and forwards his
// name over its own certificate; whether he may is asked of it for each question, as for those of
// all others, of just what the path says.
type visibility struct {
	host  *host.Host
	pods  corelisters.PodLister
	turns chan struct{}
}

func newVisibility(h *host.Host, pods corelisters.PodLister) *visibility {
	return &visibility{host: h, pods: pods, turns: make(chan struct{}, mostQuestions)}
}

func (v *visibility) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	answer, err := v.serve(req)
	if err == nil {
		_ = write(w, answer)
		return
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		status = apierrors.NewInternalError(err)
	}
	says := status.Status()
	says.Kind, says.APIVersion = "Status", "v1"
	if says.Details != nil && says.Details.RetryAfterSeconds > 0 {
		w.Header().Set("Retry-After", fmt.Sprint(says.Details.RetryAfterSeconds))
		// Else the API server would keep its connection, and ask the same replica again.
		w.Header().Set("Connection", "close")
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(int(says.Code))
	_ = plain.JSON(w, says)
}

func (v *visibility) serve(req *http.Request) (any, error) {
	info, found := apirequest.RequestInfoFrom(req.Context())
	switch {
	case !found:
		return nil, errors.New("the request has no description")
	case req.Method != http.MethodGet && req.Method != http.MethodHead:
		return nil, apierrors.NewMethodNotSupported(resourceOf(info), strings.ToLower(req.Method))
	case !info.IsResourceRequest:
		return discover(req.URL.Path)
	case !v.host.Leads():
		return nil, retry(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable,
			"this replica of sluice-scheduler does not lead, and only the leader knows what was granted")
	}
	select {
	case v.turns <- struct{}{}:
		defer func() { <-v.turns }()
	default:
		return nil, retry(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests,
			fmt.Sprintf("%d questions are being answered", mostQuestions))
	}
	answer, err := v.answer(req, info)
	return answer, asStatus(info, err)
}

// answer is of what was authorized: the description of the request, and not its path, says what
// that is.
func (v *visibility) answer(req *http.Request, info *apirequest.RequestInfo) (any, error) {
	of := tenant{v.host, v.pods, info.Namespace}
	switch what := info.Resource + "/" + info.Subresource; {
	case info.APIVersion != visibilityVersion || len(info.Parts) > 3:
	case info.Verb == "list" && what == "queues/" && info.Namespace == "":
		return allQueues(v.host)
	case info.Verb == "list" && what == "queues/":
		return of.queues()
	case info.Verb == "list" && what == "pending/" && info.Namespace != "":
		return of.pending(req.URL.Query())
	case info.Verb == "get" && info.Namespace != "" && info.Name != "":
		for _, one := range explained {
			if one.resource+"/why" == what {
				return one.why(&of, info.Name)
			}
		}
	}
	return nil, noSuchPath(req.URL.Path)
}

// explained are the objects of which is told why they wait.
var explained = []struct {
	resource string
	why      func(of *tenant, name string) (*why, error)
}{
	{"pods", (*tenant).whyPod},
	{"podgroups", (*tenant).whyGroup},
	{"workloads", (*tenant).whyWorkload},
}

func resourceOf(info *apirequest.RequestInfo) schema.GroupResource {
	return schema.GroupResource{Group: visibilityGroup, Resource: info.Resource}
}

func noSuchPath(path string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure,
		Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound,
		Message: fmt.Sprintf("%s: nothing is served there; %s/%s lists what is", path,
			visibilityPath, visibilityVersion)}}
}

// retry says that the same question may be answered soon.
func retry(code int32, reason metav1.StatusReason, message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: code,
		Reason: reason, Message: message + ": ask again",
		Details: &metav1.StatusDetails{Group: visibilityGroup, RetryAfterSeconds: 1}}}
}

// asStatus is an error of the engine's as the API server would say it.
func asStatus(info *apirequest.RequestInfo, err error) error {
	var refused *sluice.Error
	var unusable *host.Refused
	switch {
	case err == nil:
		return nil
	case errors.As(err, &unusable):
		return apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, info.Verb,
			resourceOf(info), info.Name, unusable.Error(), 0, false)
	case errors.Is(err, host.ErrNotOpen):
		return retry(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable,
			err.Error())
	case errors.As(err, &refused) && refused.Code == sluice.CodeField:
		missing := apierrors.NewNotFound(resourceOf(info), info.Name)
		missing.ErrStatus.Message = fmt.Sprintf("sluice-scheduler knows nothing of %s %s/%s",
			info.Resource, info.Namespace, info.Name)
		return missing
	}
	return err
}
