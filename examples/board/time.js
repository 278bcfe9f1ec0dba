// SPDX-License-Identifier: Apache-2.0
// The slider of a story: time, one frame back and on, and playing.
"use strict";

class Time {
  constructor(page) {
    this.page = page;
    this.ms = Infinity;
    $("time").hidden = false;
    document.body.classList.add("has-time");
    const slider = $("slider");
    slider.addEventListener("input", () => this.go(Number(slider.value)));
    slider.addEventListener("keydown", (event) => this.key(event));
    $("back").addEventListener("click", () => this.step(-1));
    $("on").addEventListener("click", () => this.step(1));
    $("play").addEventListener("click", () => this.turn());
    this.take(page.film);
  }

  // This is played from now on, from the same time.
  take(film) {
    this.film = film;
    $("slider").max = film.end || 1;
    this.marks();
  }

  // Where something happens, by what it is.
  marks() {
    const seen = new Set();
    const made = [];
    for (const event of this.film.events) {
      const kind = isEviction(event) ? "evicted" : ["bought", "joined", "left", "restarted", "command", "fault"].includes(event.what) ? "changed" : "other";
      const at = Math.round((1000 * event.at) / (this.film.end || 1)) / 10;
      if (seen.has(kind + at)) continue;
      seen.add(kind + at);
      const mark = make("i", { class: `mark-${kind}` });
      mark.style.left = `${at}%`;
      made.push(mark);
    }
    fill($("marks"), made);
  }

  key(event) {
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };
    if (event.key in steps) this.step(steps[event.key]);
    else if (event.key === "Home") this.go(0);
    else if (event.key === "End") this.go(this.film.end);
    else return;
    event.preventDefault();
  }

  step(frames) {
    const to = Math.max(0, Math.min(this.film.frames.length - 1, this.film.at + frames));
    this.go(this.film.frames[to].at);
  }

  go(ms) {
    this.ms = Math.max(0, Math.min(this.film.end, ms));
    const at = this.film.frameAt(this.ms);
    const moved = at !== this.film.at;
    this.film.seek(at);
    this.show();
    if (moved) this.page.show();
  }

  show() {
    const { film } = this;
    const words = moment(film.about.clock, this.ms);
    $("slider").value = this.ms;
    $("slider").setAttribute("aria-valuetext", words);
    $("at").textContent = `${words} / ${moment(film.about.clock, film.end)}`;
    const frame = film.frames[film.at] || {};
    const told = (frame.events || []).filter((event) => event.what !== "usage");
    const past = film.events.slice(Math.max(0, film.state.events - 1), film.state.events);
    const lines = (told.length ? told : past).slice(0, 2);
    fill($("now"), lines.map((event) => make("span", {}, make("b", {}, event.object), ` ${event.text}`)),
      told.length > 2 ? make("span", { class: "quiet" }, `and ${told.length - 2} more`) : null);
    this.page.note("at", String(Math.round(this.ms)));
  }

  turn() {
    this.playing = !this.playing;
    $("play").textContent = this.playing ? "Pause" : "Play";
    if (!this.playing) return;
    if (this.ms >= this.film.end) this.go(0);
    let before = performance.now();
    const tick = (now) => {
      if (!this.playing) return;
      const whole = Number($("speed").value);
      this.go(this.ms + (now - before) * (whole ? this.film.end / (whole * 1000) : 1));
      before = now;
      if (this.ms >= this.film.end) this.turn();
      else requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }
}
