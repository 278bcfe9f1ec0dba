// SPDX-License-Identifier: Apache-2.0
// The page: which view is shown, of which queue and claim, of which resource; and what it is about.
"use strict";

const VIEWS = [["queues", "Queues"], ["groups", "Gangs and workloads"], ["places", "Nodes and clusters"], ["evictions", "Evictions"], ["events", "Events"]];

class Page {
  constructor() {
    const asked = new URLSearchParams(location.hash.slice(1));
    this.noted = asked;
    this.view = asked.get("view") || "";
    this.queue = asked.get("queue") || "";
    this.claim = asked.get("claim") || "";
    this.resource = asked.get("resource") || "";
    this.theme(asked.get("theme") || "");
    $("theme").addEventListener("click", () => this.theme(this.isDark() ? "light" : "dark"));
    $("resource").addEventListener("change", () => {
      this.resource = $("resource").value;
      this.note("resource", this.resource);
      this.show();
    });
  }

  isLive() {
    return Boolean(this.live);
  }

  isDark() {
    return document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  theme(name) {
    if (name === "dark" || name === "light") {
      document.documentElement.dataset.theme = name;
      this.note("theme", name);
    }
    $("theme").textContent = this.isDark() ? "Light" : "Dark";
    $("theme").setAttribute("aria-pressed", String(this.isDark()));
  }

  // Where one is can be sent to others: it stands in the address.
  note(name, value) {
    if (value) this.noted.set(name, value);
    else this.noted.delete(name);
    clearTimeout(this.noting);
    this.noting = setTimeout(() => history.replaceState(null, "", `#${this.noted}`), 200);
  }

  trouble(text) {
    $("trouble").hidden = !text;
    $("trouble").textContent = text;
  }

  // Of a plan, or else of what has these frames.
  begin(about) {
    this.plan = about.plans ? new Plan(this, about) : null;
    this.film = this.plan ? this.plan.film() : new Film(about);
    const title = this.plan ? this.plan.title() : about.title;
    document.title = `${title || "queues"} – sluice`;
    $("title").textContent = title || "Queues";
    $("about").textContent = (about.about || "").split("\n\n")[0];
    this.offered = this.plan ? [["plan", "Plan"], ...VIEWS] : VIEWS;
    if (!this.offered.some(([id]) => id === this.view)) [[this.view]] = this.offered;
    fill($("tabs"), this.offered.map(([id, name]) => make("button", { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `view-${id}`, onclick: () => this.open(id), onkeydown: (event) => this.tabKey(event) },
      name, make("small", { id: `count-${id}` }))));
    this.tree = new Tree(this);
    this.side = new QueueSide(this, $("side"));
    this.views = {
      plan: this.plan,
      queues: { show: () => { this.tree.show(); this.side.show(); } },
      groups: new GroupsView(this),
      places: new PlacesView(this),
      evictions: new EventsView(this, $("evictions"), "Evictions", isEviction, () => empty("No evictions", this.live ? "The API server keeps events of them for an hour, for those who may list events." : "Here is who had to go, when, and for whom.")),
      events: new EventsView(this, $("events"), "What happened", () => true, () => empty("Nothing has happened yet", this.live ? "Of a cluster evictions are told here; kubectl get events has the rest." : "")),
    };
    if (!this.live) {
      this.time = new Time(this);
      const at = this.noted.get("at");
      this.time.go(at === null ? this.film.end : Number(at) || 0);
    }
    this.show();
  }

  // Another film, at the same time.
  play(film) {
    this.film = film;
    this.time.take(film);
    this.time.go(this.time.ms);
    this.show();
  }

  tabKey(event) {
    const { offered } = this;
    const at = offered.findIndex(([id]) => id === this.view);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: offered.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.open(offered[(to + offered.length) % offered.length][0]);
    $(`tab-${this.view}`).focus();
  }

  open(view) {
    this.view = view;
    this.note("view", view);
    this.show();
  }

  openQueue(key, stay) {
    this.queue = key;
    this.note("queue", key);
    if (!stay) {
      this.view = "queues";
      this.note("view", "queues");
      this.tree.reveal(key);
    }
    if (this.live && this.live.hurry) this.live.hurry();
    this.show();
  }

  openClaim(key, stay) {
    this.claim = key;
    this.note("claim", key);
    const claim = this.film.state.claims.get(key);
    if (!stay && claim) {
      if (claim.kind === "Pod") return this.openQueue(claim.queue);
      this.view = "groups";
      this.note("view", "groups");
    }
    if (this.live && this.live.hurry) this.live.hurry();
    this.show();
    for (const card of document.querySelectorAll(".why")) card.scrollIntoView({ block: "nearest" });
    return null;
  }

  chooseResource() {
    const all = resourcesOf(this.film.state);
    if (!this.resource) {
      const used = all.find((name) => [...this.film.state.queues.values()].some((queue) => use(queue, name).used > 0));
      this.resource = all.find((name) => scarcity(name) === 0) || used || all[0] || "";
    }
    const names = all.includes(this.resource) || !this.resource ? all : [this.resource, ...all];
    const there = [...$("resource").options].map((option) => option.value);
    if (names.join() !== there.join()) fill($("resource"), names.map((name) => make("option", { value: name }, name)));
    $("resource").value = this.resource;
  }

  // The whole tree in one line: the sum of those that are above all others.
  sum() {
    const { state } = this.film;
    const queues = shownQueues(state);
    const total = { allocated: 0, reserved: 0, borrowed: 0, share: 0, asked: 0, limit: 0 };
    const children = childrenOf(queues);
    const tops = children.get("") || [];
    const limitOf = (queue, depth) => {
      const own = use(queue, this.resource);
      if (own.limit !== null) return own.limit;
      const below = children.get(queue.key) || [];
      if (below.length === 0 || depth > 8) return own.is && own.used + own.asked > 0 ? null : 0;
      return below.reduce((sum, child) => { const one = limitOf(child, depth + 1); return sum === null || one === null ? null : sum + one; }, 0);
    };
    const counts = { allocated: 0, reserved: 0, waiting: 0, held: 0 };
    for (const queue of tops) {
      const of = use(queue, this.resource);
      for (const key of ["allocated", "reserved", "asked"]) total[key] += of[key];
      for (const key of Object.keys(counts)) counts[key] += queue[key] || 0;
      const limit = limitOf(queue, 0);
      total.limit = total.limit === null || limit === null ? null : total.limit + limit;
    }
    if (total.limit === 0 && total.allocated === 0) this.addClusters(total);
    total.used = total.allocated + total.reserved;
    if (total.limit === 0 && total.used > 0) total.limit = null;
    for (const queue of queues) if (queue.leaf) total.borrowed += use(queue, this.resource).borrowed;
    return { total, counts };
  }

  // Where the queues have no quota of their own it is that of the worker clusters.
  addClusters(total) {
    for (const cluster of this.film.state.clusters.values()) {
      const of = useOf(cluster.quota, cluster.used, this.resource);
      total.allocated += of.used;
      total.limit += of.limit;
    }
  }

  showSum() {
    if (!this.resource) return fill($("sum"), empty("No quota yet", "Queues that say what they may use will fill this line."));
    const { total, counts } = this.sum();
    const say = (value) => amount(this.resource, value);
    const figure = (cls, value, word, more) => make("div", { class: `figure ${cls}` }, make("i", { class: `swatch part ${cls}` }), make("b", {}, value), make("span", {}, word), make("small", {}, more));
    const free = total.limit === null ? null : Math.max(0, total.limit - total.used);
    return fill($("sum"),
      make("div", { class: "figures" },
        figure("allocated", say(total.allocated), "running", many(counts.allocated, "claim")),
        figure("reserved", say(total.reserved), "reserved, no node yet", many(counts.reserved, "claim")),
        figure("free", free === null ? "–" : say(free), free === null ? "no limit is said" : `free of ${say(total.limit)} ${short(this.resource)}`, ""),
        figure("asked", say(total.asked), "asked for", `${many(counts.waiting, "claim waits", "claims wait")}${counts.held ? `, ${counts.held.toLocaleString("en")} held` : ""}`),
        figure("borrowed", say(total.borrowed), "borrowed", "beyond the queues' own shares")),
      bar(this.resource, { ...total, share: 0 }));
  }

  show() {
    const { state, events } = this.film;
    this.chooseResource();
    this.showSum();
    if (!this.queue) this.queue = this.firstQueue();
    const counts = {
      groups: [...state.claims.values()].filter((claim) => claim.kind !== "Pod").length,
      places: state.nodes.size + state.clusters.size,
      evictions: (this.live ? events : events.slice(0, state.events)).filter(isEviction).length,
    };
    for (const [id] of this.offered) {
      const is = id === this.view;
      $(`view-${id}`).hidden = !is;
      $(`tab-${id}`).setAttribute("aria-selected", String(is));
      $(`tab-${id}`).tabIndex = is ? 0 : -1;
      $(`count-${id}`).textContent = counts[id] ? counts[id].toLocaleString("en") : "";
    }
    this.views[this.view].show();
    $("clock").textContent = this.live ? `live · ${moment("wall", state.at)}` : "";
  }

  // The one where most waits, or else that is used most.
  firstQueue() {
    const leaves = shownQueues(this.film.state).filter((queue) => queue.leaf);
    const rank = (queue) => (queue.waiting || 0) * 1e6 + (queue.allocated || 0) + (queue.reserved || 0);
    return leaves.reduce((best, queue) => (!best || rank(queue) > rank(best) ? queue : best), null)?.key || "";
  }
}

const page = new Page();
const told = $("frames").textContent;
if (told.trim()) page.begin(JSON.parse(told));
else {
  page.live = new Live(page);
  page.live.follow((about) => page.begin({ ...about, frames: [] }));
}
document.documentElement.dataset.ready = "yes";
