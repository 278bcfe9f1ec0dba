// SPDX-License-Identifier: Apache-2.0
// Bars: what is used of a limit. Each part has a colour and a pattern of its own, and says in words
// what it is.
"use strict";

// Parts, in their order along a bar.
const PARTS = [
  ["allocated", "running", "allocated: bound to nodes"],
  ["borrowed", "borrowed", "allocated beyond the queue's own share"],
  ["reserved", "reserved", "granted, and not on a node yet"],
  ["asked", "waiting", "asked for by those who wait"],
];

function partsOf(of) {
  const borrowed = Math.min(of.borrowed, of.allocated);
  return { allocated: of.allocated - borrowed, borrowed, reserved: of.reserved, asked: of.asked };
}

function inWords(resource, of) {
  const say = (value) => amount(resource, value);
  return [
    `${say(of.used)} ${short(resource)} used${of.limit === null ? "" : ` of ${say(of.limit)}`}`,
    of.reserved ? `${say(of.reserved)} of it reserved` : "",
    of.borrowed ? `${say(of.borrowed)} of it borrowed` : "",
    of.share ? `its share is ${say(of.share)}` : "",
    of.asked ? `${say(of.asked)} asked for by those who wait` : "",
  ].filter(Boolean).join(", ");
}

// `most` is what the whole width stands for; without it, the queue's own limit.
function bar(resource, of, most) {
  const whole = most || Math.max(of.limit || 0, of.used, of.limit === null ? Math.max(of.share, of.used + of.asked) : 0);
  const made = make("span", { class: `bar${of.limit === null ? " open" : ""}`, role: "img", "aria-label": inWords(resource, of), title: inWords(resource, of) });
  let from = 0;
  const track = make("span", { class: "track" });
  if (of.limit !== null && whole > 0) track.style.width = `${Math.min(100, (100 * of.limit) / whole)}%`;
  made.append(track);
  for (const [part] of PARTS) {
    const value = partsOf(of)[part];
    const to = Math.min(whole, from + value);
    if (value > 0 && whole > 0 && to > from) {
      const piece = make("i", { class: `part ${part}` });
      piece.style.left = `${(100 * from) / whole}%`;
      piece.style.width = `${(100 * (to - from)) / whole}%`;
      made.append(piece);
    }
    from += value;
  }
  if (from > whole && of.asked) made.append(make("b", { class: "beyond" }, "›"));
  if (of.share > 0 && whole > 0 && of.share < whole) {
    const tick = make("i", { class: "share" });
    tick.style.left = `${(100 * of.share) / whole}%`;
    made.append(tick);
  }
  return made;
}

const legend = () => [
  ...PARTS.map(([part, word, title]) => make("span", { title }, make("i", { class: `swatch part ${part}` }), word)),
  make("span", { title: "what the queue is owed: deserved, or its nominal quota" }, make("i", { class: "swatch tickmark" }), "own share"),
];

// How far a gang is: a piece for each of its pods, or a few that stand for many.
function progress(gang) {
  const total = Math.max(gang.minimum || 0, gang.pods || 0, 1);
  const made = make("span", { class: "bar", role: "img", "aria-label": progressInWords(gang), title: progressInWords(gang) }, make("span", { class: "track full" }));
  let from = 0;
  for (const part of ["allocated", "reserved", "ready"]) {
    const value = gang[part] || 0;
    if (!value) continue;
    const piece = make("i", { class: `part ${part === "ready" ? "asked" : part}` });
    piece.style.left = `${(100 * from) / total}%`;
    piece.style.width = `${(100 * value) / total}%`;
    made.append(piece);
    from += value;
  }
  return made;
}

const progressInWords = (gang) => [
  `${gang.minimum || 0} at least`, `${gang.pods || 0} there`, `${gang.allocated || 0} running`,
  gang.reserved ? `${gang.reserved} reserved` : "", gang.ready ? `${gang.ready} ready` : "",
  gang.succeeded ? `${gang.succeeded} succeeded` : "", gang.failed ? `${gang.failed} failed` : "",
].filter(Boolean).join(", ");
