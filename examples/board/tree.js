// SPDX-License-Identifier: Apache-2.0
// The tree of queues: which rows are in sight, in which order, and what each says.
"use strict";

const OPEN_AT_FIRST = 60; // rows: deeper queues of a larger tree are closed at first

class Tree {
  constructor(page) {
    this.page = page;
    this.rows = []; // {queue, depth, children}
    this.turned = new Map(); // queues that somebody opened (true) or closed
    this.list = new List($("tree"), {
      role: "treegrid", label: "Queues", height: 40,
      heads: ["Queue", "State", "Use", "Used", "Wait · ask for"],
      row: (i) => this.row(i),
      choose: (i) => page.openQueue(this.rows[i].queue.key, true),
      turn: (i, open) => this.turn(i, open),
      none: () => empty(this.wanted() ? "No queue is called so" : "There are no queues", this.wanted() ? "" : "They come with the first Queue or ClusterQueue."),
    });
    fill($("legend"), legend());
    for (const id of ["find", "sort", "same"]) $(id).addEventListener("input", () => this.show());
  }

  wanted() {
    return $("find").value.trim().toLowerCase();
  }

  order(resource) {
    const by = $("sort").value;
    const name = (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
    if (by === "waiting") return (a, b) => (b.waiting || 0) - (a.waiting || 0) || name(a, b);
    if (by === "used") return (a, b) => use(b, resource).used - use(a, resource).used || name(a, b);
    return name;
  }

  show() {
    const { page } = this;
    const queues = shownQueues(page.film.state);
    const children = childrenOf(queues);
    const order = this.order(page.resource);
    const wanted = this.wanted();
    let found = null;
    if (wanted) {
      found = new Set();
      const byKey = new Map(queues.map((queue) => [queue.key, queue]));
      for (const queue of queues)
        if (queue.name.toLowerCase().includes(wanted))
          for (let up = queue; up && !found.has(up.key); up = byKey.get(up.parent)) found.add(up.key);
    }
    this.rows = [];
    this.opened = this.openedAtFirst(children);
    const walk = (parent, depth) => {
      const here = (children.get(parent) || []).filter((queue) => !found || found.has(queue.key)).sort(order);
      here.forEach((queue, i) => {
        const below = (children.get(queue.key) || []).length;
        const open = below > 0 && (found !== null || this.isOpen(queue, depth));
        this.rows.push({ queue, depth, below, open, place: i + 1, of: here.length });
        if (open) walk(queue.key, depth + 1);
      });
    };
    walk("", 0);
    this.most = $("same").checked ? Math.max(1, ...queues.map((queue) => {
      const of = use(queue, page.resource);
      return Math.max(of.used, of.limit || 0);
    })) : 0;
    this.list.set(this.rows.length, this.rows.findIndex(({ queue }) => queue.key === page.queue));
  }

  // How many levels are open until somebody says otherwise.
  openedAtFirst(children) {
    let level = children.get("") || [];
    let rows = 0;
    let depth = 0;
    while (level.length > 0 && rows + level.length <= OPEN_AT_FIRST) {
      rows += level.length;
      level = level.flatMap((queue) => children.get(queue.key) || []);
      depth++;
    }
    return depth - 1;
  }

  isOpen(queue, depth) {
    const turned = this.turned.get(queue.key);
    return turned === undefined ? depth < this.opened : turned;
  }

  turn(i, open) {
    const { queue, below, open: is, depth } = this.rows[i];
    if (below > 0 && is !== open) {
      this.turned.set(queue.key, open);
      this.show();
    } else if (!open && depth > 0) {
      let up = i;
      while (this.rows[up].depth >= depth) up--;
      this.list.show(up);
      this.list.take(up);
    }
  }

  // Opens what is above a queue, so that it is in sight.
  reveal(key) {
    const byKey = this.page.film.state.queues;
    const seen = new Set([key]);
    for (let up = byKey.get((byKey.get(key) || {}).parent); up && !seen.has(up.key); up = byKey.get(up.parent)) {
      seen.add(up.key);
      this.turned.set(up.key, true);
    }
  }

  row(i) {
    const { queue, depth, below, open, place, of: siblings } = this.rows[i];
    const resource = this.page.resource;
    const of = use(queue, resource);
    const name = make("span", { class: "name", title: `${queue.kind} ${queue.name}` },
      make("span", { class: `turn${below ? open ? " open" : " closed" : ""}`, "aria-hidden": "true",
        onclick: (event) => { if (below) { event.stopPropagation(); this.list.current = i; this.turn(i, !open); } } }),
      make("span", { class: "text" }, queue.name), queue.kind === "Queue" ? null : make("small", {}, queue.kind === "Cohort" ? "cohort" : ""));
    name.style.paddingLeft = `${depth * 18}px`;
    const say = (value) => amount(resource, value);
    return {
      about: { "aria-level": depth + 1, "aria-posinset": place, "aria-setsize": siblings, "aria-expanded": below ? String(open) : null },
      cells: [
        cell({ class: "c-name" }, name),
        cell({ class: "c-state" }, queue.state === "Open" ? make("span", { class: "quiet" }, "Open") : badge(queue.state, queue.reason)),
        cell({ class: "c-bar" }, of.is ? bar(resource, of, this.most) : make("span", { class: "quiet" }, "–")),
        cell({ class: "c-used" }, of.is ? [make("b", {}, say(of.used)), of.limit !== null ? ` of ${say(of.limit)}` : of.share ? `, owns ${say(of.share)}` : ""] : ""),
        cell({ class: "c-waits" }, queue.waiting ? [make("b", {}, queue.waiting.toLocaleString("en")), of.asked ? ` · ${say(of.asked)}` : ""] : make("span", { class: "quiet" }, "–")),
      ],
    };
  }
}
