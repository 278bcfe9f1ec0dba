// SPDX-License-Identifier: Apache-2.0
// One queue: what is used of what, over time, who waits in which order and why, who holds its room.
"use strict";

class QueueSide {
  constructor(page, host) {
    this.page = page;
    this.host = host;
    this.head = make("div", { class: "head" });
    this.use = make("div", {});
    this.time = make("div", {});
    this.waitHead = make("h3", {});
    this.waitHost = make("div", { class: "list waits" });
    this.card = make("div", { class: "whyhost", "aria-live": "polite" });
    this.holdHead = make("h3", {});
    this.holdHost = make("div", { class: "list holds" });
    this.sheet = make("div", { class: "sheet" }, this.head, this.use, this.time, this.waitHead, this.waitHost, this.card, this.holdHead, this.holdHost);
    this.blank = empty("Choose a queue", "Its quota, its use over time and who waits in it are shown here.");
    fill(host, this.sheet, this.blank);
    this.waits = this.claims(this.waitHost, "Who waits, in order", () => this.waiting, () =>
      empty("Nobody waits here", "Whatever asks for room in this queue gets it at once."));
    this.holds = this.claims(this.holdHost, "Who holds room", () => this.holding, () =>
      empty("Nobody holds room here", page.isLive() ? "Gangs and workloads are listed; lone pods that run are not." : ""));
  }

  claims(host, label, rows, none) {
    return new List(host, {
      role: "listbox", label, height: 36, none,
      choose: (i) => this.page.openClaim(rows()[i].key, true),
      row: (i) => this.row(rows()[i], rows() === this.waiting ? i + 1 : 0),
    });
  }

  row(claim, place) {
    const lacks = claim.state === "waiting" || claim.state === "held";
    return {
      about: { "aria-label": `${place ? `${place}. ` : ""}${titleOf(claim)}, ${claim.kind}, ${claim.state}, asks for ${amounts(claim.asks)}` },
      cells: [
        make("span", { class: "place" }, place ? place.toLocaleString("en") : ""),
        make("span", { class: "text", title: titleOf(claim) }, titleOf(claim)),
        make("small", { class: "kind" }, claim.kind === "Pod" ? "" : claim.kind),
        make("span", { class: "asks" }, claim.asks ? amounts(claim.asks) : ""),
        lacks ? make("span", { class: "eta" }, claim.estimate !== undefined && claim.state === "waiting" ? `~${duration(claim.estimate)}` : claim.reason || "") : badge(claim.state, claim.reason),
      ],
    };
  }

  // What is in this queue, and below it.
  collect(queue) {
    const { state } = this.page.film;
    const line = state.lines.get(queue.key) || [];
    this.waiting = line.map((key) => state.claims.get(key) || { key, kind: "Pod", namespace: "", name: key, state: "waiting" });
    const inside = new Set([queue.key]);
    const children = childrenOf([...state.queues.values()]);
    const walk = (key) => (children.get(key) || []).forEach((child) => {
      if (inside.has(child.key)) return;
      inside.add(child.key);
      walk(child.key);
    });
    walk(queue.key);
    const rank = { allocated: 0, reserved: 1, held: 2 };
    this.holding = [...state.claims.values()].filter((claim) => inside.has(claim.queue) && (claim.state in rank || claim.state === "granted") && !(claim.kind === "Gang" && claim.state === "held" && !claim.pods))
      .filter((claim) => claim.kind !== "Gang" || claim.state === "held")
      .sort((a, b) => rank[a.state] - rank[b.state] || (a.granted || 0) - (b.granted || 0) || (a.name < b.name ? -1 : 1));
  }

  show() {
    const { page } = this;
    const queue = page.film.state.queues.get(page.queue);
    this.sheet.hidden = !queue;
    this.blank.hidden = Boolean(queue);
    if (!queue) return;
    this.collect(queue);
    fill(this.head, make("h2", {}, queue.name), make("span", { class: "kind" }, queue.kind), badge(queue.state, queue.reason),
      queue.reason ? make("span", { class: "quiet" }, queue.reason) : null, page.live ? page.live.deeds(queue) : null);
    this.showUse(queue);
    const past = page.film.past.get(queue.key) || [];
    const from = page.isLive() ? (past[0] || { at: page.film.end }).at : 0;
    fill(this.time, make("h3", {}, `${page.resource ? short(page.resource) : "Use"} over time`),
      page.resource ? chart(past, page.resource, page.film.about.clock, from, Math.max(page.film.end, from + 1), page.film.state.at, page.isLive() ? null : (at) => page.time.go(at)) : null);
    this.showLists(queue);
  }

  showUse(queue) {
    const rows = queue.quota.filter((row) => row.ceiling !== undefined || row.share || row.allocated || row.reserved)
      .sort((a, b) => byScarcity(a.resource, b.resource) || (a.flavor < b.flavor ? -1 : 1));
    const flavors = rows.some((row) => row.flavor !== "default");
    fill(this.use, rows.length === 0 ? empty("No quota", queue.leaf ? "This queue has no limit of its own, and nothing is used." : "Nothing is used below it.")
      : make("table", { class: "quota" }, make("caption", { class: "hidden" }, `Quota of ${queue.name}`),
        make("thead", {}, make("tr", {}, ["Resource", flavors ? "Flavor" : null, "Use", "Used", "Reserved", "Borrowed", "Share", "Limit"].filter((text) => text !== null).map((text) => make("th", { scope: "col" }, text)))),
        make("tbody", {}, rows.map((row) => {
          const of = use(queue, row.resource, row.flavor);
          const say = (value) => (value ? amount(row.resource, value) : "–");
          return make("tr", { class: row.resource === this.page.resource ? "meant" : "" },
            make("th", { scope: "row", title: row.resource }, short(row.resource)), flavors ? make("td", {}, row.flavor) : null, make("td", { class: "c-bar" }, bar(row.resource, of)),
            [say(of.used), say(of.reserved), say(of.borrowed), say(of.share), of.limit === null ? "none" : amount(row.resource, of.limit)].map((text) => make("td", { class: "n" }, text)));
        }))));
  }

  showLists(queue) {
    const { page } = this;
    const waits = queue.waiting || 0;
    fill(this.waitHead, "Who waits, in order ", make("small", {}, waits.toLocaleString("en")));
    if (!queue.leaf && this.waiting.length === 0) {
      this.waits.none = () => empty(waits ? `${many(waits, "claim waits", "claims wait")} in the queues below` : "Nobody waits below", waits ? "Open one of them to see its line." : "");
    } else if (waits > 0 && this.waiting.length === 0) this.waits.none = () => empty("Asking for its line …");
    else this.waits.none = () => empty("Nobody waits here", "Whatever asks for room in this queue gets it at once.");
    const at = this.waiting.findIndex((claim) => claim.key === page.claim);
    this.waits.set(this.waiting.length, at);
    this.waitHost.style.setProperty("--rows", Math.min(8, Math.max(1, this.waiting.length)));
    const held = this.holding.findIndex((claim) => claim.key === page.claim);
    fill(this.holdHead, "Who holds room, or is held ", make("small", {}, this.holding.length.toLocaleString("en")));
    this.holds.set(this.holding.length, held);
    this.holdHost.style.setProperty("--rows", Math.min(8, Math.max(1, this.holding.length)));
    const claim = page.film.state.claims.get(page.claim);
    fill(this.card, claim && (at >= 0 || held >= 0) ? why(claim, at + 1, page)
      : this.waiting.length ? make("p", { class: "hint" }, "Choose one to see why it waits, and for how long.") : null);
  }
}
