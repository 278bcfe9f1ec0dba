// SPDX-License-Identifier: Apache-2.0
// Following a cluster: asks for one frame after the other, never more often than the answers take.
"use strict";

const LEAST_WAIT = 2000;

class Live {
  constructor(page) {
    this.page = page;
    this.may = [];
  }

  async ask(path, about) {
    const answer = await fetch(path, { cache: "no-store", ...about });
    const said = await answer.json();
    if (!answer.ok) throw new Error(said.error || `${answer.status}`);
    return said;
  }

  // The first frame makes the film; what is not in sight is not asked for.
  async next() {
    const { page } = this;
    const query = new URLSearchParams();
    if (page.queue) query.set("queue", page.queue);
    if (page.claim) query.set("claim", page.claim);
    return this.ask(`frame?${query}`);
  }

  async follow(began) {
    const { page } = this;
    for (;;) {
      const asked = performance.now();
      try {
        const said = await this.next();
        this.may = said.may || [];
        if (!page.film) began(said);
        page.film.follow(said.frames[0]);
        page.trouble("");
        page.show();
      } catch (error) {
        page.trouble(`The cluster does not answer: ${error.message}. What is shown is of ${page.film ? moment("wall", page.film.end) : "nobody yet"}.`);
      }
      const took = performance.now() - asked;
      await new Promise((done) => {
        this.hurry = done;
        setTimeout(done, Math.max(LEAST_WAIT, 4 * took));
      });
    }
  }

  // What may be done to a queue by who looks.
  deeds(queue) {
    const stopped = queue.state === "Hold" || queue.state === "HoldAndDrain";
    const wanted = queue.kind === "Queue" ? (queue.state === "Suspended" ? ["resume"] : queue.state === "Open" ? ["suspend"] : ["open"])
      : queue.kind === "ClusterQueue" ? [stopped ? "release" : "hold"] : [];
    const words = { suspend: "Suspend", resume: "Resume", open: "Open", hold: "Hold", release: "Release" };
    return wanted.filter((deed) => this.may.includes(deed)).map((deed) =>
      make("button", { type: "button", class: "deed", onclick: (event) => this.act(event.target, queue, deed) }, words[deed]));
  }

  // A second press does it: what stops a queue stops everybody in it.
  async act(button, queue, deed) {
    if (!button.dataset.sure) {
      button.dataset.sure = "yes";
      button.textContent = `${button.textContent} ${queue.name}?`;
      setTimeout(() => this.page.side.show(), 5000);
      return;
    }
    button.disabled = true;
    try {
      await this.ask("act", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ queue: queue.key, deed }) });
      this.page.trouble("");
    } catch (error) {
      this.page.trouble(`${queue.name} is as it was: ${error.message}`);
    }
    if (this.hurry) this.hurry();
  }
}
