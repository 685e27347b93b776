// How far a run is: its steps, what each source gave, what it asks, the best papers so far.
// @ts-check
import {Nothing} from "./parts.js";
import {Card, Question} from "./question.js";
import {html} from "./vendor/preact.js";
import {called, counted, W} from "./words.js";

/** @param {{run: import("./run.js").Run, again: () => void}} props */
export function RunStory({run, again}) {
  const failures = run.values.failures ?? [];
  const asked = (run.values.usage ?? []).filter((/** @type {any} */ item) => item.input_tokens);
  const spent = asked.reduce(
    (/** @type {{calls: number, usd: number}} */ sum, /** @type {any} */ item) => ({calls: sum.calls + item.calls, usd: sum.usd + (item.usd ?? 0)}),
    {calls: 0, usd: 0},
  );
  const kept = (run.values.papers ?? []).filter((/** @type {any} */ item) => item.selected);
  const cards = /** @type {any[]} */ (run.cards.length ? run.cards : kept.map((/** @type {any} */ item) => ({
    number: item.rank, title: item.paper.title, year: item.paper.year, score: item.score, why: item.debate?.arguments_for?.[0]?.claim,
  })));
  const counts = Object.entries(run.values.counts ?? {}).filter(([, count]) => count);
  return html`
    ${run.question && html`<${Question} key=${run.question.kind + (run.question.error ?? "") + run.question.proposal} run=${run} again=${again} />`}
    <div class="columns">
    <section>
      <h2>${W.run.tabs.live}</h2>
      ${counts.length > 0 && html`<dl class="cost">${counts.map(([name, count]) => html`<dt>${called(W.run.counts, name)}</dt><dd>${count}</dd>`)}</dl>`}
      <ol class="stages">${run.stages.map((item) => html`<li>
        <span>${item.title}</span>
        ${item.total > 0 && html`<progress max=${item.total} value=${item.done} aria-label=${item.title}></progress>`}
        <span class="dim" dir="auto">${item.note}</span></li>`)}</ol>
      ${spent.calls > 0 && html`<p class="dim">${W.run.cost}: ${counted(spent.calls, "call")}, ${spent.usd.toFixed(2)} USD</p>`}
      ${run.queries.length > 0 && html`<h2>${W.run.queries}</h2>
        <ul>${run.queries.map((query) => html`<li dir="auto">${query.text} <span class="dim">${query.reason ?? ""}</span></li>`)}</ul>`}
      ${(run.values.reports ?? []).length > 0 && html`<ul>${run.values.reports.map((/** @type {any} */ item) => html`<li dir="auto"><strong>${item.source}</strong>:
        ${item.status} ${item.cause ?? ""}</li>`)}</ul>`}
      ${failures.length > 0 && html`<h2>${W.run.notDone}</h2>
        <ul>${failures.map((/** @type {any} */ item) => html`<li dir="auto">${item.subject}: ${item.cause}${item.remedy && ` (${item.remedy})`}</li>`)}</ul>`}
    </section>
    ${run.graph !== "references" && html`<section aria-live="polite">
      <h2>${run.status === "completed" ? W.run.tabs.papers : W.run.early}</h2>
      ${cards.length ? html`<ol class="cards">${cards.map((card) => html`<${Card} card=${card} />`)}</ol>`
        : html`<${Nothing}>${W.run.noCards}<//>`}
    </section>`}
  </div>`;
}
