// Earlier runs: open, compare, delete.
// @ts-check
import * as api from "./api.js";
import {difference} from "./diff.js";
import {Nothing, Problem, useAction, useLoaded} from "./parts.js";
import {read} from "./run.js";
import {html, useState} from "./vendor/preact.js";
import {W} from "./words.js";

export function History() {
  const [found, error, again] = useLoaded(() => api.threads(100), []);
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
  const tick = (/** @type {string} */ thread) => (/** @type {any} */ event) =>
    setChosen(event.target.checked ? [...chosen, thread].slice(-2) : chosen.filter((item) => item !== thread));
  return html`<h1>${W.history.title}</h1>
    <${Problem} text=${error || failed || wrong} />
    ${found && !runs.length && html`<${Nothing}>${W.history.none}<//>`}
    <ul class="history">${runs.map((thread) => html`<li>
      <input type="checkbox" aria-label=${`${W.history.choose}: ${thread.metadata.title}`} checked=${chosen.includes(thread.thread_id)} onChange=${tick(thread.thread_id)} />
      <a href=${place(thread)} dir="auto">${thread.metadata.title || kind(thread)}</a>
      <span class="dim">${kind(thread)} · ${new Date(thread.updated_at).toLocaleString()}</span>
      <button class="small" disabled=${removing} aria-label=${`${W.history.delete} ${thread.metadata.title}`} onClick=${() => remove(thread.thread_id)}>${W.history.delete}</button>
    </li>`)}</ul>
    ${runs.length > 1 && html`<button disabled=${chosen.length !== 2 || comparing} onClick=${() => compare()}>${W.history.compare}</button>`}
    ${both && html`<${Compared} runs=${both} />`}`;
}

/** What a run is, in a word. @param {any} thread */
const kind = ({metadata: {citeloom_graph: graph}}) => W.history.kinds[/** @type {keyof typeof W.history.kinds} */ (graph)] ?? graph;

/** Where a run is shown: a conversation goes on where it was had. @param {any} thread */
const place = ({thread_id: id, metadata}) =>
  metadata.citeloom_graph === "ask" ? `#/ask/${metadata.searched?.library ?? "starter"}/${id}` : `#/run/${id}`;

/** @param {{runs: import("./run.js").Run[]}} props */
function Compared({runs: [a, b]}) {
  const kept = (/** @type {any} */ run) => new Map((run.values.papers ?? []).filter((/** @type {any} */ item) => item.selected)
    .map((/** @type {any} */ item) => [item.paper.id, item.paper.title]));
  const [left, right] = [kept(a), kept(b)];
  const only = (/** @type {Map<string, string>} */ one, /** @type {Map<string, string>} */ other) => [...one].filter(([id]) => !other.has(id));
  const list = (/** @type {string} */ title, /** @type {[string, string][]} */ papers) => html`<h2>${title} (${papers.length})</h2>
    <ul>${papers.map(([, name]) => html`<li dir="auto">${name}</li>`)}</ul>`;
  return html`<section aria-label=${W.history.compare}>
    ${list(`${W.history.only} “${a.title}”`, only(left, right))}
    ${list(`${W.history.only} “${b.title}”`, only(right, left))}
    ${a.values.related_work && b.values.related_work && html`<h2>${W.text.diff}</h2>
      <p dir="auto">${difference(a.values.related_work, b.values.related_work).map(({text, kind}) =>
        kind === "same" ? text : kind === "gone" ? html`<del>${text}</del>` : html`<ins>${text}</ins>`)}</p>`}
  </section>`;
}
