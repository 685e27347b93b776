// One run: its title, its state in one line, and its views as tabs.
// @ts-check
import {begun} from "./api.js";
import {Checked} from "./check.js";
import {Claims} from "./claims.js";
import {Graph} from "./citation_graph.js";
import {useModel} from "./model.js";
import {Papers} from "./papers.js";
import {Problem, useAction, useLoaded} from "./parts.js";
import * as runs from "./run.js";
import {Cells} from "./library_table.js";
import {Listed} from "./references.js";
import {RunStory} from "./run_story.js";
import {Table} from "./table.js";
import {searched} from "./search_again.js";
import {Icon} from "./shapes.js";
import {counting, keptNothing, stepWords, story} from "./story_of.js";
import {Synthesis} from "./synthesis.js";
import {Take} from "./run_files.js";
import {Text} from "./text.js";
import {html, useEffect, useRef} from "./vendor/preact.js";
import {useWatches} from "./watch_this.js";
import {V} from "./watch_words.js";
import {counted, W} from "./words.js";

/** @typedef {keyof typeof W.run.tabs} Tab */

/** What each graph's runs have to show. @type {Record<string, Tab[]>} */
const TABS = {
  review: ["text", "papers", "graph", "table", "live", "take"], find: ["papers", "graph", "live", "take"], novelty: ["claims", "papers", "graph", "live", "take"],
  write: ["text", "papers", "graph", "table", "live", "take"], revise: ["text", "papers", "graph", "table", "live", "take"],
  table: ["cells", "live", "take"],
  synthesize: ["synthesis", "live", "take"], verify: ["checked", "live", "take"],
  references: ["listed", "live"],
};
const ICONS = {loading: "busy", working: "busy", input_required: "ask", completed: "done", cancelled: "paused", failed: "failed"};
const MOST_VERSIONS = 50;

/** @param {{thread: string, tab: string, tell: (graph: string) => void}} props `tell` hears which graph it is */
export function RunView({thread, tab, tell}) {
  const [run, again] = runs.useRun(thread);
  const was = useRef(/** @type {runs.Status} */ ("loading"));
  const [searchedBy] = useLoaded(() => source(run), [run.graph, run.parent]);
  const tabs = (TABS[run.graph] ?? ["live"]).filter((name) => !["papers", "graph"].includes(name) || run.graph !== "write" && run.graph !== "revise" || searchedBy);
  const shown = tabs.find((name) => name === tab) ?? (run.status === "completed" ? tabs[0] : "live");
  useEffect(() => {
    // What one waits for is shown when it is there, unless one has looked elsewhere meanwhile. It may be there at the first look.
    const waited = was.current === "working" || (was.current === "loading" && begun.has(thread));
    if (waited && run.status === "completed" && shown === "live") {
      location.hash = `#/run/${thread}/${run.graph === "review" && !run.values.sentences?.length ? "papers" : tabs[0]}`;
    }
    was.current = run.status;
    if (run.status !== "loading") begun.delete(thread);
  }, [run.status]);
  useEffect(() => tell(run.graph), [run.graph]);
  // A version keeps the papers and the map of the search that it comes from, with the numbers of its own text.
  const papers = searchedBy ? {...searchedBy, values: {...searchedBy.values, references: run.values.references ?? searchedBy.values.references}} : run;
  return html`
    <${Head} run=${run} papers=${papers} again=${again} tabs=${tabs} shown=${shown} />
    <div class="body">
      <${Problem} text=${run.problem} />
      ${shown === "live" && run.status !== "loading" && html`<${RunStory} run=${run} again=${again} />`}
      ${shown === "papers" && html`<${Papers} key=${papers.thread} run=${papers} />`}
      ${shown === "graph" && html`<${Graph} key=${papers.thread} run=${papers} />`}
      ${shown === "cells" && html`<${Cells} run=${run} />`}
      ${shown === "table" && html`<${Table} run=${run} />`}
      ${shown === "text" && html`<${Text} run=${run} />`}
      ${shown === "synthesis" && html`<${Synthesis} run=${run} />`}
      ${shown === "claims" && html`<${Claims} run=${run} />`}
      ${shown === "checked" && html`<${Checked} run=${run} />`}
      ${shown === "listed" && html`<${Listed} run=${run} />`}
      ${shown === "take" && html`<${Take} run=${run} />`}
    </div>`;
}

/** The search that a version of a text comes from. @param {runs.Run} run @returns {Promise<runs.Run | null>} */
async function source(run) {
  let from = run;
  for (let steps = 0; steps < MOST_VERSIONS && from.parent && ["write", "revise"].includes(from.graph); steps += 1) {
    from = await runs.read(from.parent);
  }
  return from !== run && ["review", "find"].includes(from.graph) ? from : null;
}

/** @param {{run: runs.Run, papers: runs.Run, again: () => void, tabs: Tab[], shown: Tab}} props */
function Head({run, papers, again, tabs, shown}) {
  const [stop, stopping, stopError] = useAction(async () => (await runs.change(run, "cancel"), again()));
  const [finish, finishing, finishError] = useAction(() => runs.change(run, "finish"));
  const [resume, resuming, resumeError] = useAction(async () => (await runs.change(run, "resume"), again()));
  const [look, looking, lookError] = useAction(async () => {
    location.hash = `#/run/${await searched(run, [])}/live`;
  });
  const none = keptNothing(run);
  const rerun = ["find", "review", "novelty"].includes(run.graph) && run.status === "completed" && !none && Boolean(run.searched.text);
  const kept = (papers.values.papers ?? []).filter((/** @type {any} */ item) => item.selected).length;
  const model = useModel();
  const watches = useWatches();
  const at = `#/run/${run.thread}`;
  const steps = story(run), place = run.status === "working" || run.stages.length || run.question ? steps.findIndex((item) => item.state === "on") : -1;
  const step = run.status === "working" && run.stages.length ? steps[place] : undefined;
  const bar = step && counting(step);
  const tools = html`
    ${run.status === "working" && html`<button disabled=${stopping} onClick=${() => stop()}>${stopping ? W.run.stopping : W.run.stop}</button>
      <button disabled=${finishing} onClick=${() => finish()}>${W.run.finish}</button>`}
    ${run.question && shown !== "live" && html`<a class="button main" href=${`${at}/live`}>${W.run.answer}</a>`}
    ${run.can_resume && html`<button class="main" disabled=${resuming} onClick=${() => resume()}>${W.run.resume}</button>`}
    ${rerun && html`<button class=${shown === "live" ? "" : "late"} disabled=${looking} onClick=${() => look()}>${W.history.again}</button>`}
    ${["find", "review"].includes(run.graph) && run.status === "completed" && !none && watches && html`<a class=${`button ${shown === "live" ? "" : "late"}`} href=${`#/watch/${run.thread}`}>${V.this}</a>`}
    ${["verify", "references"].includes(run.graph) && run.status !== "working" && html`<a class="button late" href=${run.graph === "verify" ? "#/check" : "#/check/references"}>${run.graph === "verify" ? W.check.another : W.references.another}</a>`}
    ${run.status === "completed" && !none && run.graph !== "verify" && tabs.includes("take") && shown !== "take" && html`<a class="button main late" href=${`${at}/take`}>${W.run.tabs.take}</a>`}`;
  return html`<section class="run" aria-label=${W.run.this}>
    <div class="head"><div>
      <h1 dir="auto">${(!/\s/.test(run.title) && run.values.request?.title) || run.title || W.name}</h1>
      <p class="meta" role="status">
        <span class=${`state status ${run.status} ${none ? "none" : ""}`}><${Icon} name=${none ? "failed" : ICONS[run.status]} kind=${ICONS[run.status] === "busy" ? "spin" : ""} />${step ? stepWords("on", step.name, run, model) : none ? W.history.state.none : W.run.status[run.status]}</span>
        ${place >= 0 && html`<span class="num">${stepOf(place, steps.length, run)}</span>`}
        ${bar && bar.done < bar.total && html`<span class="num" aria-hidden="true">${bar.done} ${W.story.of} ${bar.total}</span>`}
        ${stated(run, kept).map((text) => html`<span>${text}</span>`)}
        ${run.status === "completed" && run.started && html`<span class="late">${lasting(Math.max(0, Date.parse(run.updated) - Date.parse(run.started)))}</span>`}
        ${run.started && html`<span class="late">${new Date(run.started).toLocaleDateString(undefined, {day: "numeric", month: "short", year: "numeric"})}</span>`}
        ${run.values.mind === "extractive" && run.graph !== "references" && html`<span class="embedded" title=${W.run.embedded}>${W.run.without}</span>`}
        ${run.parent && html`<a href=${`#/run/${run.parent}`}>${run.graph === "find" ? W.run.started : W.run.edited}</a>`}
      </p></div>
      <div class="tools">${tools}</div></div>
    <${Problem} text=${stopError || finishError || resumeError || lookError} />
    <nav class="tabs" aria-label=${W.run.views}>
      ${run.status !== "loading" && tabs.map((name) => html`<a href=${`${at}/${name}`} aria-current=${name === shown ? "page" : null}>${W.run.tabs[name]}${
        name === "papers" && kept > 0 ? html`<span class="n" aria-hidden="true">${kept}</span>` : ""}</a>`)}
    </nav>
  </section>`;
}

/** Which step of how many it is; the steps of a later search come once more. @param {number} place @param {number} all @param {runs.Run} run */
const stepOf = (place, all, run) => `${W.story.step} ${place + 1} ${W.story.of} ${all}${searches(run) > 1 ? `, ${W.story.round} ${searches(run)}` : ""}`;
/** How often a run has searched. @param {runs.Run} run */
const searches = (run) => Math.max(1, ...run.queries.map((query) => query.hop ?? 1));

/** Money and counts of a run, in words. @param {runs.Run} run @param {number} kept @returns {string[]} */
function stated(run, kept) {
  const spent = (run.values.usage ?? []).reduce((/** @type {number} */ sum, /** @type {any} */ item) => sum + (item.usd ?? 0), 0);
  const cited = run.values.references?.length ?? 0;
  const counts = [kept && `${counted(kept, "paper")} ${W.run.kept}`, Array.isArray(run.values.sentences) && cited && `${cited} ${W.run.cited}`].filter(Boolean).join(", ");
  return [spent > 0 && `${spent.toFixed(2)} USD`, counts].filter(Boolean).map(String);
}

/** How long something took, in words. @param {number} ms */
export const lasting = (ms) => (ms < 90_000 ? `${Math.max(1, Math.round(ms / 1000))} s` : `${Math.round(ms / 60_000)} min`);
