// SPDX-License-Identifier: Apache-2.0

package release

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	ktesting "k8s.io/client-go/testing"

	"sluice/kube-scheduler/facts"
)

const foreign = "example.com/quota"

func pod(namespace, name string, gates ...string) *v1.Pod {
	p := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name,
		UID: types.UID("uid-" + name)}}
	p.Spec.SchedulerName = "default-scheduler"
	for _, gate := range gates {
		p.Spec.SchedulingGates = append(p.Spec.SchedulingGates, v1.PodSchedulingGate{Name: gate})
	}
	p.Spec.Containers = []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{
		Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse("500m")}}}}
	return p
}

// story is a cluster, and a run on it.
type story struct {
	*testing.T
	client        *fake.Clientset
	out, progress bytes.Buffer
	r             *releaser
}

func tell(t *testing.T, pods ...*v1.Pod) *story {
	s := &story{T: t, client: fake.NewClientset()}
	for _, p := range pods {
		s.add(p)
	}
	s.r = &releaser{client: s.client, backoff: time.Millisecond,
		report: newReport(&s.out, &s.progress)}
	return s
}

func (s *story) add(p *v1.Pod) {
	s.Helper()
	if err := s.client.Tracker().Add(p); err != nil {
		s.Fatal(err)
	}
}

func (s *story) gates(namespace, name string) (names []string) {
	s.Helper()
	got, err := s.client.CoreV1().Pods(namespace).Get(context.Background(), name,
		metav1.GetOptions{})
	if err != nil {
		s.Fatal(err)
	}
	for _, gate := range got.Spec.SchedulingGates {
		names = append(names, gate.Name)
	}
	return names
}

func (s *story) wantGates(namespace, name string, want ...string) {
	s.Helper()
	if got := s.gates(namespace, name); !slices.Equal(got, want) {
		s.Errorf("%s/%s has the gates %q, want %q", namespace, name, got, want)
	}
}

// says compares the lines of what was written, spaces aside.
func (s *story) says(lines ...string) {
	s.Helper()
	var got []string
	for line := range strings.Lines(s.out.String()) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	if !slices.Equal(got, lines) {
		s.Errorf("it says\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
}

func (s *story) patches() (texts []string) {
	for _, action := range s.client.Actions() {
		if patch, is := action.(ktesting.PatchAction); is {
			texts = append(texts, patch.GetName()+" "+string(patch.GetPatch()))
		}
	}
	slices.Sort(texts)
	return texts
}

const header = "NAMESPACE RELEASED SCHEDULABLE AT ONCE HELD BY OTHER GATES FAILED"

func TestReleases(t *testing.T) {
	s := tell(t,
		pod("a", "long", facts.GateLong),
		pod("a", "both", facts.GateShort, facts.GateLong),
		pod("b", "mixed", foreign, facts.GateShort, "example.com/other"),
		pod("b", "foreign", foreign),
		pod("b", "free"))
	if err := s.r.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.wantGates("a", "long")
	s.wantGates("a", "both")
	s.wantGates("b", "mixed", foreign, "example.com/other")
	s.wantGates("b", "foreign", foreign)
	s.says(header, "a 2 2 0 0", "b 1 0 1 0", "(all) 3 2 1 0")
	want := []string{
		`both [{"op":"test","path":"/metadata/uid","value":"uid-both"},` +
			`{"op":"test","path":"/spec/schedulingGates","value":[{"name":"` + facts.GateShort +
			`"},{"name":"` + facts.GateLong + `"}]},` +
			`{"op":"replace","path":"/spec/schedulingGates","value":[]}]`,
		`long [{"op":"test","path":"/metadata/uid","value":"uid-long"},` +
			`{"op":"test","path":"/spec/schedulingGates","value":[{"name":"` + facts.GateLong +
			`"}]},{"op":"replace","path":"/spec/schedulingGates","value":[]}]`,
		`mixed [{"op":"test","path":"/metadata/uid","value":"uid-mixed"},` +
			`{"op":"test","path":"/spec/schedulingGates","value":[{"name":"` + foreign +
			`"},{"name":"` + facts.GateShort + `"},{"name":"example.com/other"}]},` +
			`{"op":"replace","path":"/spec/schedulingGates","value":[{"name":"` + foreign +
			`"},{"name":"example.com/other"}]}]`,
	}
	if got := s.patches(); !slices.Equal(got, want) {
		t.Errorf("the patches are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestNothingToRelease(t *testing.T) {
	s := tell(t, pod("b", "foreign", foreign))
	if err := s.r.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.says("No pod carries the gate.")
	if got := s.patches(); len(got) != 0 {
		t.Errorf("it patches %q", got)
	}
}

func TestOnlyAsAsked(t *testing.T) {
	other := pod("a", "other", facts.GateLong)
	other.Spec.SchedulerName = "volcano"
	s := tell(t, other, pod("a", "mine", facts.GateLong), pod("b", "mine", facts.GateLong))
	s.r.namespace, s.r.scheduler = "a", "default-scheduler"
	if err := s.r.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.wantGates("a", "mine")
	s.wantGates("a", "other", facts.GateLong)
	s.wantGates("b", "mine", facts.GateLong)
}

func TestDryRun(t *testing.T) {
	s := tell(t, pod("a", "p", facts.GateLong), pod("a", "q", facts.GateShort),
		pod("b", "mixed", foreign, facts.GateShort), pod("b", "free"))
	if err := s.r.preview(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.says("a/p: schedulable at once", "a/q: schedulable at once", "b/mixed: held by "+foreign,
		strings.Replace(header, "RELEASED", "TO RELEASE", 1),
		"a 2 2 0 0", "b 1 0 1 0", "(all) 3 2 1 0",
		"Those schedulable at once request cpu 1: an autoscaler may buy nodes for them.",
		"This was a dry run: nothing has changed.")
	for _, action := range s.client.Actions() {
		if action.GetVerb() != "list" {
			t.Errorf("a dry run does %s", action.GetVerb())
		}
	}
}

// fails makes the first patches of a pod fail, each with what its turn says, behind a `then`.
func (s *story) fails(name string, then func(), turns ...error) {
	var mutex sync.Mutex
	s.client.PrependReactor("patch", "pods", func(action ktesting.Action) (bool, runtime.Object,
		error) {
		mutex.Lock()
		defer mutex.Unlock()
		if action.(ktesting.PatchAction).GetName() != name || len(turns) == 0 {
			return false, nil, nil
		}
		err := turns[0]
		turns = turns[1:]
		then()
		return true, nil, err
	})
}

func refusal(status int) error {
	return apierrors.NewGenericServerResponse(status, "patch", v1.Resource("pods"), "p", "no", 0,
		true)
}

func TestFaultsPass(t *testing.T) {
	s := tell(t, pod("a", "p", facts.GateLong))
	s.fails("p", func() {}, refusal(http.StatusConflict), refusal(http.StatusInternalServerError),
		refusal(http.StatusTooManyRequests), errors.New("connection refused"))
	if err := s.r.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.wantGates("a", "p")
	s.says(header, "a 1 1 0 0", "(all) 1 1 0 0")
}

// The pod gains or loses gates between the listing and the patch: what is written is what is there.
func TestGatesThatMove(t *testing.T) {
	s := tell(t, pod("a", "p", facts.GateLong, foreign))
	s.fails("p", func() {
		if err := s.client.Tracker().Update(v1.SchemeGroupVersion.WithResource("pods"),
			pod("a", "p", facts.GateLong, "example.com/other"), "a"); err != nil {
			t.Error(err)
		}
	}, refusal(http.StatusUnprocessableEntity))
	if err := s.r.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.wantGates("a", "p", "example.com/other")
}

func TestPodsThatNeedNothingMore(t *testing.T) {
	pods := v1.SchemeGroupVersion.WithResource("pods")
	for name, then := range map[string]func(*story) error{
		"gone": func(s *story) error { return s.client.Tracker().Delete(pods, "a", "p") },
		"ungated": func(s *story) error {
			return s.client.Tracker().Update(pods, pod("a", "p", foreign), "a")
		},
		"another": func(s *story) error {
			other := pod("a", "p", foreign, facts.GateLong)
			other.UID = "uid-other"
			return s.client.Tracker().Update(pods, other, "a")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, pod("a", "p", facts.GateLong))
			one := find(pod("a", "p", facts.GateLong))
			s.fails("p", func() {
				if err := then(s); err != nil {
					t.Error(err)
				}
			}, refusal(http.StatusUnprocessableEntity))
			released, err := s.r.release(context.Background(), one)
			if released || err != nil || len(s.patches()) != 1 {
				t.Errorf("released: %v, %v, by %q", released, err, s.patches())
			}
			if name == "another" { // of which the next listing tells
				s.wantGates("a", "p", foreign, facts.GateLong)
			}
		})
	}
}

func TestPodsThatCannotBeReleased(t *testing.T) {
	for name, one := range map[string]struct {
		refusal error
		patches int
	}{
		"forbidden":        {refusal(http.StatusForbidden), 1},
		"refused as such":  {refusal(http.StatusUnprocessableEntity), 1},
		"always a fault":   {refusal(http.StatusInternalServerError), attempts},
		"always a timeout": {errors.New("timeout"), attempts},
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, pod("a", "bad", facts.GateLong), pod("a", "good", facts.GateLong))
			s.r.backoff = time.Microsecond
			s.fails("bad", func() {}, slices.Repeat([]error{one.refusal}, attempts)...)
			err := s.r.run(context.Background())
			if err == nil || !strings.Contains(err.Error(), "1 pods were not released") {
				t.Errorf("the error is %v", err)
			}
			s.wantGates("a", "good")
			s.wantGates("a", "bad", facts.GateLong)
			s.says(header, "a 1 1 0 1", "(all) 1 1 0 1", "not released: a/bad: "+one.refusal.Error())
			bad := slices.DeleteFunc(s.patches(), func(text string) bool {
				return !strings.HasPrefix(text, "bad ")
			})
			if len(bad) != one.patches {
				t.Errorf("it was tried %d times, want %d", len(bad), one.patches)
			}
		})
	}
}

// Pages, and a list that the API server has forgotten while it was read.
func TestPages(t *testing.T) {
	s := tell(t)
	expired := apierrors.NewResourceExpired("too old")
	expired.ErrStatus.ListMeta.Continue = "again"
	asked := []string{}
	s.client.PrependReactor("list", "pods", func(action ktesting.Action) (bool, runtime.Object,
		error) {
		options := action.(ktesting.ListActionImpl).ListOptions
		asked = append(asked, options.Continue)
		if options.Limit != pagePods || options.FieldSelector != "spec.nodeName=" {
			t.Errorf("it lists %d where %q", options.Limit, options.FieldSelector)
		}
		list := &v1.PodList{}
		switch options.Continue {
		case "":
			list.Items, list.Continue = []v1.Pod{*pod("a", "p", facts.GateLong)}, "second"
		case "second":
			return true, nil, expired
		case "again":
			list.Items = []v1.Pod{*pod("a", "q", facts.GateLong)}
		}
		return true, list, nil
	})
	var seen []string
	err := s.r.list(context.Background(), func(_ *v1.Pod, one *ours) error {
		seen = append(seen, one.String())
		return nil
	})
	if err != nil || !slices.Equal(seen, []string{"a/p", "a/q"}) ||
		!slices.Equal(asked, []string{"", "second", "again"}) {
		t.Errorf("it asks for %q and sees %q, %v", asked, seen, err)
	}
}

// Somebody still adds the gate: it must not run for ever, and must not call it done.
func TestPodsThatKeepComing(t *testing.T) {
	s := tell(t, pod("a", "p0", facts.GateLong))
	count := 0
	s.client.PrependReactor("patch", "pods", func(ktesting.Action) (bool, runtime.Object, error) {
		count++
		s.add(pod("a", fmt.Sprint("p", count), facts.GateLong))
		return false, nil, nil
	})
	err := s.r.run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "1 more pods came") ||
		!strings.Contains(err.Error(), "admission policy") {
		t.Errorf("the error is %v", err)
	}
	s.says(header, "a 3 3 0 0", "(all) 3 3 0 0")
}

func TestListingFails(t *testing.T) {
	s := tell(t, pod("a", "p", facts.GateLong))
	s.client.PrependReactor("list", "pods", func(ktesting.Action) (bool, runtime.Object, error) {
		return true, nil, refusal(http.StatusForbidden)
	})
	for _, run := range []func(context.Context) error{s.r.run, s.r.preview} {
		err := run(context.Background())
		if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "cannot be listed") {
			t.Errorf("the error is %v", err)
		}
	}
}

// Asked to end, it ends, and says what it has done.
func TestInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	s := tell(t, pod("a", "p", facts.GateLong), pod("a", "q", facts.GateLong))
	s.r.backoff = time.Hour
	s.fails("q", stop, refusal(http.StatusInternalServerError))
	err := s.r.run(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if !strings.Contains(s.out.String(), "not released: a/q: context canceled") {
		t.Errorf("it says %s", s.out.String())
	}
}

func TestProgress(t *testing.T) {
	s := tell(t)
	one := find(pod("a", "p", facts.GateLong))
	s.r.report.result(one, true, nil)
	if s.progress.Len() > 0 {
		t.Errorf("a short run says %q", s.progress.String())
	}
	s.r.report.said = time.Now().Add(-progressEvery)
	s.r.report.result(one, true, nil)
	s.r.report.result(one, false, errors.New("no"))
	if got := s.progress.String(); got != "2 pods released, 0 failed ...\n" {
		t.Errorf("a long run says %q", got)
	}
}
