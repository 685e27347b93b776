// Two runs beside each other: the papers that only one has, and what their texts say differently.
// @ts-check
import {Fold} from "./components.js";
import {difference} from "./diff.js";
import {html, useEffect, useRef} from "./vendor/preact.js";
import {called, W} from "./words.js";

/** @typedef {import("./run.js").Run} Run */

/** @param {{runs: Run[]}} props */
export function Compared({runs: [a, b]}) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => place.current?.scrollIntoView(), [a, b]);  // it stands below the list of runs
  // A section that was written from chosen papers searched for none: what both cite can be compared, or what one kept and the other cites.
  const searched = [a, b].every((run) => run.values.papers), citing = !searched && [a, b].every((run) => run.values.references);
  const [left, right] = [a, b].map((run) => new Map((citing ? cited(run) : kept(run) ?? cited(run)).map((/** @type {any} */ item) => [item.paper.id, item.paper.title])));
  const without = (/** @type {Map<string, string>} */ one, /** @type {Map<string, string>} */ other) => [...one].filter(([id]) => !other.has(id));
  const names = (/** @type {[string, string][]} */ papers) => html`<ul class="dots">${papers.map(([, name]) => html`<li dir="auto">${name}</li>`)}</ul>`;
  const only = (/** @type {Run} */ run, /** @type {[string, string][]} */ papers) => html`<h2 dir="auto">${citing ? W.history.onlyCited : W.history.only}
    ${" "}“${run.title}” <span class="dim">${told(run)}</span> (${papers.length})</h2>${names(papers)}`;
  const both = [...left].filter(([id]) => right.has(id));
  return html`<section class="compared" ref=${place} aria-label=${W.history.compare}>
    ${!searched && html`<p class="dim">${citing ? W.history.cited : W.history.mixed}</p>`}
    ${only(a, without(left, right))}
    ${only(b, without(right, left))}
    ${both.length > 0 && html`<${Fold} summary=${`${W.history.both} (${both.length})`}>${names(both)}<//>`}
    ${a.values.related_work && b.values.related_work && html`<h2>${W.text.diff}</h2>
      <p class="changes" dir="auto">${difference(a.values.related_work, b.values.related_work).map(({text, kind}) =>
        kind === "same" ? text : kind === "gone" ? html`<del>${text}</del>` : html`<ins>${text}</ins>`)}</p>`}
  </section>`;
}

/** The papers that a search kept. @param {Run} run @returns {any[] | undefined} */
const kept = (run) => run.values.papers?.filter((/** @type {any} */ item) => item.selected);
/** The papers that a text cites. @param {Run} run @returns {any[]} */
const cited = (run) => run.values.references ?? [];

/** What a run was, and when: a section has the title of its search. @param {Run} run */
const told = (run) => `${called(W.history.kinds, run.graph)}, ${new Date(run.updated || run.started).toLocaleString(undefined, {dateStyle: "medium", timeStyle: "short"})}`;
