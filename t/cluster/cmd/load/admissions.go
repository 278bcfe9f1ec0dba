// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// admissions are what becomes of the workloads of a test, as a watch of this program's own sees it.
// Kueue's runner looks, too, but through a channel of a fixed size, and loses what comes too fast;
// and what is in use it takes from the statuses of queues, which may be written rarely.
type admissions struct {
	began     time.Time
	mutex     sync.Mutex
	workloads map[types.UID]*workloadLife
	running   int64         // cpu of those that run, in thousandths
	used      float64       // what has run up to then, in thousandths of a cpu times seconds
	until     time.Duration // since the beginning
	ended     int
	lastEnd   time.Duration
	gaps      int // how often the watch had to begin anew: what went by in between was not seen
}

// workloadLife is one of them; its times are since it was first seen.
type workloadLife struct {
	class      string
	first      time.Time
	toAdmitted time.Duration // the last time, if it was evicted
	evictions  int
	now        workloadState
}

type workloadState struct {
	admitted, evicted, finished bool
	running                     int64 // cpu, in thousandths
}

// watchedWorkload is what is read of a workload.
type watchedWorkload struct {
	Metadata struct {
		UID             types.UID
		ResourceVersion string
		Labels          map[string]string
	}
	Spec struct {
		PodSets []struct {
			Count    int64
			Template struct {
				Spec struct {
					Containers []struct {
						Resources struct {
							Requests map[corev1.ResourceName]resource.Quantity
						}
					}
				}
			}
		}
	}
	Status struct {
		Conditions []struct{ Type, Status string }
	}
}

// classLabel is what the runner calls the class of a workload.
const classLabel = "kueue.x-k8s.io/performance-scheduler-class"

// watchAdmissions sees what becomes of workloads until the context ends; failed gets the error that
// ends it before.
func watchAdmissions(ctx context.Context, config *rest.Config, failed chan<- error) (*admissions,
	error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	a := &admissions{began: time.Now(), workloads: map[types.UID]*workloadLife{}}
	go func() {
		if err := a.follow(ctx, client, config.Host); err != nil {
			failed <- fmt.Errorf("the watch of the workloads: %w", err)
		}
	}()
	return a, nil
}

// follow takes the watch up again where it ended, until the context ends.
func (a *admissions) follow(ctx context.Context, client *http.Client, host string) error {
	version, refused := allThereIs, time.Time{} // refused: since when
	for ctx.Err() == nil {
		before := version
		err := a.watchFrom(ctx, client, host, &version)
		if err == nil || version != before {
			refused = time.Time{}
		}
		switch {
		case err == nil || ctx.Err() != nil:
			continue
		case apierrors.IsResourceExpired(err) || apierrors.IsGone(err):
			a.beginAnew(&version, err)
		case refused.IsZero():
			refused = time.Now()
		case time.Since(refused) > watchPatience:
			return err
		}
		time.Sleep(time.Second)
	}
	return nil
}

// allThereIs is the version from which a watch tells first what there is.
const allThereIs = "0"

// watchPatience is how long an API server that is busy may refuse a watch.
const watchPatience = time.Minute

// beginAnew has the watch begin with what there is: the API server has forgotten what came next.
func (a *admissions) beginAnew(version *string, why error) {
	say("    the watch of the workloads begins anew: %v", why)
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.gaps++
	*version = allThereIs
}

// watchFrom sees events until the watch ends, and moves the version on.
func (a *admissions) watchFrom(ctx context.Context, client *http.Client, host string,
	version *string) error {
	query := url.Values{"watch": {"1"}, "timeoutSeconds": {"3600"}, "resourceVersion": {*version}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet,
		host+"/apis/kueue.x-k8s.io/v1beta2/workloads?"+query.Encode(), nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("it is refused: %s: %w", answer.Status, refusal(answer.Body))
	}
	return a.readEvents(answer.Body, version)
}

// refusal is the error that an API server answers with.
func refusal(answer io.Reader) error {
	var status metav1.Status
	if err := json.NewDecoder(answer).Decode(&status); err != nil {
		return err
	}
	return apierrors.FromObject(&status)
}

// readEvents sees what the events say, and moves the version on.
func (a *admissions) readEvents(from io.Reader, version *string) error {
	for events := json.NewDecoder(from); ; {
		var event struct {
			Type   string
			Object json.RawMessage
		}
		if err := events.Decode(&event); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if event.Type == string(watch.Error) {
			return refusal(bytes.NewReader(event.Object))
		}
		var workload watchedWorkload
		if err := json.Unmarshal(event.Object, &workload); err != nil {
			return err
		}
		*version = workload.Metadata.ResourceVersion
		a.see(&workload, event.Type == string(watch.Deleted), time.Now())
	}
}

// see takes up what a workload has become.
func (a *admissions) see(workload *watchedWorkload, deleted bool, at time.Time) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	about := &workload.Metadata
	one := a.workloads[about.UID]
	if one == nil {
		one = &workloadLife{class: about.Labels[classLabel], first: at}
		a.workloads[about.UID] = one
	}
	now := workload.state(deleted)
	since := at.Sub(a.began)
	a.used += float64(a.running) * (since - a.until).Seconds()
	a.until = since
	a.running += now.running - one.now.running
	if now.admitted && !one.now.admitted {
		one.toAdmitted = at.Sub(one.first)
	}
	if now.evicted && !one.now.evicted {
		one.evictions++
	}
	if now.finished && !one.now.finished {
		a.ended++
		a.lastEnd = since
	}
	one.now = now
}

func (w *watchedWorkload) state(deleted bool) (now workloadState) {
	for _, condition := range w.Status.Conditions {
		is := condition.Status == "True"
		switch condition.Type {
		case "Admitted":
			now.admitted = is
		case "Evicted":
			now.evicted = is
		case "Finished":
			now.finished = is
		}
	}
	if !now.admitted || now.finished || deleted {
		return now
	}
	for _, set := range w.Spec.PodSets {
		for _, container := range set.Template.Spec.Containers {
			cpu := container.Resources.Requests[corev1.ResourceCPU]
			now.running += set.Count * cpu.MilliValue()
		}
	}
	return now
}

// haveEnded are how many of them have finished.
func (a *admissions) haveEnded() int {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.ended
}

// wall is when the last of them has ended, since the beginning.
func (a *admissions) wall() time.Duration {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.lastEnd
}

// timesBegunAnew is how often the watch had to begin anew.
func (a *admissions) timesBegunAnew() int {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.gaps
}

// classFigures are of the workloads of a class.
type classFigures struct {
	count, evictions int
	toAdmitted       time.Duration // on average
}

// byClass are the figures of each class, once all have ended.
func (a *admissions) byClass() map[string]classFigures {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	all := map[string]classFigures{}
	for _, one := range a.workloads {
		of := all[one.class]
		of.count++
		of.evictions += one.evictions
		of.toAdmitted += one.toAdmitted
		all[one.class] = of
	}
	for name, of := range all {
		of.toAdmitted /= time.Duration(of.count)
		all[name] = of
	}
	return all
}

// meanUse is the cpu that ran, in thousandths, on average until the last had ended.
func (a *admissions) meanUse() float64 {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.used / a.lastEnd.Seconds()
}

// kueueTestSize is what a configuration of Kueue's generator makes.
type kueueTestSize struct {
	workloads int
	quota     int64 // cpu, in thousandths
}

// sizeOf reads a configuration of Kueue's generator.
func sizeOf(config string) (size kueueTestSize, err error) {
	text, err := os.ReadFile(config)
	if err != nil {
		return size, err
	}
	var generator struct {
		Cohorts []struct {
			Count      int
			QueuesSets []struct {
				Count         int
				NominalQuota  resource.Quantity
				WorkloadsSets []struct {
					Count     int
					Workloads []struct{}
				}
			}
		}
	}
	if err := yaml.Unmarshal(text, &generator); err != nil {
		return size, fmt.Errorf("%s: %w", config, err)
	}
	for _, cohorts := range generator.Cohorts {
		for _, queues := range cohorts.QueuesSets {
			count := cohorts.Count * queues.Count
			size.quota += int64(count) * queues.NominalQuota.MilliValue()
			for _, set := range queues.WorkloadsSets {
				size.workloads += count * set.Count * len(set.Workloads)
			}
		}
	}
	if size.workloads == 0 || size.quota == 0 {
		return size, fmt.Errorf("%s: it makes %d workloads, in queues of %d cpu", config,
			size.workloads, size.quota/1000)
	}
	return size, nil
}
