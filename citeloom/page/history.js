// Earlier runs: open, compare, delete.
// @ts-check
import * as api from "./api.js";
import {Compared} from "./compare_runs.js";
import {Nothing, Problem, useAction, useLoaded} from "./parts.js";
import {read} from "./run.js";
import {Icon} from "./shapes.js";
import {html, useState} from "./vendor/preact.js";
import {W} from "./words.js";

const MOST = 200;
const RECENT = 3;
const STATES = {idle: ["completed", "done"], busy: ["working", "busy"], asks: ["input_required", "ask"], interrupted: ["cancelled", "paused"], error: ["failed", "failed"], none: ["none", "failed"]};

/** What stops a run without a result; see citeloom/runs/runs.py. */
const FATAL = new Set(["input", "plan", "run", "budget"]);

/** What is listed of what a run holds. @param {any} thread @returns {{named?: string, outcome?: string, stopped?: string}} */
const held = (thread) => thread.extracted ?? thread.metadata.extracted ?? {};

/** A run's title; one that began from an id has that of its paper. @param {any} thread @returns {string} */
const titleOf = (thread) => (!/\s/.test(thread.metadata.title) && held(thread).named) || thread.metadata.title || kindOf(thread);

/** What a thread's run is at: one that waits for an answer is not one that was paused, and one without a result is not done. @param {any} thread @returns {keyof typeof STATES} */
const stateOf = (thread) => (thread.status === "idle" && held(thread).stopped === "papers" ? "none" : thread.status === "idle" && held(thread).outcome === "nothing" && FATAL.has(held(thread).stopped ?? "") ? "error" : thread.status === "interrupted" && Object.values(thread.interrupts ?? {}).some((/** @type {any} */ asked) => asked?.length) ? "asks"
  : thread.status in STATES ? thread.status : "idle");

/** @param {{thread: any, before?: any, after?: any, hour?: boolean}} props */
function Row({thread, before, after, hour}) {
  const state = stateOf(thread);
  const [kind, icon] = STATES[state];
  return html`<li>${before}<a href=${place(thread)} dir="auto">${titleOf(thread)}</a>
    <span class="dim small">${kindOf(thread)}${thread.metadata.parent && ["write", "revise"].includes(thread.metadata.citeloom_graph) ? `, ${W.run.edited.toLowerCase()}` : ""}</span>
    <span class=${`state small ${kind}`}><${Icon} name=${icon} kind=${icon === "busy" ? "spin" : ""} />${W.history.state[state]}</span>
    <time class="dim small num" datetime=${thread.updated_at}>${new Date(thread.updated_at).toLocaleString(undefined, {dateStyle: "medium", ...(hour ? {timeStyle: "short"} : {})})}</time>${after}</li>`;
}

/** The last runs, below the place to start. */
export function RecentRuns() {
  const [found] = useLoaded(() => api.threads(20).catch(() => []), []);
  const runs = /** @type {any[]} */ (found ?? []).filter(isRun).slice(0, RECENT);
  return runs.length ? html`<section class="recent" aria-labelledby="recent"><div class="rise-top"><h2 id="recent">${W.start.recent}</h2><a href="#/history">${W.start.all}</a></div>
    <ul>${runs.map((thread) => html`<${Row} key=${thread.thread_id} thread=${thread} />`)}</ul></section>` : null;
}

/** Files that were added are told of in the library. @param {any} thread */
const isRun = (thread) => thread.metadata?.citeloom_graph && thread.metadata.citeloom_graph !== "ingest";

export function History() {
  const [found, error, again] = useLoaded(() => api.threads(MOST), []);
  const [word, setWord] = useState("");
  const [chosen, setChosen] = useState(/** @type {string[]} */ ([]));
  const [both, setBoth] = useState(/** @type {any[] | null} */ (null));
  const [remove, removing, failed] = useAction(async (/** @type {string} */ thread) => {
    if (!confirm(W.history.sure)) return;
    await api.forget(thread);
    setChosen(chosen.filter((item) => item !== thread));
    again();
  });
  const [compare, comparing, wrong] = useAction(async () => setBoth(await Promise.all(chosen.map(read))));
  const runs = /** @type {any[]} */ (found ?? []).filter((thread) => thread.metadata?.citeloom_graph);
  const shown = runs.filter((thread) => [titleOf(thread), kindOf(thread), thread.metadata.searched?.text].join(" ").toLowerCase().includes(word.trim().toLowerCase()));
  const tick = (/** @type {string} */ thread) => (/** @type {any} */ event) =>
    setChosen(event.target.checked ? [...chosen, thread].slice(-2) : chosen.filter((item) => item !== thread));
  return html`<div class="hello"><h1>${W.history.title}</h1></div>
    <${Problem} text=${error || failed || wrong} />
    ${found && !runs.length && html`<${Nothing}>${W.history.none}<//>`}
    ${runs.length > 0 && html`<div class="p-bar"><label class="p-find"><span class="hide">${W.history.find}</span><input type="search" placeholder=${W.history.find} value=${word}
        onInput=${(/** @type {any} */ event) => setWord(event.target.value)} /></label>
      ${runs.length > 1 && html`<button disabled=${chosen.length !== 2 || comparing} onClick=${() => compare()}>${W.history.compare}</button>
        <span class="dim small late">${chosen.length === 2 ? "" : W.history.hint}</span>`}</div>`}
    ${runs.length > 0 && !shown.length && html`<${Nothing}>${W.history.nothing}<//>`}
    <ul class="recent history">${shown.map((thread) => html`<${Row} key=${thread.thread_id} thread=${thread} hour=${true}
      before=${html`<input type="checkbox" aria-label=${`${W.history.choose}: ${titleOf(thread)}`} checked=${chosen.includes(thread.thread_id)} onChange=${tick(thread.thread_id)} />`}
      after=${html`<button class="tiny quiet icon" disabled=${removing} title=${W.history.delete} aria-label=${`${W.history.delete} ${titleOf(thread)}`}
        onClick=${() => remove(thread.thread_id)}><${Icon} name="close" size=${14} /></button>`} />`)}</ul>
    ${both && html`<${Compared} runs=${both} />`}`;
}

/** What a run is, in a word. @param {any} thread */
const kindOf = ({metadata: {citeloom_graph: graph}}) => W.history.kinds[/** @type {keyof typeof W.history.kinds} */ (graph)] ?? graph;

/** Where a run is shown: a conversation where it was had, files in their library. @param {any} thread */
const place = ({thread_id: id, metadata}) => metadata.citeloom_graph === "ingest" ? `#/libraries/${metadata.searched?.library ?? ""}`
  : metadata.citeloom_graph === "ask" ? `#/ask/${metadata.searched?.library ?? "starter"}/${id}` : `#/run/${id}`;
