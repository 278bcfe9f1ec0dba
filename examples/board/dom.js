// SPDX-License-Identifier: Apache-2.0
// How the page is made: elements with text in them. What others wrote is only ever text.
"use strict";

const $ = (id) => document.getElementById(id);

// make("p", {class: "x", onclick: f}, "text", other): what is null or false is left out.
function make(tag, about, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(about || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  fill(made, ...inside);
  return made;
}

function fill(made, ...inside) {
  made.replaceChildren(...inside.flat(2).filter((one) => one !== null && one !== undefined && one !== false));
  return made;
}

function draw(tag, about, ...inside) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(about || {})) made.setAttribute(name, value);
  made.append(...inside);
  return made;
}

const badge = (state, reason) =>
  make("span", { class: `badge is-${/^[A-Za-z]+$/.test(state) ? state.toLowerCase() : "other"}`, title: reason }, state || "–");

// A word that leads to a queue, a claim or a time.
const link = (text, go, about) =>
  make("button", { type: "button", class: "link", onclick: go, ...about }, text);

const empty = (title, text) =>
  make("div", { class: "empty" }, make("strong", {}, title), make("p", {}, text || ""));

// Pairs of a word and what it means; those that mean nothing are left out.
function facts(pairs) {
  return make("dl", { class: "facts" }, pairs.filter(([, value]) => value !== "" && value !== null && value !== undefined)
    .map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}
