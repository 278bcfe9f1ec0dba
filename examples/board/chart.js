// SPDX-License-Identifier: Apache-2.0
// A queue over time: what runs, what is reserved, its limit and its share, and below it who waited.
"use strict";

const WIDE = 640, TALL = 150, LEFT = 46, LOW = 34;

// What is drawn of thousands of samples: so many columns at most, each with the most that was in it.
function thinned(samples, from, to) {
  if (samples.length <= WIDE) return samples;
  const columns = new Map();
  for (const sample of samples) {
    const column = Math.floor((WIDE * (sample.at - from)) / (to - from || 1));
    const there = columns.get(column);
    if (!there || sample.used + sample.waiting >= there.used + there.waiting) columns.set(column, sample);
  }
  return [...columns.values()];
}

function samplesOf(past, resource) {
  return past.map(({ at, row }) => ({ at, waiting: row.waiting || 0, ...use(row, resource) }));
}

// A line of steps: each value stays until the next one.
function steps(samples, x, y, value, end) {
  let path = "";
  let drawn = false;
  for (let i = 0; i < samples.length; i++) {
    const to = i + 1 < samples.length ? samples[i + 1].at : end;
    const v = value(samples[i]);
    if (v === null) {
      drawn = false;
      continue;
    }
    path += `${drawn ? "L" : "M"}${x(samples[i].at).toFixed(1)} ${y(v).toFixed(1)}H${x(to).toFixed(1)}`;
    drawn = true;
  }
  return path;
}

const area = (samples, x, y, value, end) =>
  samples.length ? `${steps(samples, x, y, value, end)}V${y(0)}H${x(samples[0].at)}Z` : "";

function patterns() {
  const stripe = (id, cls, turned) =>
    draw("pattern", { id, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: `rotate(${turned})` },
      draw("rect", { width: 6, height: 6, class: `${cls} ground` }), draw("rect", { width: 3, height: 6, class: cls }));
  return draw("defs", {}, stripe("hatched", "hatch", 45));
}

// Round numbers from 0 on: four or five of them up to `most`, in steps of 1, 2 or 5 times `unit`.
function ticks(most, unit, sizes) {
  const step = sizes ? sizes.find((size) => most / size <= 5) || sizes[sizes.length - 1] * Math.ceil(most / sizes[sizes.length - 1] / 5) : roundStep(most / unit) * unit;
  const made = [];
  for (let at = 0; at <= most * 1.0001; at += step) made.push(at);
  return made;
}

function roundStep(most) {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1) / 4));
  return Math.max(1, [1, 2, 5, 10].map((size) => size * power).find((size) => most / size <= 5));
}

const TIMES = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400].map((s) => s * 1000);

// go(at): somebody points at a time.
function chart(past, resource, clock, from, end, now, go) {
  const samples = thinned(samplesOf(past, resource), from, end);
  if (samples.length === 0) return empty("Nothing to draw yet");
  const x = (at) => LEFT + ((WIDE - LEFT - 8) * (at - from)) / (end - from || 1);
  const most = Math.max(1, ...samples.map((s) => Math.max(s.used, s.limit || 0, s.share)));
  const waited = Math.max(1, ...samples.map((s) => s.waiting));
  const top = TALL - LOW - 8;
  const y = (v) => 8 + top - (top * v) / most;
  const wait = (v) => TALL + 22 - (22 * v) / waited;
  const text = (tx, ty, words, about) => draw("text", { x: tx, y: ty, ...about }, words);
  const label = `Use of ${resource} over time: now ${inWords(resource, samples[samples.length - 1])}; ${most === 1 ? "" : `at most ${amount(resource, Math.max(...samples.map((s) => s.used)))}, `}${many(Math.max(...samples.map((s) => s.waiting)), "claim")} waiting at most`;
  const picture = draw("svg", { viewBox: `0 0 ${WIDE} ${TALL + 44}`, class: "chart", role: "img", "aria-label": label }, patterns());
  for (const at of ticks(most, resource === "cpu" ? 1000 : isBytes(resource) ? 2 ** (10 * Math.floor(Math.log2(most) / 10)) : 1))
    picture.append(draw("line", { x1: LEFT, x2: WIDE - 8, y1: y(at), y2: y(at), class: "grid" }),
      text(LEFT - 6, y(at) + 4, amount(resource, at), { "text-anchor": "end" }));
  const path = (d, cls) => picture.append(draw("path", { d, class: cls }));
  path(area(samples, x, y, (s) => s.used, end), "area reserved");
  path(area(samples, x, y, (s) => s.allocated, end), "area borrowed");
  path(area(samples, x, y, (s) => partsOf(s).allocated, end), "area allocated");
  path(steps(samples, x, y, (s) => s.limit, end), "line limit");
  if (samples.some((s) => s.share > 0)) path(steps(samples, x, y, (s) => s.share, end), "line owed");
  path(area(samples, x, wait, (s) => s.waiting, end), "area waits");
  picture.append(draw("line", { x1: LEFT, x2: WIDE - 8, y1: TALL + 22, y2: TALL + 22, class: "grid" }),
    text(LEFT - 6, TALL + 8, waited.toLocaleString("en"), { "text-anchor": "end" }), text(LEFT - 6, TALL + 22, "wait", { "text-anchor": "end" }));
  for (const at of ticks(end - from, 1, TIMES))
    picture.append(text(x(from + at), TALL + 40, clock === "wall" ? moment(clock, from + at) : at === 0 ? "0" : duration(at),
      { "text-anchor": at === 0 ? "start" : x(from + at) > WIDE - 40 ? "end" : "middle" }));
  picture.append(draw("line", { x1: x(now), x2: x(now), y1: 4, y2: TALL + 22, class: "cursor" }));
  if (go) {
    picture.addEventListener("click", (event) => {
      const box = picture.getBoundingClientRect();
      const part = ((event.clientX - box.left) * WIDE) / box.width;
      go(from + ((end - from) * (part - LEFT)) / (WIDE - LEFT - 8));
    });
    picture.classList.add("live");
  }
  return picture;
}
