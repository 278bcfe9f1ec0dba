// SPDX-License-Identifier: Apache-2.0

package host

import (
	"errors"
	"strings"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"sluice/kube-scheduler/sluice"
)

// Refused is the answer about an object that is there, and that the engine cannot use.
type Refused struct{ Object, Why string }

func (r *Refused) Error() string { return r.Object + " was refused: " + r.Why }

// refusals are the objects that the engine cannot use. It does not know them, or only as they were
// before; so whoever asks for them must not be told that they do not exist.
type refusals struct {
	mutex   sync.RWMutex
	objects map[string]*Refused // by what the engine calls them: queue q
	uids    map[string]string   // of refused pods
}

// What the engine calls a queue, in its messages.
var queueWords = map[string]string{sluice.KindQueue: "queue ",
	sluice.KindClusterQueue: "cluster queue ", sluice.KindCohort: "cohort "}

func wordsFor(object runtime.Object) (words, uid string) {
	switch one := object.(type) {
	case *v1.Pod:
		return "pod " + one.Namespace + "/" + one.Name, string(one.UID)
	case *unstructured.Unstructured:
		if word, is := queueWords[one.GetKind()]; is {
			return word + one.GetName(), ""
		}
	}
	return "", ""
}

// note keeps why the object was refused, or forgets it: it was not.
func (r *refusals) note(object runtime.Object, err error) {
	words, uid := wordsFor(object)
	if words == "" {
		return
	}
	if err == nil && r.find(words) == nil {
		return
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if err == nil {
		delete(r.objects, words)
		delete(r.uids, uid)
		return
	}
	if r.objects == nil {
		r.objects, r.uids = map[string]*Refused{}, map[string]string{}
	}
	r.objects[words] = &Refused{words, err.Error()}
	if uid != "" {
		r.uids[uid] = words
	}
}

func (r *refusals) find(words string) *Refused {
	r.mutex.RLock()
	defer r.mutex.RUnlock()
	return r.objects[words]
}

// asked is the refusal of the object that a question is about; nil: it was not refused.
func (r *refusals) asked(q sluice.Query) *Refused {
	switch {
	case q.What == "queue":
		return r.find(queueWords[q.Kind] + q.Name)
	case q.What != "pod":
		return nil
	case q.UID == "":
		return r.find("pod " + q.Namespace + "/" + q.Name)
	}
	r.mutex.RLock()
	defer r.mutex.RUnlock()
	return r.objects[r.uids[q.UID]]
}

// explain corrects what the engine says of a queue that it was told about in vain.
func (r *refusals) explain(message string) string {
	if words, absent := strings.CutSuffix(message, " does not exist"); absent {
		if refused := r.find(words); refused != nil {
			return refused.Error()
		}
	}
	return message
}

// complete adds to an answer what the engine cannot know.
func (r *refusals) complete(q sluice.Query, answer map[string]any, err error) error {
	refused := r.asked(q)
	var unknown *sluice.Error
	switch {
	case refused != nil && errors.As(err, &unknown) && unknown.Code == sluice.CodeField:
		return refused
	case err != nil:
		return err
	case refused != nil:
		answer["refused"] = refused.Why
	}
	if message, is := answer["message"].(string); is {
		answer["message"] = r.explain(message)
	}
	return nil
}
