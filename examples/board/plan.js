// SPDX-License-Identifier: Apache-2.0
// A plan: what each queue saw under each of several clusters, side by side, and which of these the
// other views play.
"use strict";

const fileOf = (path) => path.slice(path.lastIndexOf("/") + 1);

// What is compared: how a figure is said, and whether less of it is better (-1), or more (1).
const FIGURES = [
  { head: "Wait p50", of: (queue) => queue.waitP50, say: (s) => (s < 0 ? "–" : duration(s * 1000)), better: -1 },
  { head: "Wait p95", of: (queue) => queue.waitP95, say: (s) => (s < 0 ? "–" : duration(s * 1000)), better: -1 },
  { head: "Started", of: (queue) => queue.started, say: (n) => n.toLocaleString("en"), better: 1 },
  { head: "Waiting", of: (queue) => queue.waiting, say: (n) => n.toLocaleString("en"), better: -1 },
  { head: "Evicted", of: (queue) => queue.evictions, say: (n) => n.toLocaleString("en"), better: -1 },
  { head: "CPU hours", of: (queue) => queue.cpuHours, say: figures, better: 0 },
  { head: "GPU hours", of: (queue) => queue.gpuHours, say: figures, better: 0 },
  { head: "Borrowed hours", of: (queue) => queue.borrowedGpuHours || queue.borrowedCpuHours, say: figures, better: 0 },
];

class Plan {
  constructor(page, told) {
    this.page = page;
    this.told = told;
    this.films = told.plans.map(({ board }) => new Film(board));
    this.names = told.plans.map(({ story }) => fileOf(story));
    this.side = Math.max(0, this.names.indexOf(page.noted.get("side")));
    this.rows = this.queues();
    this.sort();
    const sides = told.plans.length;
    const nothing = (figure) => this.rows.every(({ of }) => of.every((queue) => !queue || !figure.of(queue)));
    this.figures = FIGURES.filter((figure) => !figure.head.endsWith("hours") || !nothing(figure));
    $("plan").style.setProperty("--figures", this.figures.length);
    this.list = new List($("plan"), {
      role: "grid", label: "What each queue saw", height: 14 + 22 * sides,
      heads: ["Queue", "Cluster", ...this.figures.map(({ head }) => head)],
      choose: (i, enter) => this.choose(this.rows[i], enter),
      row: (i) => this.row(this.rows[i]),
      none: () => empty("Nothing arrived", "The trace has no arrival in any queue."),
    });
    $("sides").hidden = false;
    fill($("side-of"), this.names.map((name, i) => make("option", { value: i }, name)));
    $("side-of").addEventListener("change", () => this.turnTo(Number($("side-of").value)));
    $("order").addEventListener("change", () => {
      this.sort();
      this.show();
    });
  }

  // All queues together, and each of them: what it was under each cluster.
  queues() {
    const { plans } = this.told;
    const keys = this.keys();
    const by = new Map();
    plans.forEach((plan, i) => plan.queues.forEach((queue) => {
      if (!by.has(queue.name)) by.set(queue.name, { name: queue.name, key: keys.get((queue.name.includes("/") ? queue.name : `Queue/${queue.name}`).toLowerCase()) || "", of: plans.map(() => null) });
      by.get(queue.name).of[i] = queue;
    }));
    return [{ name: "", key: "", of: plans }, ...by.values()];
  }

  // What the other views call the queues, by how a trace names them: of Volcano's it leaves out the
  // kind. A LocalQueue is not shown by itself.
  keys() {
    return new Map(this.films.flatMap((film) => [...film.past.keys()].map((key) => [key.toLowerCase(), key])));
  }

  film() {
    return this.films[this.side];
  }

  title() {
    return `Plan of ${fileOf(this.told.trace)}`;
  }

  // The other views play this cluster from now on, at the same time.
  turnTo(side) {
    this.side = side;
    this.page.note("side", this.names[side]);
    this.page.play(this.film());
  }

  choose({ key }, enter) {
    if (key) this.page.openQueue(key, !enter);
  }

  // All queues together come first.
  sort() {
    const changes = new Map(this.rows.map((row) => [row, $("order").value === "change" ? changeOf(row) : 0]));
    this.rows.sort((a, b) => (a.name === "" ? -1 : b.name === "" ? 1 : changes.get(b) - changes.get(a) || (a.name < b.name ? -1 : 1)));
  }

  row({ name, key, of }) {
    const lines = (each) => of.map((queue, i) => make("span", { class: `line${i === this.side ? " played" : ""}` }, queue ? each(queue, i) : "–"));
    return { about: { "aria-label": `${name || "all queues"}: ${this.figures.map(({ head, of: get, say }) => `${head} ${of.map((queue) => (queue ? say(get(queue)) : "none")).join(", ")}`).join("; ")}` }, cells: [
      cell({ class: "text", title: name }, key ? link(name, (event) => { event.stopPropagation(); this.page.openQueue(key); }, { tabindex: -1 }) : name || "all queues"),
      cell({ class: "lines" }, lines((_, i) => make("span", { class: "text", title: this.told.plans[i].story }, this.names[i]))),
      this.figures.map((figure) => cell({ class: "lines n" }, lines((queue, i) => [
        i > 0 && of[0] ? this.turned(figure, figure.of(of[0]), figure.of(queue)) : null, figure.say(figure.of(queue))]))),
    ] };
  }

  // An arrow where a figure is another one than in the first cluster, coloured where that is good
  // or bad. A wait that there is not, since nobody started, is longer than any.
  turned({ better }, before, now) {
    const [from, to] = [before, now].map((value) => (value < 0 ? Infinity : value));
    if (from === to || figures(from) === figures(to)) return null;
    const good = better === 0 ? "" : (to > from) === (better > 0) ? "good" : "bad";
    return make("i", { class: `turned ${good}`, title: good === "good" ? "better" : good === "bad" ? "worse" : "other" }, to > from ? "↑" : "↓");
  }

  show() {
    const { plans, arrivals, pods, restsOn } = this.told;
    $("side-of").value = String(this.side);
    fill($("planned"), plans.map((plan, i) => make("div", { class: "tile" }, make("h3", {}, this.names[i], i === 0 ? make("small", {}, "to begin with") : null),
      facts([["nodes bought", plan.nodesBought.toLocaleString("en")], ["node hours", figures(plan.nodeHours)], ["the last pod ended", plan.ended < 0 ? "" : `after ${duration(plan.ended * 1000)}`]]),
      i === this.side ? make("p", { class: "hint" }, "The other views play this one.") : link("Play this one", () => this.turnTo(i)))));
    this.list.set(this.rows.length, this.rows.findIndex(({ key }) => key && key === this.page.queue));
    fill($("rests"), `This rests on ${many(arrivals, "arrival")} of ${many(pods, "pod")} in ${this.told.trace}. Each runs as long as there, on whatever node, and begins anew if it was evicted.`, restsOn.map((note) => ` ${note}.`));
  }
}

// How much a queue's wait changes at most, in seconds, and what else of it does.
function changeOf({ of: [first, ...others] }) {
  const value = (queue, get) => (queue ? Math.max(0, get(queue)) : 0);
  return Math.max(0, ...others.map((other) => FIGURES.reduce((sum, { of: get }) => sum + Math.abs(value(other, get) - value(first, get)), 0)));
}
