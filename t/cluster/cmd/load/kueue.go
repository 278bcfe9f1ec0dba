// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/client-go/dynamic"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

const (
	runnerUser = "runner" // Kueue's, which makes the workloads, and ends them
	kueueUser  = "kueue"

	// Kueue's scheduler with its own limit of 50 requests a second, and without one.
	kueueLimited, kueueUnlimited, sluiceShipped = "limited", "kueue", "sluice"
)

// admission is one run of Kueue's performance test.
type admission struct {
	size    kueueTestSize
	classes map[string]classFigures
	wall    time.Duration // until the last workload had ended
	told    time.Duration // until the runner had read that in the statuses of the queues
	use     float64       // cpu on average, in thousandths
	ends    int           // how often it has ended, and was started again
	gaps    int           // how often the watch that all of this is from began anew
	cost    cost
	writes  map[plane.Write]int
}

// kueueTest has Kueue's own performance test, its runner and its generator of workloads, run on
// real control planes: with Kueue's scheduler, and with sluice as it is shipped.
func kueueTest(ctx context.Context, o *options) error {
	runs, err := admitInTurns(ctx, o)
	keys := slices.DeleteFunc(slices.Clone(o.only), func(key string) bool {
		return len(runs[key]) == 0
	})
	if len(keys) == 0 {
		return err
	}
	fmt.Printf("Kueue's performance test, %s: %d workloads; medians of %d rounds in turns; %s\n\n",
		o.generator, runs[keys[0]][0].size.workloads, o.rounds, machine())
	fmt.Println(admissionTable(keys, runs))
	fmt.Println("writes for each workload, of the last round:")
	for _, key := range keys {
		last := runs[key][len(runs[key])-1]
		for _, w := range byWriter(last.writes) {
			fmt.Printf("  %-34s %6d  %6.3f  %s (%s)\n", admitters[key].name, last.writes[w],
				float64(last.writes[w])/float64(last.size.workloads), kind(w), who(w.User))
		}
	}
	return err
}

// admitInTurns has each of them admit in each round, and returns what there is when one fails: a
// run can take an hour.
func admitInTurns(ctx context.Context, o *options) (map[string][]admission, error) {
	runs := map[string][]admission{}
	for round := range o.rounds {
		order := slices.Clone(o.only)
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, key := range order {
			say("round %d of %d: %s, %s", round+1, o.rounds, o.generator, admitters[key].name)
			one, err := admit(ctx, o, key)
			if err != nil {
				return runs, fmt.Errorf("%s: %w", admitters[key].name, err)
			}
			say("    %.0f s, cpu %.0f + %.0f s, %d writes by it", one.wall.Seconds(),
				seconds(one.cost.scheduler.cpu), seconds(one.cost.api.cpu), total(one.of(key)))
			runs[key] = append(runs[key], one)
		}
	}
	return runs, nil
}

// admitter decides about workloads.
type admitter struct {
	name, user string
	start      func(context.Context, *plane.Plane) (*kept, error)
}

var admitters = map[string]admitter{
	kueueUnlimited: {"Kueue 0.19", kueueUser, startKueue("minimalkueue-unlimited")},
	kueueLimited:   {"Kueue 0.19, 50 requests/s", kueueUser, startKueue("minimalkueue")},
	sluiceShipped: {"sluice", plane.ServiceAccountUser(shipped.Namespace, shipped.Name).Name,
		startSluice},
}

// startKueue starts Kueue's controllers and scheduler as its performance test does, and returns
// when they look after what is created.
func startKueue(name string) func(context.Context, *plane.Plane) (*kept, error) {
	return func(ctx context.Context, p *plane.Plane) (*kept, error) {
		dir, err := plane.Binaries(ctx, name)
		if err != nil {
			return nil, err
		}
		kubeconfig, err := p.Kubeconfig(kueueUser)
		if err != nil {
			return nil, err
		}
		kueue, err := keep(func() (*plane.Process, error) {
			return p.Run("kueue", filepath.Join(dir, name), nil, []string{"KUBECONFIG=" + kubeconfig})
		})
		if err != nil {
			return nil, err
		}
		return kueue, awaitKueue(ctx, p, kueue.Process)
	}
}

// awaitKueue waits for the finalizer that Kueue puts on every flavor, and takes the flavor away.
func awaitKueue(ctx context.Context, p *plane.Plane, process *plane.Process) error {
	client, err := dynamic.NewForConfig(p.REST(plane.Admin))
	if err != nil {
		return err
	}
	flavors := client.Resource(schema.GroupVersionResource{Group: "kueue.x-k8s.io",
		Version: "v1beta2", Resource: "resourceflavors"})
	probe := &unstructured.Unstructured{Object: object{"apiVersion": "kueue.x-k8s.io/v1beta2",
		"kind": "ResourceFlavor", "metadata": object{"name": "probe"}, "spec": object{}}}
	if _, err := flavors.Create(ctx, probe, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("a flavor to see whether Kueue is there: %w", err)
	}
	const patience = 2 * time.Minute
	for end, asked := time.Now().Add(patience), false; ; time.Sleep(50 * time.Millisecond) {
		seen, err := flavors.Get(ctx, probe.GetName(), metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			return nil
		case err != nil:
			return err
		case !process.Running() || time.Now().After(end):
			return fmt.Errorf("no Kueue looks after a flavor after %s; the end of its log:\n%s",
				patience, process.Tail(15))
		case !asked && len(seen.GetFinalizers()) > 0:
			asked = true
			if err := flavors.Delete(ctx, probe.GetName(), metav1.DeleteOptions{}); err != nil {
				return err
			}
		}
	}
}

// startSluice starts sluice as its overlay for Workloads ships it.
func startSluice(ctx context.Context, p *plane.Plane) (*kept, error) {
	s, err := shipped.Apply(ctx, p, "overlays/workloads")
	if err != nil {
		return nil, err
	}
	replica, err := keep(func() (*plane.Process, error) {
		replica, err := s.Run(ctx, "a")
		if err != nil {
			return nil, err
		}
		return replica.Process, nil
	})
	if err != nil {
		return nil, err
	}
	return replica, s.AwaitLeader(ctx)
}

// admit lets one of them go through the test on a control plane of its own.
func admit(ctx context.Context, o *options, key string) (one admission, err error) {
	root, err := shipped.Root()
	if err != nil {
		return one, err
	}
	crds, err := shipped.KueueCRDs(ctx, root)
	if err != nil {
		return one, err
	}
	masters := []string{"system:masters"}
	p, err := plane.Start(ctx, plane.Options{Name: "kueue-test", Keep: o.keep,
		Audit: auditv1.LevelMetadata, Users: []plane.User{{Name: runnerUser, Groups: masters},
			{Name: kueueUser, Groups: masters}},
		// As Kueue's runner has it.
		APIFlags: []string{"--max-requests-inflight=5000", "--max-mutating-requests-inflight=2500",
			"--enable-aggregator-routing=true"}})
	if err != nil {
		return one, err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	if err := p.ApplyCRDDir(ctx, crds); err != nil {
		return one, err
	}
	scheduler, err := admitters[key].start(ctx, p)
	if err != nil {
		return one, err
	}
	spent, writes, err := during(p, func() (cost, error) { return costBeside(p, scheduler) },
		func() error { return one.run(ctx, p, root, o, scheduler) })
	one.cost, one.ends, one.writes = spent, scheduler.ends, plane.CountWrites(writes)
	return one, err
}

// costBeside is what an API server has used, and a scheduler that is kept.
func costBeside(p *plane.Plane, scheduler *kept) (c cost, err error) {
	if c.scheduler, err = scheduler.used(); err != nil {
		return c, err
	}
	c.api, err = usedBy(p.API())
	return c, err
}

// run has Kueue's runner make its workloads and end them, until it has read in the statuses of the
// queues that nothing is left. Then it would delete all of that again, which nobody measures.
func (one *admission) run(ctx context.Context, p *plane.Plane, root string, o *options,
	scheduler *kept) error {
	dir, err := plane.Binaries(ctx, "kueue-runner")
	if err != nil {
		return err
	}
	module, err := shipped.Module(ctx, filepath.Join(root, "t/cluster/kueue"), "sigs.k8s.io/kueue")
	if err != nil {
		return err
	}
	kubeconfig, err := p.Kubeconfig(runnerUser)
	if err != nil {
		return err
	}
	out := filepath.Join(p.Dir, "runner")
	if err := os.Mkdir(out, 0o700); err != nil {
		return err
	}
	config := filepath.Join(module, "test/performance/scheduler/configs", o.generator,
		"generator.yaml")
	if strings.HasSuffix(o.generator, ".yaml") {
		if config, err = filepath.Abs(o.generator); err != nil {
			return err
		}
	}
	if one.size, err = sizeOf(config); err != nil {
		return err
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	failed := make(chan error, 1)
	seen, err := watchAdmissions(ctx, p.REST(plane.Admin), failed)
	if err != nil {
		return err
	}
	runner, err := p.Run("runner", filepath.Join(dir, "kueue-runner"), []string{"--o", out,
		"--generatorConfig", config, fmt.Sprintf("--qps=%d", o.requests),
		fmt.Sprintf("--burst=%d", 2*o.requests), "--timeout=60m", "--zap-log-level=error"},
		[]string{"KUBECONFIG=" + kubeconfig, "PROJECT_DIR=" + module})
	if err != nil {
		return err
	}
	last := filepath.Join(out, "wlStates.csv")
	for began := time.Now(); ; {
		if _, err := os.Stat(last); err == nil && seen.haveEnded() == one.size.workloads {
			one.told = time.Since(began)
			break
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case !runner.Running():
			return fmt.Errorf("the runner has ended with %d, and %d of %d workloads; the end of its "+
				"log:\n%s", runner.ExitCode(), seen.haveEnded(), one.size.workloads, runner.Tail(15))
		}
		if err := scheduler.look(); err != nil {
			return err
		}
		select {
		case err := <-failed:
			return err
		case <-time.After(100 * time.Millisecond):
		}
	}
	one.take(seen)
	return runner.Kill()
}

// take keeps what was seen of all workloads.
func (one *admission) take(seen *admissions) {
	one.wall, one.use, one.classes = seen.wall(), seen.meanUse(), seen.byClass()
	one.gaps = seen.timesBegunAnew()
}

// of are the writes of the one that admits.
func (one *admission) of(key string) map[plane.Write]int {
	own := maps.Clone(one.writes)
	maps.DeleteFunc(own, func(w plane.Write, _ int) bool { return w.User != admitters[key].user })
	return own
}

// each says how many of some writes there were for a workload.
func (one *admission) each(key string, is func(plane.Write) bool) float64 {
	own := one.of(key)
	maps.DeleteFunc(own, func(w plane.Write, _ int) bool { return !is(w) })
	return float64(total(own)) / float64(one.size.workloads)
}

func isStatus(w plane.Write) bool { return w.Resource == "workloads" && w.Subresource == "status" }
func isEvent(w plane.Write) bool  { return w.Resource == "events" }
func isOther(w plane.Write) bool  { return !isStatus(w) && !isEvent(w) }

func (one *admission) evictions() (sum int) {
	for _, class := range one.classes {
		sum += class.evictions
	}
	return sum
}

// admissionTable has a column for each of them, and a row for each figure.
func admissionTable(keys []string, runs map[string][]admission) table {
	head := []string{""}
	for _, key := range keys {
		head = append(head, admitters[key].name)
	}
	t := table{head}
	row := func(what, format string, of func(string, *admission) float64) {
		cells := []string{what}
		for _, key := range keys {
			cells = append(cells, fmt.Sprintf(format, medianOf(runs[key], func(a admission) float64 {
				return of(key, &a)
			})))
		}
		t.row(cells...)
	}
	row("wall, s", "%.0f", func(_ string, a *admission) float64 { return a.wall.Seconds() })
	row("told by the queues' statuses, s", "%.0f", func(_ string, a *admission) float64 {
		return a.told.Seconds()
	})
	row("its cpu, s", "%.1f", func(_ string, a *admission) float64 {
		return seconds(a.cost.scheduler.cpu)
	})
	row("its peak, MiB", "%.0f", func(_ string, a *admission) float64 {
		return mib(a.cost.scheduler.peak)
	})
	row("API server's cpu, s", "%.1f", func(_ string, a *admission) float64 {
		return seconds(a.cost.api.cpu)
	})
	row("statuses for a workload", "%.3f", func(key string, a *admission) float64 {
		return a.each(key, isStatus)
	})
	row("events for a workload", "%.3f", func(key string, a *admission) float64 {
		return a.each(key, isEvent)
	})
	row("other writes for a workload", "%.3f", func(key string, a *admission) float64 {
		return a.each(key, isOther)
	})
	row("all its writes for a workload", "%.3f", func(key string, a *admission) float64 {
		return a.each(key, func(plane.Write) bool { return true })
	})
	row("quota in use, percent", "%.0f", func(_ string, a *admission) float64 {
		return 100 * a.use / float64(a.size.quota)
	})
	for _, class := range byTime(runs[keys[0]][0].classes) {
		row("time to admission, "+class+", s", "%.1f", func(_ string, a *admission) float64 {
			return a.classes[class].toAdmitted.Seconds()
		})
	}
	row("ended, and started again", "%.0f", func(_ string, a *admission) float64 {
		return float64(a.ends)
	})
	row("the watch began anew", "%.0f", func(_ string, a *admission) float64 {
		return float64(a.gaps)
	})
	row("evictions", "%.0f", func(_ string, a *admission) float64 { return float64(a.evictions()) })
	return t
}

// byTime are the classes of workloads, those first that are admitted first.
func byTime(classes map[string]classFigures) []string {
	return slices.SortedFunc(maps.Keys(classes), func(a, b string) int {
		return cmp.Or(cmp.Compare(classes[a].toAdmitted, classes[b].toAdmitted),
			strings.Compare(a, b))
	})
}
