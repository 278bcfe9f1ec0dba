// SPDX-License-Identifier: Apache-2.0
// Lists of any length: only the rows in sight are in the page. The list has the focus, and says by
// aria-activedescendant which of its rows is meant.
"use strict";

let lists = 0;

class List {
  // role: "listbox", "grid" or "treegrid". row(i): the cells of a row, and what it says of itself.
  constructor(host, { role, label, height, row, choose, turn, heads, none }) {
    Object.assign(this, { host, role, height, row, choose, turn, none, count: 0, current: -1, id: `list${++lists}` });
    this.heads = heads ? make("div", { class: "row heads", role: "row" },
      heads.map((text) => make("span", { role: "columnheader" }, text))) : null;
    this.inside = make("div", { class: "inside", role: role === "listbox" ? "none" : "rowgroup" });
    this.box = make("div", { class: "scroll", tabindex: 0, role, "aria-label": label,
      onscroll: () => this.later(), onkeydown: (event) => this.key(event) }, this.inside);
    this.nothing = make("div", { hidden: true });
    fill(host, this.heads, this.box, this.nothing);
    new ResizeObserver(() => this.later()).observe(this.box);
  }

  set(count, current) {
    this.count = count;
    if (current !== undefined) this.current = current;
    this.current = Math.min(this.current, count - 1);
    this.inside.style.height = `${count * this.height}px`;
    this.box.setAttribute(this.role === "listbox" ? "data-count" : "aria-rowcount", count);
    this.box.hidden = count === 0;
    if (this.heads) this.heads.hidden = count === 0;
    this.nothing.hidden = count > 0;
    if (count === 0 && this.none) fill(this.nothing, this.none());
    this.draw();
  }

  later() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.draw();
    });
  }

  draw() {
    const from = Math.max(0, Math.floor(this.box.scrollTop / this.height) - 4);
    const to = Math.min(this.count, Math.ceil((this.box.scrollTop + (this.box.clientHeight || 600)) / this.height) + 4);
    const rows = [];
    for (let i = from; i < to; i++) rows.push(this.one(i));
    this.inside.replaceChildren(...rows);
    if (this.current >= from && this.current < to) this.box.setAttribute("aria-activedescendant", `${this.id}-${this.current}`);
    else this.box.removeAttribute("aria-activedescendant");
  }

  one(i) {
    const { cells, about } = this.row(i);
    const option = this.role === "listbox";
    const row = make("div", {
      id: `${this.id}-${i}`, role: option ? "option" : "row", class: `row${i === this.current ? " current" : ""}`,
      "aria-selected": i === this.current ? "true" : "false",
      ...(option ? { "aria-posinset": i + 1, "aria-setsize": this.count } : { "aria-rowindex": i + 1 }),
      ...about, onclick: () => this.take(i),
    }, cells);
    row.style.transform = `translateY(${i * this.height}px)`;
    row.style.height = `${this.height}px`;
    return row;
  }

  take(i) {
    this.current = i;
    this.draw();
    if (this.choose) this.choose(i);
  }

  show(i) {
    const top = i * this.height;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    else if (top + this.height > this.box.scrollTop + this.box.clientHeight)
      this.box.scrollTop = top + this.height - this.box.clientHeight;
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.box.clientHeight / this.height) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.count, End: this.count };
    if (event.target !== this.box || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in steps) {
      const to = Math.max(0, Math.min(this.count - 1, this.current + steps[event.key]));
      this.show(to);
      this.take(to);
    } else if ((event.key === "ArrowRight" || event.key === "ArrowLeft") && this.turn && this.current >= 0) {
      this.turn(this.current, event.key === "ArrowRight");
    } else if (event.key === "Enter" && this.choose && this.current >= 0) {
      this.choose(this.current, true);
    } else return;
    event.preventDefault();
  }
}

const cell = (about, ...inside) => make("span", { role: "gridcell", ...about }, ...inside);
