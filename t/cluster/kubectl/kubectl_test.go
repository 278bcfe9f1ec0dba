// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sluice/cluster/shipped"
)

func TestKubectlSluice(t *testing.T) {
	c := start(t)
	var first *shipped.Replica
	for _, step := range []struct {
		name string
		test func(*cluster)
	}{
		{"wrong usage", testUsage},
		{"nobody is there to ask", testNobodyThere},
		{"a replica leads", func(c *cluster) {
			first = c.run("a")
			c.awaitLeader()
			c.awaitGate()
		}},
		{"who may not ask", testRights},
		{"queues", testQueues},
		{"queue", testQueue},
		{"why", testWhy},
		{"pending", testPending},
		{"the board", testBoard},
		{"why of a gang", testGang},
		{"forms", testForms},
		{"watch", testWatch},
		{"top", testTop},
		{"top by keys", testTopByKeys},
		{"the width of a terminal", testWidth},
		{"commands", testCommands},
		{"Kueue's queues", testStopPolicies},
		{"what a queue refuses", testRefused},
		{"closing takes its time", testClosing},
		{"what-if", testWhatIf},
		{"check", testCheck},
		{"completion", testCompletion},
		{"as a plugin of kubectl", testPlugin},
		{"only the leader is heard", func(c *cluster) { testReplicas(c, first) }},
	} {
		if !t.Run(step.name, func(t *testing.T) { step.test(c.on(t)) }) {
			return
		}
	}
}

func testUsage(c *cluster) {
	c.says(c.sluice(viewer), 0, "Exit codes:", "suspend")
	c.says(c.sluice(viewer, "sing"), 2, `no subcommand "sing"`)
	c.says(c.sluice(viewer, "queues", "--loud"), 2, "unknown flag: --loud")
	c.says(c.sluice(viewer, "queues", "q"), 2, "1 arguments, want 0")
	c.says(c.sluice(viewer, "queue"), 2, "want 1: [NAME]")
	c.says(c.sluice(viewer, "queue", "q", "--kind", "Line"), 2, `--kind is "Line"`)
	c.says(c.sluice(viewer, "queues", "-o", "xml"), 2, `--output is "xml", want one of wide`)
	c.says(c.sluice(viewer, "top", "-o", "json"), 2, "top draws only")
	c.says(c.sluice(viewer, "top", "--interval", "1ms"), 2, "want at least 200ms")
	c.says(c.sluice(viewer, "pending", "a", "b"), 2, `"a b": want NAME or one of queue/NAME`)
	c.says(c.sluice(viewer, "why", "a", "b", "c"), 2, "3 arguments, want 1")
	c.says(c.execute(c.program, []string{"queues", "--server", "https://127.0.0.1:1"}), 5, "refused")
}

func testNobodyThere(c *cluster) {
	c.says(c.sluice(viewer, "queues"), 5, "no endpoints available")
}

func testRights(c *cluster) {
	c.says(c.sluice(nobody, "queues"), 4, "bind the Role sluice-viewer of kube-system")
	c.says(c.sluice(nobody, "suspend", "default"), 4, "cannot get resource")
	c.says(c.sluice(viewer, "queues", "--scheduler-service", "other"), 4, "cannot get resource")
	c.says(c.sluice(viewer, "queues", "--token", "of-nobody"), 4)
}

func testQueues(c *cluster) {
	c.create(queuesOfTeams)
	c.node("small", "3")
	c.becomes(viewer, []string{"queues"}, "notebooks", "train", "research")
	// Three fit into the queue, two of them onto the node; the others wait for room.
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		c.create(pod(name, "train", "1300m"))
		time.Sleep(1100 * time.Millisecond) // creation times are of whole seconds
	}
	c.becomes(viewer, []string{"queues", "--ascii"}, "2.6+1.3")
	c.Log(c.sluice(viewer, "queues").out)
	drawn := c.sluice(viewer, "queues", "--ascii")
	c.says(drawn, 0, "|- default", "`- research", "   |- notebooks", "   `- train", "# allocated")
	var cpu string
	for line := range strings.Lines(drawn.out) {
		if strings.Contains(line, "- train") {
			cpu = line
		}
	}
	for _, part := range []string{"Open", "cpu", "####", "=", "2.6+1.3", " 4"} {
		if !strings.Contains(cpu, part) {
			c.Errorf("the line of train has no %q:\n%s", part, drawn.out)
		}
	}
	c.says(c.sluice(viewer, "queues"), 0, "└─ train", "█", "▓", "░")
	if !strings.HasSuffix(strings.TrimSpace(cpu), " 2.6") {
		c.Errorf("2.6 cpu wait in train:\n%s", drawn.out)
	}
	only := c.sluice(viewer, "queues", "--resource", "memory")
	if strings.Contains(only.out, " cpu ") {
		c.Errorf("only memory was asked for:\n%s", only)
	}
	var list struct {
		Queues []struct {
			Name    string
			Claims  struct{ Waiting, Reserved, Allocated int }
			Waiting map[string]string
			Quota   []struct{ Resource, Limit, Allocated, Reserved string }
		}
	}
	c.decode(c.sluice(viewer, "queues", "-o", "json"), &list)
	for _, queue := range list.Queues {
		if queue.Name != "train" {
			continue
		}
		got := queue.Claims
		if got.Waiting != 2 || got.Reserved != 1 || got.Allocated != 2 {
			c.Errorf("train has %+v", got)
		}
		if queue.Waiting["cpu"] != "2600m" || queue.Waiting["memory"] != "2Gi" {
			c.Errorf("in train wait %v", queue.Waiting)
		}
		for _, quota := range queue.Quota {
			if quota.Resource == "cpu" && (quota.Limit != "4" || quota.Allocated != "2600m" ||
				quota.Reserved != "1300m") {
				c.Errorf("train has %+v", quota)
			}
		}
	}
	for _, part := range []string{"PARENT", "STATE", "PENDING", "INQUEUE", "RUNNING", "CPU", "Open"} {
		if shown := c.must("get", "queue", "train"); !strings.Contains(shown, part) {
			c.Errorf("kubectl get queue train has no %s:\n%s", part, shown)
		}
	}
	c.says(c.sluice(viewer, "queues", "-o", "yaml"), 0, "- claims:", "name: train", "limit: \"4\"")
	c.says(c.sluice(viewer, "queues", "--depth", "2"), 0, "research", "... 2 more",
		"2 of 5 queues are not shown")
	part := c.sluice(viewer, "queues", "--below", "research")
	c.says(part, 0, "research", "└─ train")
	if strings.Contains(part.out, "root") {
		c.Errorf("only research and below was asked for:\n%s", part)
	}
	c.says(c.sluice(viewer, "queues", "--below", "nothing"), 3, "knows no such queue")
}

func (c *cluster) decode(a answer, into any) {
	c.Helper()
	c.says(a, 0)
	if err := json.Unmarshal([]byte(a.out), into); err != nil {
		c.Fatalf("%s\n%v", a, err)
	}
}

func testQueue(c *cluster) {
	c.says(c.sluice(viewer, "queue", "train"), 0, "Below      root > research",
		"2 waiting, 0 held, 1 reserved, 2 allocated", "RESOURCE", "2.6")
	c.says(c.sluice(viewer, "queue", "research"), 0, "Above      notebooks, train")
	c.says(c.sluice(viewer, "queue", "nothing"), 3, "Queue nothing")
	c.says(c.sluice(viewer, "queue", "train", "--kind", "ClusterQueue"), 3, "ClusterQueue train")
	var queue struct{ Name, Parent, State string }
	c.decode(c.sluice(viewer, "queue", "train", "-o", "json"), &queue)
	if queue.Name != "train" || queue.Parent != "research" || queue.State != "Open" {
		c.Errorf("got %+v", queue)
	}
}

func testWhy(c *cluster) {
	c.Log(c.sluice(viewer, "why", "e").out)
	c.says(c.sluice(viewer, "why", "d"), 0, "default/d waits in queue train since",
		"QueueCapacity: queue train has room for 100m more cpu, the pod asks for 1300m",
		"the next of its queue", "root > research > train", "asks for  cpu 1.3, memory 1Gi, pods 1",
		"2.6 wait  <- room for 0.1, asked for 1.3")
	c.says(c.sluice(viewer, "why", "e"), 0, "number 2 of its queue", "before it in the queue wait",
		"cpu 1.3, memory 1Gi")
	c.says(c.sluice(viewer, "why", "a"), 0, "is on node small, and counts in queue train")
	c.says(c.sluice(viewer, "why", "c"), 0, "was granted its place in queue train")
	c.says(c.sluice(viewer, "why", "nothing"), 3, "knows no pod default/nothing")
	c.says(c.sluice(viewer, "why", "-n", "elsewhere", "d"), 3, "knows no pod elsewhere/d")
	c.create(`{apiVersion: v1, kind: Pod, metadata: {name: other},
		spec: {schedulerName: other, containers: [{name: c, image: none}]}}`)
	c.must("create", "clusterrolebinding", "pods", "--clusterrole=pod-reader", "--user=viewer")
	c.must("create", "clusterrole", "pod-reader", "--verb=get,list", "--resource=pods")
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		got := c.sluice(viewer, "why", "other")
		if strings.Contains(got.err, "its schedulerName is other") && got.code == 3 {
			break
		}
		if time.Now().After(end) {
			c.Fatalf("%s", got)
		}
	}
	var view struct {
		State, Reason string
		Place         int
		Ahead         map[string]string
		On            struct{ Name, Resource, Room, Asked, Wanted string }
	}
	c.decode(c.sluice(viewer, "why", "e", "-o", "json"), &view)
	if view.State != "waiting" || view.Reason != "QueueCapacity" || view.Place != 2 ||
		view.Ahead["cpu"] != "1300m" || view.Ahead["memory"] != "1Gi" {
		c.Errorf("got %+v", view)
	}
	if on := view.On; on.Name != "train" || on.Resource != "cpu" || on.Room != "100m" ||
		on.Asked != "1300m" || on.Wanted != "2600m" {
		c.Errorf("got %+v", view)
	}
}

const gangOfThree = `
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: gang, namespace: default}
spec: {minMember: 3, queue: notebooks}
`

// What a member waits for, its gang does.
func testGang(c *cluster) {
	c.create(gangOfThree)
	for _, name := range []string{"left", "right"} {
		c.create(strings.Replace(pod(name, "notebooks", "1"), "annotations:",
			"annotations:\n    scheduling.k8s.io/group-name: gang", 1))
	}
	c.becomes(viewer, []string{"why", "right"}, "default/right is held, and blocks nobody",
		"GroupIncomplete: its group default/gang has 2 of the 3 members that it needs",
		"group     gang is held: minimum 3; 2 pods: 2 ready", "left   held   GroupIncomplete")
	c.create(strings.Replace(pod("middle", "notebooks", "1"), "annotations:",
		"annotations:\n    scheduling.k8s.io/group-name: gang", 1))
	c.becomes(viewer, []string{"why", "right"}, "default/right waits in queue notebooks",
		"queue research has room for 2100m more cpu, the group asks for 3",
		"its group for cpu 3, memory 3Gi, pods 3, as one", "<- room for 2.1, asked for 3")
	c.Log(c.sluice(viewer, "why", "right").out)
	got := c.sluice(viewer, "why", "podgroup/gang")
	c.says(got, 0, "group default/gang waits as one in queue notebooks", "middle  waiting")
	c.Log(got.out)
	c.says(c.sluice(viewer, "pending", "notebooks"), 0, "gang (gang of 3)")
	c.says(c.sluice(viewer, "why", "podgroup/nothing"), 3, "group default/nothing")
	var view struct {
		Gang struct {
			State   string
			Minimum int
			Members []struct{ Name string }
		}
	}
	c.decode(c.sluice(viewer, "why", "left", "-o", "json"), &view)
	if view.Gang.State != "waiting" || view.Gang.Minimum != 3 || len(view.Gang.Members) != 3 {
		c.Errorf("got %+v", view)
	}
	for _, name := range []string{"left", "right", "middle"} {
		c.must("delete", "pod", name, "--wait=false")
	}
	c.must("delete", "podgroup", "gang")
	c.becomes(viewer, []string{"queue", "notebooks"}, "0 waiting, 0 held")
}

func testPending(c *cluster) {
	got := c.sluice(viewer, "pending")
	c.says(got, 0, "QUEUE", "train  1      default    d", "train  2      default    e")
	c.says(c.sluice(viewer, "pending", "train", "-o", "yaml"), 0, "name: d", "place: 2")
	c.says(c.sluice(viewer, "pending", "notebooks"), 0, "Nothing waits for room.")
	c.says(c.sluice(viewer, "pending", "nothing"), 3, "knows no such queue")
}

func testTop(c *cluster) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		time.Sleep(500 * time.Millisecond)
		c.finish("a")
	}()
	got := c.sluice(viewer, "top", "--rounds", "4", "--interval", "500ms", "--ascii")
	<-done
	c.Log(got.out)
	c.says(got, 0, "granted", "/s", "train")
	if n := strings.Count(got.out, "QUEUE "); n != 4 {
		c.Errorf("%d pictures, want 4:\n%s", n, got)
	}
	c.becomes(viewer, []string{"pending"}, "train  1      default    e")
	// Which of the two that are granted now gets the node's room is for the scheduler's queue to say.
	c.becomes(viewer, []string{"queues", "--ascii"}, "2.6+1.3")
}

func testCommands(c *cluster) {
	c.says(c.sluice(operator, "suspend", "nothing"), 3, "queue nothing")
	c.says(c.sluice(viewer, "suspend", "train"), 4, "cannot create resource")
	c.says(c.sluice(operator, "resume", "train"), 0, "queue/train will be resumed")
	got := c.sluice(operator, "suspend", "train", "-o", "json")
	var made struct{ Queue, Action, Command string }
	c.decode(got, &made)
	if made.Queue != "train" || made.Action != "SuspendQueue" ||
		!strings.HasPrefix(made.Command, "train-suspendqueue-") {
		c.Errorf("got %+v", made)
	}
	c.says(c.sluice(operator, "suspend", "train", "--wait"), 0, "queue/train suspended") // already
	c.says(c.sluice(viewer, "queues"), 0, "Suspended")
	c.becomes(viewer, []string{"why", "e"}, "QueueSuspended: queue train is suspended")
	c.Log(c.sluice(viewer, "why", "e").out)
	c.says(c.sluice(operator, "resume", "train", "--wait"), 0, "queue/train resumed")
	c.says(c.sluice(operator, "suspend", "research", "--wait", "-o", "yaml"), 0, "state: Suspended")
	c.becomes(viewer, []string{"queue", "train"},
		"State      Suspended (by its parent; its own is Open)")
	c.says(c.sluice(viewer, "queues"), 0, "Suspended*")
}

// The parent is suspended still.
func testRefused(c *cluster) {
	c.says(c.sluice(operator, "resume", "train", "--wait"), 6, "queue train is Suspended",
		"was not resumed: queue train is below queue research, which is Suspended")
	c.says(c.sluice(operator, "resume", "research", "--wait"), 0, "queue/research resumed")
	c.becomes(viewer, []string{"queue", "train"}, "State      Open\n")
	c.says(c.sluice(operator, "close", "notebooks", "--wait"), 0, "queue/notebooks closed")
	c.says(c.sluice(operator, "suspend", "notebooks", "--wait"), 6, "queue notebooks is Closed")
	c.says(c.sluice(operator, "open", "notebooks", "--wait"), 0, "queue/notebooks opened")
	if left := c.must("get", "commands", "-A", "-o", "name"); left != "" {
		c.Errorf("commands that were not deleted: %s", left)
	}
}

func testClosing(c *cluster) {
	c.says(c.sluice(operator, "close", "train", "--wait", "--timeout", "2s"), 7,
		"queue/train is Closing", "is not Closed after 2s: it is still Closing")
	c.says(c.sluice(operator, "open", "train", "--wait"), 0, "queue/train opened")
	c.says(c.sluice(operator, "suspend", "research", "--wait"), 0, "queue/research suspended")
	c.says(c.sluice(operator, "close", "train", "--wait", "--timeout", "2s"), 7,
		"queue/train is Closing", "is not Closed after 2s: it is still Closing")
	c.says(c.sluice(operator, "resume", "research", "--wait"), 0, "queue/research resumed")
	c.says(c.sluice(operator, "open", "train", "--wait"), 0, "queue/train opened")
}

func testCompletion(c *cluster) {
	c.says(c.sluice(viewer, "__complete", "queue", ""), 0, "train", "research")
	c.says(c.sluice(viewer, "__complete", "why", ""), 0, "e\n")
	c.says(c.sluice(viewer, "__complete", "queues", "-o", ""), 0, "json", "yaml")
	c.says(c.sluice(viewer, "completion", "bash"), 0, "kubectl-sluice")
}

// As people have it: kubectl finds the plugin in PATH, and asks the script beside it for
// completions.
func testPlugin(c *cluster) {
	dir := c.TempDir()
	kubectl, err := c.Program(c.Context(), "kubectl")
	if err != nil {
		c.Fatal(err)
	}
	script := filepath.Join(c.Root, "examples/kubectl-sluice/kubectl_complete-sluice")
	for name, from := range map[string]string{"kubectl": kubectl, "kubectl-sluice": c.program,
		"kubectl_complete-sluice": script} {
		if err := os.Symlink(from, filepath.Join(dir, name)); err != nil {
			c.Fatal(err)
		}
	}
	kubeconfig, err := c.Kubeconfig(viewer.Name)
	if err != nil {
		c.Fatal(err)
	}
	env := []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "KUBECONFIG=" + kubeconfig}
	c.says(c.execute(kubectl, []string{"sluice", "queues"}, env...), 0, "train")
	c.says(c.execute(kubectl, []string{"sluice", "queue", "nothing"}, env...), 3)
	c.says(c.execute(kubectl, []string{"__complete", "sluice", "queue", "tr"}, env...), 0, "train")
}

// With two replicas a question may come to either; when the leader dies the other one answers, also
// while the Service still names the dead one.
func testReplicas(c *cluster, first *shipped.Replica) {
	second := c.run("b")
	c.becomes(viewer, []string{"queue", "train"}, "Open")
	for range 20 {
		c.says(c.sluice(viewer, "queue", "train"), 0, "1 waiting", "2 allocated")
	}
	if err := first.Kill(); err != nil {
		c.Fatal(err)
	}
	c.becomes(viewer, []string{"queue", "train"}, "Open")
	for range 10 {
		c.says(c.sluice(viewer, "queue", "train"), 0, "1 waiting", "2 allocated")
	}
	if !second.Running() {
		c.Errorf("the second replica has ended:\n%s", second.Tail(10))
	}
}
