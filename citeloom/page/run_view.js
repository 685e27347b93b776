// One run: how far it is, what it asks, and what it has, in tabs.
// @ts-check
import {Checked} from "./check.js";
import {Graph} from "./citation_graph.js";
import {Papers} from "./papers.js";
import {Nothing, Problem, useAction} from "./parts.js";
import {Card, Question} from "./question.js";
import * as runs from "./run.js";
import {Listed} from "./references.js";
import {Table} from "./table.js";
import {searched} from "./search_again.js";
import {Synthesis} from "./synthesis.js";
import {Take} from "./run_files.js";
import {Text} from "./text.js";
import {html, useEffect, useRef} from "./vendor/preact.js";
import {called, counted, W} from "./words.js";

/** @typedef {keyof typeof W.run.tabs} Tab */

/** What each graph's runs have to show. @type {Record<string, Tab[]>} */
const TABS = {
  review: ["live", "papers", "graph", "table", "text", "take"], find: ["live", "papers", "graph", "take"],
  write: ["live", "table", "text", "take"], revise: ["live", "table", "text", "take"],
  synthesize: ["live", "synthesis", "take"], verify: ["live", "checked", "take"],
  references: ["live", "listed"],
};

/** @param {{thread: string, tab: string}} props */
export function RunView({thread, tab}) {
  const [run, again] = runs.useRun(thread);
  const was = useRef(/** @type {runs.Status} */ ("loading"));
  const written = Boolean(run.values.sentences?.length);
  const tabs = TABS[run.graph] ?? ["live"];
  const shown = tabs.find((name) => name === tab) ?? "live";
  useEffect(() => {
    // What one waits for is shown when it is there, unless one has looked elsewhere meanwhile.
    if (was.current === "working" && run.status === "completed" && shown === "live") {
      location.hash = `#/run/${thread}/${tabs[written && tabs.includes("text") ? tabs.indexOf("text") : 1] ?? "live"}`;
    }
    was.current = run.status;
  }, [run.status]);
  const [stop, stopping, stopError] = useAction(async () => (await runs.change(run, "cancel"), again()));
  const [finish, finishing, finishError] = useAction(() => runs.change(run, "finish"));
  const [resume, resuming, resumeError] = useAction(async () => (await runs.change(run, "resume"), again()));
  const rerun = ["find", "review"].includes(run.graph) && run.status === "completed" && Boolean(run.searched.text);
  const [look, looking, lookError] = useAction(async () => {
    location.hash = `#/run/${await searched(run, [])}/live`;
  });
  return html`
    <h1 class="title" dir="auto">${run.title || W.name}</h1>
    <p class="state" role="status">
      <span class=${`status ${run.status}`}>${W.run.status[run.status]}</span>
      ${rerun && html` <button disabled=${looking} onClick=${() => look()}>${W.history.again}</button>`}
      ${run.parent && html` · <a href=${`#/run/${run.parent}/text`}>${run.graph === "find" ? W.run.started : W.run.edited}</a>`}
      ${run.status === "working" && html` <button disabled=${stopping} onClick=${() => stop()}>
        ${stopping ? W.run.stopping : W.run.stop}</button>
        <button disabled=${finishing} onClick=${() => finish()}>${W.run.finish}</button>`}
      ${run.can_resume && html` <button disabled=${resuming} onClick=${() => resume()}>${W.run.resume}</button>`}
    </p>
    <${Problem} text=${stopError || finishError || resumeError || lookError || run.problem} />
    ${run.question && html`<${Question} key=${run.question.kind + (run.question.error ?? "") + run.question.proposal} run=${run} again=${again} />`}
    <nav class="tabs" aria-label=${run.title || W.name}>
      ${tabs.map((name) => html`<a href=${`#/run/${thread}/${name}`} aria-current=${name === shown ? "page" : null}>${W.run.tabs[name]}</a>`)}
    </nav>
    ${run.values.mind === "extractive" && run.graph !== "references" && html`<p class="hint embedded">${W.run.embedded}</p>`}
    ${shown === "live" && html`<${Live} run=${run} />`}
    ${shown === "papers" && html`<${Papers} run=${run} />`}
    ${shown === "graph" && html`<${Graph} run=${run} />`}
    ${shown === "table" && html`<${Table} run=${run} />`}
    ${shown === "text" && html`<${Text} run=${run} />`}
    ${shown === "synthesis" && html`<${Synthesis} run=${run} />`}
    ${shown === "checked" && html`<${Checked} run=${run} />`}
    ${shown === "listed" && html`<${Listed} run=${run} />`}
    ${shown === "take" && html`<${Take} run=${run} />`}`;
}

/** @param {{run: runs.Run}} props */
function Live({run}) {
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
  return html`<div class="columns">
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
