// SPDX-License-Identifier: Apache-2.0

package door

import (
	"container/list"
	"net"
	"sync"
)

// Listener takes so many connections at a time. When one more comes, the oldest one of the address
// that has most is closed: a crowd from one place closes its own.
func Listener(inner net.Listener, most int) net.Listener {
	return &listener{Listener: inner, most: most, by: map[string]*list.List{}}
}

type listener struct {
	net.Listener
	most int

	mutex sync.Mutex
	count int
	by    map[string]*list.List // of *connection, the oldest first
}

type connection struct {
	net.Conn
	listener *listener
	who      string
	place    *list.Element // nil: closed
}

// Accept is the next connection.
func (l *listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	who, _, err := net.SplitHostPort(conn.RemoteAddr().String())
	if err != nil {
		who = conn.RemoteAddr().String()
	}
	one := &connection{Conn: conn, listener: l, who: who}
	if last := l.enter(one); last != nil {
		_ = last.Close()
	}
	return one, nil
}

// enter counts a connection, and returns the one that has to go for it.
func (l *listener) enter(one *connection) (last *connection) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.by[one.who] == nil {
		l.by[one.who] = list.New()
	}
	one.place = l.by[one.who].PushBack(one)
	l.count++
	if l.count <= l.most {
		return nil
	}
	var crowd *list.List
	for _, each := range l.by {
		if crowd == nil || each.Len() > crowd.Len() {
			crowd = each
		}
	}
	return crowd.Front().Value.(*connection)
}

// Close closes it, and makes room for another one.
func (c *connection) Close() error {
	c.listener.leave(c)
	return c.Conn.Close()
}

func (l *listener) leave(one *connection) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if one.place == nil {
		return
	}
	all := l.by[one.who]
	all.Remove(one.place)
	one.place = nil
	l.count--
	if all.Len() == 0 {
		delete(l.by, one.who)
	}
}
