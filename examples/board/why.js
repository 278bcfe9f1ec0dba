// SPDX-License-Identifier: Apache-2.0
// Why one waits, in sentences: a pod, a gang or a workload.
"use strict";

const titleOf = (claim) => (claim.namespace === "default" ? claim.name : `${claim.namespace}/${claim.name}`);

function standing(claim, place) {
  if (claim.state === "waiting" && place > 0) {
    const ahead = claim.ahead && place > 1 ? ` Before it, others ask for ${amounts(claim.ahead)}.` : "";
    return place === 1 ? "It is the next of its queue." : `It is number ${place.toLocaleString("en")} of its queue.${ahead}`;
  }
  if (claim.state === "reserved") return "Its place is reserved: the scheduler looks for a node, and an autoscaler may buy one.";
  if (claim.state === "allocated") return claim.node ? `It runs on node ${claim.node}.` : "It holds its place.";
  if (claim.state === "held") return "It is held: it takes no room, and is in nobody's way.";
  return "";
}

function estimated(claim) {
  if (claim.state !== "waiting") return null;
  const range = claim.latest !== undefined ? `between ${duration(claim.earliest)} and ${duration(claim.latest)}`
    : claim.earliest !== undefined ? `not before ${duration(claim.earliest)}` : "";
  if (claim.estimate !== undefined)
    return make("p", { class: "estimate" }, make("strong", {}, `about ${duration(claim.estimate)}`), range && `, ${range}`, claim.basis ? `: ${claim.basis}` : "");
  if (range)
    return make("p", { class: "estimate" }, make("strong", {}, range), claim.basis ? `: ${claim.basis}` : "");
  return make("p", { class: "estimate" }, make("strong", {}, "not known"), claim.basis ? `: ${claim.basis}` : "");
}

// Where it lacks what: how much is there beside how much it asks for.
function lack(claim, page) {
  const on = claim.on;
  if (!on) return null;
  const say = (value) => amount(on.resource, value);
  const most = Math.max(on.room, on.asked, 1);
  const line = (word, value, cls) => {
    const piece = make("i", { class: `part ${cls}` });
    piece.style.width = `${(100 * value) / most}%`;
    return make("div", { class: "lack" }, make("span", {}, word), make("span", { class: "bar thin" }, make("span", { class: "track full" }), piece), make("b", {}, say(value)));
  };
  return make("div", { class: "lacks", role: "group", "aria-label": "What it lacks" },
    make("p", {}, `${on.resource} in `, link(on.queue, () => page.openQueue(on.queue))),
    line("room", on.room, "allocated"), line("asked", on.asked, "asked"),
    on.wanted > on.asked ? make("p", { class: "quiet" }, `${say(on.wanted)} wanted by all that wait there`) : null);
}

const pairs = (map) => Object.entries(map || {}).map(([name, value]) => `${name}: ${value}`).join(", ");

function named(names, page) {
  return names.map((name, i) => {
    const claim = [...page.film.state.claims.values()].find((one) => `${one.namespace}/${one.name}` === name);
    return [i ? ", " : "", claim ? link(name, () => page.openClaim(claim.key)) : name];
  });
}

// place: 1 is the next of its queue, 0: it does not wait.
function why(claim, place, page) {
  const clock = page.film.about.clock;
  const gang = claim.gang && page.film.state.claims.get(claim.gang);
  const waits = claim.state === "waiting" || claim.state === "held";
  return make("article", { class: "why", "aria-label": `Why ${claim.name} is where it is` },
    make("header", {}, make("h3", {}, titleOf(claim)), make("span", { class: "kind" }, claim.kind), badge(claim.state, claim.reason)),
    claim.reason && waits ? make("p", { class: "reason" }, claim.reason) : null,
    claim.message ? make("p", { class: "message" }, claim.message) : null,
    claim.told === false ? make("p", { class: "quiet" }, page.isLive() ? "Asking for its reason …" : "Its reason is told when it is among the first of its line.") : null,
    make("p", {}, standing(claim, place)),
    claim.state === "waiting" && claim.told !== false ? make("div", { class: "wait" }, make("span", {}, "Estimate"), estimated(claim)) : null,
    lack(claim, page),
    claim.kind === "Gang" ? make("p", {}, progress(claim), " ", progressInWords(claim)) : null,
    facts([
      ["asks for", claim.asks ? amounts(claim.asks) : ""],
      ["queue", claim.queue ? link(claim.queue, () => page.openQueue(claim.queue)) : ""],
      ["local queue", claim.localQueue || ""],
      ["gang", gang ? link(gang.name, () => page.openClaim(gang.key)) : ""],
      ["priority", claim.priority || ""],
      ["created", claim.created !== undefined ? `${moment(clock, claim.created)} (${duration(page.film.state.at - claim.created)} ago)` : ""],
      ["granted", claim.granted !== undefined ? moment(clock, claim.granted) : ""],
      ["flavors", claim.flavors ? pairs(claim.flavors) : ""],
      ["pods", (claim.podSets || []).filter((set) => set.count > 0).map((set) => `${set.count} ${set.name}${set.flavors ? ` (${pairs(set.flavors)})` : ""}`).join(", ")],
      ["preemption gates", pairs(claim.gates)],
      ["checks", pairs(claim.checks)],
      [claim.reason === "PreemptionGated" ? "would evict" : "evicts", claim.victims ? named(claim.victims, page) : ""],
      ["goes for", claim.for ? named([claim.for], page) : ""],
    ]));
}
