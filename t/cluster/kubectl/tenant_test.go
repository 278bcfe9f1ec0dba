// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

// Tenants: each has a stock role in one namespace, and no other right. All that is the other
// namespace's has secret in its name, and so has the namespace.
var (
	alice  = plane.User{Name: "alice"}  // admin of science
	victor = plane.User{Name: "victor"} // view of science
	mallet = plane.User{Name: "mallet"} // edit of secret-lab
)

const (
	visibility = "/apis/visibility.sluice.sh/v1alpha1/namespaces/"
	foreign    = "secret"
)

func TestTenants(t *testing.T) {
	c := install(t, plane.Options{Name: "tenants", ControllerManager: true, Audit: "Metadata",
		Users: []plane.User{alice, victor, mallet}})
	var first *shipped.Replica
	for _, step := range []struct {
		name string
		test func(*cluster)
	}{
		{"two namespaces share a queue", func(c *cluster) { first = tenantsShare(c) }},
		{"each role is told of its namespace", testTold},
		{"nothing is said of others", testNotTold},
		{"other namespaces are refused", testOthersRefused},
		{"nobody can say that he is somebody else", testForged},
		{"a question costs one review", testReviews},
		{"a namespace can be deleted", testNamespaceGoes},
		{"after a restart it is the same", func(c *cluster) {
			if err := first.Kill(); err != nil {
				c.Fatal(err)
			}
			if err := c.Refresh(c.Context()); err != nil {
				c.Fatal(err)
			}
			c.run("b")
			c.becomes(victor, []string{"why", "mine", "-n", "science"}, "number 2 of its queue")
			testTold(c)
			testNotTold(c)
			testOthersRefused(c)
		}},
		{"a standby sends questions on", func(c *cluster) {
			c.run("c")
			c.settles(victor, []string{"why", "mine", "-n", "science"}, "number 2 of its queue")
		}},
	} {
		if !t.Run(step.name, func(t *testing.T) { step.test(c.on(t)) }) {
			return
		}
	}
}

const queuesOfTenants = `
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: lab}
spec: {capability: {cpu: "8"}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: shared}
spec: {parent: lab, capability: {cpu: "2"}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: secret-queue}
spec: {parent: lab}
`

func (c *cluster) createIn(namespace, text string) {
	c.Helper()
	c.create(strings.ReplaceAll(text, "metadata:\n", "metadata:\n  namespace: "+namespace+"\n"))
	time.Sleep(1100 * time.Millisecond) // creation times are of whole seconds
}

// tenantsShare fills a queue with pods of one namespace; the other's wait behind one of these.
func tenantsShare(c *cluster) *shipped.Replica {
	replica := c.run("a")
	c.awaitLeader()
	c.awaitGate()
	for namespace, users := range map[string][][2]string{
		"science":    {{alice.Name, "admin"}, {victor.Name, "view"}},
		"secret-lab": {{mallet.Name, "edit"}},
	} {
		c.must("create", "namespace", namespace)
		for _, user := range users {
			c.must("create", "rolebinding", user[0], "-n", namespace, "--clusterrole="+user[1],
				"--user="+user[0])
		}
	}
	c.create(queuesOfTenants)
	c.node("n", "8")
	for _, name := range []string{"secret-a", "secret-b", "secret-c"} {
		c.createIn("secret-lab", pod(name, "shared", "1"))
	}
	c.createIn("secret-lab", pod("secret-d", "secret-queue", "1"))
	c.createIn("science", pod("mine", "shared", "1"))
	c.create(strings.NewReplacer("default", "science", "notebooks", "shared").Replace(gangOfThree))
	c.createIn("science", strings.Replace(pod("left", "shared", "1"), "annotations:",
		"annotations:\n    scheduling.k8s.io/group-name: gang", 1))
	// The roles are aggregated, and the group is served, a moment after they were applied.
	c.becomes(victor, []string{"why", "mine", "-n", "science"}, "number 2 of its queue")
	c.becomes(alice, []string{"why", "mine", "-n", "science"}, "number 2 of its queue")
	c.becomes(mallet, []string{"why", "secret-c", "-n", "secret-lab"}, "the next of its queue")
	return replica
}

func testTold(c *cluster) {
	for _, user := range []plane.User{alice, victor} {
		got := c.sluice(user, "why", "mine", "-n", "science")
		c.says(got, 0, "science/mine waits in queue shared", "before it in the queue wait cpu 1",
			"QueueCapacity: queue shared has room for 0 more cpu", "root > lab > shared",
			"<- room for 0, asked for 1")
		c.Log(got.out)
		c.says(c.sluice(user, "why", "left", "-n", "science"), 0, "GroupIncomplete", "gang is held")
		c.says(c.sluice(user, "why", "podgroup/gang", "-n", "science"), 0, "gang is held", "left")
		got = c.sluice(user, "pending", "-n", "science")
		c.says(got, 0, "shared  2 ", "mine", "GroupIncomplete", "gang (gang of 3)")
		c.Log(got.out)
		got = c.sluice(user, "queues", "-n", "science", "--ascii")
		c.says(got, 0, "root", "lab", "- shared")
		c.Log(got.out)
		c.says(c.sluice(user, "why", "secret-c", "-n", "science"), 3)
	}
	var view struct {
		Place int
		Ahead map[string]string
		On    struct{ Name, Wanted string }
	}
	c.decode(c.sluice(victor, "why", "mine", "-n", "science", "-o", "json"), &view)
	if view.Place != 2 || view.Ahead["cpu"] != "1" || view.On.Name != "shared" ||
		view.On.Wanted != "2" {
		c.Errorf("got %+v", view)
	}
}

// raw asks the API server as the user.
func (c *cluster) raw(user plane.User, path string) (string, error) {
	client, err := c.ClientFor(user.Name)
	if err != nil {
		c.Fatal(err)
	}
	body, err := client.CoreV1().RESTClient().Get().RequestURI(path).DoRaw(c.Context())
	return string(body), err
}

var ofScience = []string{"queues", "pending", "pending?limit=1", "pods/mine/why", "pods/left/why",
	"podgroups/gang/why"}

// No byte of any answer has a name of the other namespace.
func testNotTold(c *cluster) {
	for _, path := range ofScience {
		body, err := c.raw(victor, visibility+"science/"+path)
		if err != nil || !json.Valid([]byte(body)) {
			c.Errorf("%s is answered %v: %s", path, err, body)
		}
		if strings.Contains(body, foreign) {
			c.Errorf("%s names somebody of the other namespace:\n%s", path, body)
		}
	}
	for _, name := range []string{"pods/secret-c/why", "podgroups/secret/why", "workloads/x/why"} {
		if body, err := c.raw(victor, visibility+"science/"+name); !apierrors.IsNotFound(err) {
			c.Errorf("%s is answered %v: %s", name, err, body)
		}
	}
	for _, args := range [][]string{{"queues"}, {"pending"}, {"why", "mine"}, {"why", "left"},
		{"queues", "-o", "json"}, {"pending", "-o", "yaml"}, {"why", "podgroup/gang", "-o", "json"},
		{"__complete", "why", ""}} {
		got := c.sluice(alice, append(args, "-n", "science")...)
		if strings.Contains(got.String(), foreign) {
			c.Errorf("%v names somebody of the other namespace:\n%s", args, got)
		}
	}
}

func testOthersRefused(c *cluster) {
	for _, user := range []plane.User{alice, victor} {
		for _, path := range []string{"queues", "pending", "pods/secret-c/why",
			"podgroups/secret/why", "workloads/secret/why"} {
			if body, err := c.raw(user, visibility+"secret-lab/"+path); !apierrors.IsForbidden(err) {
				c.Errorf("%s asks for %s of another namespace: %v: %s", user.Name, path, err, body)
			}
		}
		for _, path := range []string{"queues", "pending"} {
			all := strings.TrimSuffix(visibility, "namespaces/") + path
			if body, err := c.raw(user, all); !apierrors.IsForbidden(err) {
				c.Errorf("%s asks for %s of all namespaces: %v: %s", user.Name, path, err, body)
			}
		}
		c.says(c.sluice(user, "why", "secret-c", "-n", "secret-lab"), 4,
			`cannot get resource "pods/why"`,
			"the role view, edit or admin of the namespace secret-lab gives it")
		c.says(c.sluice(user, "queues"), 4, "bind the Role sluice-viewer of kube-system",
			"the role view, edit or admin of the namespace default gives it")
	}
	body, err := c.raw(plane.User{Name: plane.Admin},
		strings.TrimSuffix(visibility, "namespaces/")+"queues")
	if err != nil || !strings.Contains(body, "secret-queue") {
		c.Errorf("who may see all namespaces is answered %v: %s", err, body)
	}
}

// Only the API server, by its certificate, may say for whom it asks.
func testForged(c *cluster) {
	replica := c.Replicas()[len(c.Replicas())-1]
	address := fmt.Sprintf("https://%s:%d", c.Address, replica.Port())
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer client.CloseIdleConnections()
	for _, token := range []string{"", c.REST(alice.Name).BearerToken} {
		for path, want := range map[string]int{
			visibility + "secret-lab/queues": http.StatusForbidden,
			visibility + "science/queues":    http.StatusOK,
		} {
			request, err := http.NewRequestWithContext(c.Context(), http.MethodGet, address+path, nil)
			if err != nil {
				c.Fatal(err)
			}
			request.Header.Set("X-Remote-User", plane.Admin)
			request.Header.Set("X-Remote-Group", "system:masters")
			if token == "" {
				want = http.StatusForbidden // as whoever is not known
			} else {
				request.Header.Set("Authorization", "Bearer "+token)
			}
			answer, err := client.Do(request)
			if err != nil {
				c.Fatal(err)
			}
			body, _ := io.ReadAll(answer.Body)
			_ = answer.Body.Close()
			if answer.StatusCode != want {
				c.Errorf("%s by nobody's certificate, token %t, is answered %d, want %d: %s", path,
					token != "", answer.StatusCode, want, body)
			}
		}
	}
}

// reviews are those that the scheduler has asked for, and that are about the group.
func (c *cluster) reviews() int {
	events, err := c.Audit()
	if err != nil {
		c.Fatal(err)
	}
	count := 0
	for _, event := range events {
		if event.ObjectRef != nil && event.ObjectRef.Resource == "subjectaccessreviews" &&
			strings.HasSuffix(event.User.Username, ":"+shipped.Name) {
			count++
		}
	}
	return count
}

func testReviews(c *cluster) {
	before := c.reviews()
	for i := range 10 {
		// Each is about a pod of its own, so that no review is one of before.
		if _, err := c.raw(victor, fmt.Sprintf("%sscience/pods/none-%d/why", visibility,
			i)); !apierrors.IsNotFound(err) {
			c.Errorf("%v", err)
		}
	}
	if asked := c.reviews() - before; asked > 10 {
		c.Errorf("10 questions cost %d reviews", asked)
	}
	before = c.reviews()
	for range 10 {
		if _, err := c.raw(victor, visibility+"science/pods/mine/why"); err != nil {
			c.Error(err)
		}
	}
	if asked := c.reviews() - before; asked > 2 {
		c.Errorf("10 times the same question cost %d reviews", asked)
	}
}

// The controller that deletes namespaces looks at every group of the API.
func testNamespaceGoes(c *cluster) {
	c.must("create", "namespace", "goes")
	ctx, cancel := context.WithTimeout(c.Context(), time.Minute)
	defer cancel()
	if out, err := c.Kubectl(ctx, "delete", "namespace", "goes", "--timeout=50s"); err != nil {
		c.Errorf("%v: %s", err, out)
	}
}
