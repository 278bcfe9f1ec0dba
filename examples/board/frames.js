// SPDX-License-Identifier: Apache-2.0
// What is known at one time, and how frames change it (README.md says what is in one).
"use strict";

const KINDS = ["queues", "claims", "nodes", "clusters", "dispatches"];

// Rows are never changed, only replaced: so a state is copied by copying its maps.
class State {
  constructor(from) {
    for (const kind of [...KINDS, "lines"]) this[kind] = new Map(from ? from[kind] : []);
    this.at = from ? from.at : 0;
    this.events = from ? from.events : 0; // how many have happened
  }

  apply(frame) {
    if (frame.whole) for (const kind of [...KINDS, "lines"]) this[kind].clear();
    this.at = frame.at;
    for (const kind of KINDS)
      for (const row of frame[kind] || []) this[kind].set(row.key, row);
    for (const { queue, at, drop, put } of frame.lines || []) {
      const line = [...(this.lines.get(queue) || [])];
      this.lines.set(queue, [...line.slice(0, at), ...put, ...line.slice(at + drop)]);
    }
    for (const [kind, key] of frame.gone || []) this[kind].delete(key);
    this.events += (frame.events || []).length;
  }
}

const APART = 64; // frames between two states that are kept

// All frames of a story or a recording, or those of a cluster so far.
class Film {
  constructor(about) {
    this.about = about;
    this.frames = [];
    this.events = [];
    this.kept = []; // states before each APART-th frame
    this.past = new Map(); // of each queue, by key: [{at, row}] whenever it became another
    this.state = new State();
    this.at = -1; // the frame that the state shows
    for (const frame of about.frames) this.note(frame);
    this.end = this.frames.length ? this.frames[this.frames.length - 1].at : 0;
  }

  note(frame) {
    this.frames.push(frame);
    for (const event of frame.events || []) this.events.push(event);
    for (const row of frame.queues || []) this.remember(frame.at, row);
  }

  remember(at, row) {
    let past = this.past.get(row.key);
    if (!past) this.past.set(row.key, (past = []));
    const before = past.length ? past[past.length - 1].row : null;
    if (before && figuresOf(before) === figuresOf(row)) return;
    past.push({ at, row });
    if (past.length > 4000) past.splice(0, 1000);
  }

  // A cluster's next frame: those before are over, but for how the queues were used.
  follow(frame) {
    this.events = frame.whole ? frame.events || [] : [...this.events, ...(frame.events || [])];
    for (const row of frame.queues || []) this.remember(frame.at, row);
    this.state.apply(frame);
    this.end = frame.at;
  }

  seek(at) {
    at = Math.max(0, Math.min(at, this.frames.length - 1));
    if (at < this.at || at > this.at + APART) {
      const near = Math.min(Math.floor(at / APART), this.kept.length - 1);
      if (near >= 0 && (at < this.at || near * APART > this.at)) {
        this.state = new State(this.kept[near]);
        this.at = near * APART - 1;
      }
    }
    while (this.at < at) {
      this.at++;
      if (this.at % APART === 0 && this.kept.length === this.at / APART) this.kept.push(new State(this.state));
      this.state.apply(this.frames[this.at]);
    }
  }

  // The last frame that is not after a time.
  frameAt(ms) {
    let low = 0;
    let high = this.frames.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.frames[middle].at <= ms) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

const figuresOf = (row) => row.state + row.waiting + JSON.stringify(row.quota);

// A queue's use of a resource, its flavors together. limit null: there is none.
function use(queue, resource, flavor) {
  const sum = { allocated: 0, reserved: 0, borrowed: 0, share: 0, limit: 0, asked: 0, is: false };
  for (const row of queue.quota) {
    if (row.resource !== resource || (flavor !== undefined && row.flavor !== flavor)) continue;
    sum.is = true;
    for (const key of ["allocated", "reserved", "borrowed", "share"]) sum[key] += row[key] || 0;
    sum.limit = sum.limit === null || row.ceiling === undefined ? null : sum.limit + row.ceiling;
  }
  sum.used = sum.allocated + sum.reserved;
  sum.asked = flavor === undefined ? (queue.asks || {})[resource] || 0 : 0;
  sum.is = sum.is || sum.asked > 0;
  if (!sum.is) sum.limit = null;
  return sum;
}

function resourcesOf(state) {
  const found = new Set();
  for (const queue of state.queues.values()) {
    for (const row of queue.quota) found.add(row.resource);
    for (const name of Object.keys(queue.asks || {})) found.add(name);
  }
  for (const cluster of state.clusters.values()) for (const name of Object.keys(cluster.quota || {})) found.add(name);
  return [...found].sort(byScarcity);
}

// Volcano's own queues are always there: in a story that is not about them they say nothing.
function shownQueues(state) {
  const all = [...state.queues.values()];
  const idle = (queue) => !(queue.waiting || queue.held || queue.reserved || queue.allocated);
  const builtIn = (queue) => queue.kind === "Queue" && (queue.name === "root" || queue.name === "default");
  const others = all.some((queue) => queue.kind === "Queue" && !builtIn(queue));
  return all.filter((queue) => {
    if (!builtIn(queue) || !idle(queue)) return true;
    if (queue.name === "default") return all.length <= 2;
    return others || all.length <= 2;
  });
}

// Children by the key of their parent; under "" those that have none, or a parent that is not there.
// Of queues that are each other's parents the first is taken for the top.
function childrenOf(queues) {
  const byKey = new Map(queues.map((queue) => [queue.key, queue]));
  const children = new Map();
  for (const queue of queues) {
    const seen = new Set([queue.key]);
    let up = byKey.get(queue.parent);
    while (up && !seen.has(up.key)) {
      seen.add(up.key);
      up = byKey.get(up.parent);
    }
    const circles = up !== undefined && up.key === queue.key && [...seen].every((key) => queue.key <= key);
    const parent = byKey.has(queue.parent) && !circles ? queue.parent : "";
    if (!children.has(parent)) children.set(parent, []);
    children.get(parent).push(queue);
  }
  return children;
}
