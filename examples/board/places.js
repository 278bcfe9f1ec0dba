// SPDX-License-Identifier: Apache-2.0
// What is not a queue: gangs and workloads, nodes, worker clusters, evictions, and all that happened.
"use strict";

class GroupsView {
  constructor(page) {
    this.page = page;
    this.rows = [];
    this.list = new List($("groups"), {
      role: "grid", label: "Gangs and workloads", height: 40, heads: ["Name", "Kind", "Queue", "State", "Pods", "Reason"],
      choose: (i) => page.openClaim(this.rows[i].key, true),
      row: (i) => this.row(this.rows[i]),
      none: () => empty("No gangs, no workloads", "Pods that come alone are in their queues."),
    });
  }

  row(claim) {
    const pods = (claim.podSets || []).reduce((sum, set) => sum + set.count, 0);
    return { about: {}, cells: [
      cell({ class: "text", title: titleOf(claim) }, titleOf(claim)), cell({ class: "kind" }, claim.kind),
      cell({ class: "text" }, (claim.queue || "").split("/").slice(1).join("/")), cell({}, badge(claim.state, claim.reason)),
      cell({ class: "c-bar" }, claim.kind === "Gang" ? progress(claim) : pods ? many(pods, "pod") : ""),
      cell({ class: "text quiet", title: claim.message || claim.reason }, claim.reason || ""),
    ] };
  }

  show() {
    const { state } = this.page.film;
    const rank = { waiting: 0, held: 1, reserved: 2 };
    this.rows = [...state.claims.values()].filter((claim) => claim.kind !== "Pod")
      .sort((a, b) => (rank[a.state] ?? 3) - (rank[b.state] ?? 3) || (a.name < b.name ? -1 : 1));
    const at = this.rows.findIndex((claim) => claim.key === this.page.claim);
    this.list.set(this.rows.length, at);
    const claim = this.rows[at];
    const line = claim && state.lines.get(claim.queue);
    fill($("group"), claim ? [why(claim, line ? line.indexOf(claim.key) + 1 : 0, this.page), this.members(claim)]
      : empty("Choose one", "What it waits for, its gates, its pods and who would go for it are shown here."));
  }

  members(claim) {
    const pods = [...this.page.film.state.claims.values()].filter((one) => one.gang === claim.key);
    if (pods.length === 0) return null;
    return make("div", {}, make("h3", {}, "Its pods ", make("small", {}, String(pods.length))),
      make("ul", { class: "members" }, pods.slice(0, 200).map((pod) => make("li", {}, make("span", { class: "text" }, pod.name), badge(pod.state, pod.reason), make("span", { class: "quiet" }, pod.node || "")))),
      pods.length > 200 ? make("p", { class: "quiet" }, `and ${pods.length - 200} more`) : null);
  }
}

class PlacesView {
  constructor(page) {
    this.page = page;
    this.host = $("view-places");
    this.nodeHost = make("div", { class: "list" });
    this.nodeHead = make("h2", {});
    this.fleet = make("div", { class: "stack" });
    fill(this.host, this.fleet, make("div", { class: "card" }, this.nodeHead, this.nodeHost));
    this.nodes = [];
    this.list = new List(this.nodeHost, {
      role: "grid", label: "Nodes", height: 36, heads: ["Node", "Use", "", "Labels"],
      row: (i) => this.row(this.nodes[i]),
      none: () => page.isLive() ? empty("Nodes are not asked for", "kubectl get nodes shows them.") : empty("There are no nodes", "An autoscaler buys them when a granted pod finds none."),
    });
  }

  row(node) {
    const { resource } = this.page;
    const of = useOf(node.allocatable, node.used, resource);
    const labels = Object.entries(node.labels || {}).filter(([name]) => name !== "kubernetes.io/hostname");
    return { about: {}, cells: [
      cell({ class: "text" }, node.key), cell({ class: "c-bar" }, of.limit ? bar(resource, of) : make("span", { class: "quiet" }, "–")),
      cell({ class: "c-used" }, of.limit ? [make("b", {}, amount(resource, of.used)), ` of ${amount(resource, of.limit)}`] : ""),
      cell({ class: "text quiet" }, labels.map(([name, value]) => `${name}=${value}`).join(" ")),
    ] };
  }

  show() {
    const { state } = this.page.film;
    this.nodes = [...state.nodes.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
    fill(this.nodeHead, "Nodes ", make("small", {}, String(this.nodes.length)));
    this.list.set(this.nodes.length);
    fill(this.fleet, this.clusters([...state.clusters.values()]), this.dispatches([...state.dispatches.values()], [...state.clusters.keys()]));
  }

  clusters(clusters) {
    if (clusters.length === 0) return null;
    const { resource } = this.page;
    return make("div", { class: "card" }, make("h2", {}, "Worker clusters"), make("div", { class: "tiles" }, clusters.map((cluster) => {
      const of = useOf(cluster.quota, cluster.used, resource);
      return make("div", { class: "tile" }, make("h3", {}, cluster.key, badge(cluster.connected ? "Connected" : "Lost")),
        of.limit ? [bar(resource, of), make("p", {}, make("b", {}, amount(resource, of.used)), ` of ${amount(resource, of.limit)} ${short(resource)}`)] : null,
        make("p", { class: "quiet" }, many(cluster.copies || 0, "copy", "copies")));
    })));
  }

  dispatches(rows, clusters) {
    if (rows.length === 0) return null;
    const shown = rows.sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, 500);
    return make("div", { class: "card" }, make("h2", {}, "Dispatched workloads ", make("small", {}, String(rows.length))),
      make("div", { class: "wide" }, make("table", { class: "fleet" }, make("caption", { class: "hidden" }, "Workloads by cluster"),
        make("thead", {}, make("tr", {}, ["Workload", "State", ...clusters, "Next"].map((text) => make("th", { scope: "col" }, text)))),
        make("tbody", {}, shown.map((row) => make("tr", {}, make("th", { scope: "row" }, titleOf(row)), make("td", {}, badge(row.state)),
          clusters.map((name) => make("td", {}, this.replica((row.replicas || []).find((one) => one.cluster === name), row.cluster === name))),
          make("td", { class: "quiet" }, row.message || "")))))),
      rows.length > shown.length ? make("p", { class: "quiet" }, `and ${rows.length - shown.length} more`) : null);
  }

  replica(replica, chosen) {
    if (!replica || !replica.there) return make("span", { class: "quiet" }, "–");
    const words = [replica.admitted ? "admitted" : replica.reserved ? "reserved" : replica.evicted ? "evicted" : replica.signals ? "would preempt" : "waits",
      replica.gate && replica.gate !== "none" && !replica.reserved ? `gate ${replica.gate}` : "", chosen ? "chosen" : ""].filter(Boolean);
    return make("span", { class: `replica${replica.reserved ? " has" : replica.signals ? " asks" : ""}` }, words.join(", "));
  }
}

function useOf(limits, used, resource) {
  const limit = (limits || {})[resource] || 0;
  return { allocated: (used || {})[resource] || 0, used: (used || {})[resource] || 0, reserved: 0, borrowed: 0, share: 0, asked: 0, limit, is: limit > 0 };
}

// The newest come first. In a story only what has happened by now.
class EventsView {
  constructor(page, host, label, wanted, none) {
    this.page = page;
    this.wanted = wanted;
    this.rows = [];
    this.list = new List(host, {
      role: "grid", label, height: 36, heads: ["When", "Who", "What", ""], none,
      choose: (i) => { if (!page.isLive()) page.time.go(this.rows[i].at); },
      row: (i) => this.row(this.rows[i]),
    });
  }

  row(event) {
    return { about: { class: `row event-${/^[A-Za-z]+$/.test(event.what) ? event.what : "other"}` }, cells: [
      cell({ class: "n" }, moment(this.page.film.about.clock, event.at)), cell({ class: "text", title: event.object }, event.object),
      cell({ class: "kind" }, event.what), cell({ class: "text", title: event.text }, event.for ? `for ${event.for}: ` : "", event.text),
    ] };
  }

  show() {
    const { film } = this.page;
    const events = this.page.isLive() ? film.events : film.events.slice(0, film.state.events);
    this.rows = events.filter(this.wanted).reverse();
    this.list.set(this.rows.length);
  }
}

const isEviction = (event) => event.what === "evicted" || event.what === "preempts";
