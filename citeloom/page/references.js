// A list of references: what came of looking each one up, with the right value where a detail is wrong.
// @ts-check
import * as api from "./api.js";
import {useKept} from "./choices.js";
import {Chip, Fold} from "./components.js";
import {corrected, download} from "./mend.js";
import {byline, Nothing, Out, Problem, useAction} from "./parts.js";
import {Verdict} from "./shapes.js";
import {html, useState} from "./vendor/preact.js";
import {counted, W} from "./words.js";

const PAGE = 200;
const UNSURE = 0.5;
/** @type {Record<string, string>} */
const FILES = {BibTeX: "references.bib", "CSL JSON": "references.csl.json", RIS: "references.ris"};

/**
 * One reference as a row.
 * @typedef {{id: string, number: string, printed: string, title: string, outcome: string, wrong: {field: string, stated: string, right: string}[], said: string[], paper?: any, record?: any}} Row
 */

/** @param {{rows: Row[], fixed: Record<string, string>, fix: (rows: Row[]) => void, undo: (row: Row) => void}} props */
export function ReferenceRows({rows, fixed, fix, undo}) {
  const open = rows.filter((row) => !fixed[row.id] && corrected(row.printed, row.wrong));
  return html`<div class="rise-top"><h2 id="ref-h">${W.text.references}</h2>
      ${open.length > 1 && html`<button type="button" class="tiny" onClick=${() => fix(open)}>${W.references.fixAll} ${open.length}</button>`}</div>
    <ol class="references checked">${rows.map((row) => html`<li key=${row.id} id=${`ref-${row.id}`}>
      <span class="num dim">${row.number}</span>
      <div><p dir="auto"><strong>${row.title}</strong> ${row.paper && html`<${Out} paper=${row.paper} />`}</p>
        ${known(row) && html`<p class="dim small" dir="auto">${known(row)}</p>`}
        ${fixed[row.id] ? html`<p class="small" dir="auto"><span class="strong">${W.references.fixed}</span> ${fixed[row.id]}</p>`
          : row.printed && html`<${Fold} summary=${W.references.printed}><p class="small" dir="auto">${row.printed}</p><//>`}</div>
      <div class="outcome"><span class="support"><${Verdict} verdict=${row.outcome}>${wordsOf(row)}<//></span>
        ${row.wrong.map((one) => html`<span class="small detail" dir="auto"><del>${one.stated}</del> ${one.right && html`<span class="hide">${W.references.right}</span> <ins>${one.right}</ins>`}</span>`)}
        ${row.said.map((text) => html`<span class="dim small detail" dir="auto">${text}</span>`)}
        ${fixed[row.id] ? html`<button type="button" class="tiny" aria-label=${`${W.references.undo} ${row.number}`} onClick=${() => undo(row)}>${W.references.undo}</button>`
          : corrected(row.printed, row.wrong) && html`<button type="button" class="tiny" onClick=${() => fix([row])}>${W.references.fix} ${fields(row)}</button>`}</div>
    </li>`)}</ol>`;
}

/** Who wrote it, when and where, and how often it is cited: of its record, or of what the sources said. @param {Row} row */
const known = ({paper, record}) => [paper && byline(paper), !paper && record?.year, !paper && record?.venue,
  (paper ?? record)?.cited_by != null && counted((paper ?? record).cited_by, "citation"), ...(paper ? details(paper) : [])].filter(Boolean).join(" · ");

/** @param {Row} row */
const fields = (row) => row.wrong.map((one) => W.references.fields[/** @type {keyof typeof W.references.fields} */ (one.field)] ?? one.field).join(", ");
/** What came of a reference, in words. @param {Row} row */
export const wordsOf = (row) => (row.wrong.length ? `${W.references.wrongIn} ${fields(row)}` : kindWords(row.outcome));
/** @param {string} kind */
const kindWords = (kind) => W.references.kinds[/** @type {keyof typeof W.references.kinds} */ (kind)] ?? kind.replaceAll("_", " ");

/** The fixes of a run's references, kept by the server. @param {string} thread @returns {[Record<string, string>, (rows: Row[]) => void, (row: Row) => void, string]} */
export function useFixes(thread) {
  const [fixed, put, error] = useKept(thread, "fixes", /** @type {Record<string, string>} */ ({}));
  const fix = (/** @type {Row[]} */ rows) => put((before) => ({...before, ...Object.fromEntries(rows.map((row) => [row.id, corrected(row.printed, row.wrong)]))}));
  const undo = (/** @type {Row} */ row) => put((before) => ({...before, [row.id]: ""}));
  return [fixed, fix, undo, error];
}

/** @param {{run: import("./run.js").Run}} props */
export function Listed({run}) {
  const all = /** @type {any[]} */ (run.values.references ?? []);
  const [chosen, setChosen] = useState("");
  const [most, setMost] = useState(PAGE);
  const [fixed, fix, undo, unkept] = useFixes(run.thread);
  const [save, busy, error] = useAction((/** @type {string} */ name) => api.save(run.thread, name));
  if (!all.length) return html`<${Nothing}>${W.references.none}<//>`;
  const rows = all.map(rowOf);
  const kinds = [...new Set(rows.map((row) => row.outcome))];
  const shown = rows.filter((row) => !chosen || row.outcome === chosen);
  const mendedList = () => rows.map((row) => fixed[row.id] || row.printed).join("\n\n");
  return html`<div class="text-bar strip">
      <div class="chips" role="group" aria-label=${W.papers.show}>${kinds.map((kind) => html`<${Chip} pressed=${chosen === kind}
        toggle=${() => (setChosen(chosen === kind ? "" : kind), setMost(PAGE))}><${Verdict} verdict=${kind}>${rows.filter((row) => row.outcome === kind).length} ${kindWords(kind)}<//><//>`)}</div>
      <div class="text-tools">
        ${Object.values(fixed).some(Boolean) && html`<button type="button" class="main" onClick=${() => download("references.txt", mendedList())}>${W.references.saveList}</button>`}
        ${Object.entries(FILES).map(([form, name]) => html`<button type="button" disabled=${busy} onClick=${() => save(name)}>${W.take.save} ${form}</button>`)}</div>
    </div>
    <${Problem} text=${error || unkept} />
    ${(run.values.notes ?? []).map((/** @type {string} */ note) => html`<p class="dim small" dir="auto">${note}</p>`)}
    ${all.every((item) => !item.check) && html`<p class="dim small">${W.references.unasked}</p>`}
    <${ReferenceRows} rows=${shown.slice(0, most)} fixed=${fixed} fix=${fix} undo=${undo} />
    ${shown.length > most && html`<button type="button" onClick=${() => setMost(most + PAGE)}>${W.libraries.more}</button>`}`;
}

/** What came of a reference: of looking it up, or else of reading it. @param {any} item @returns {Row} */
const rowOf = (item) => ({
  id: `r${item.number}`, number: `[${item.label || item.number}]`, printed: item.entry, title: item.paper.title, paper: item.paper,
  outcome: item.check?.outcome ?? (item.confidence < UNSURE ? "unsure" : "read"), wrong: item.check?.wrong ?? [],
  said: [...(item.paper.retracted ? [W.references.retracted] : []), ...saidOf(item.check)],
});

/** Where a reference was found, and where not. @param {any} check @returns {string[]} */
export const saidOf = (check) => [
  check?.found_in?.length && `${W.references.foundIn} ${check.found_in.map(sourceName).join(", ")}`,
  check?.missing_in?.length && check.outcome !== "confirmed" && check.outcome !== "wrong" && `${W.references.missingIn} ${check.missing_in.map(sourceName).join(", ")}`,
  check?.failed_in?.length && `${W.references.failedIn} ${check.failed_in.map(sourceName).join(", ")}`,
].filter(Boolean).map(String);

/** @param {string} name */
const sourceName = (name) => (name.startsWith("library:") ? `${W.start.library} “${name.slice(8)}”`
  : {...W.start.sourceNames, crossref: "Crossref"}[/** @type {"crossref"} */ (name)] ?? name);

/** Volume, pages and what else a record holds as text. @param {any} paper @returns {string[]} */
const details = (paper) => [
  ...["volume", "issue", "pages"].filter((name) => paper[name]).map((name) => `${name} ${paper[name]}`), ...others(paper),
];

/** @param {any} paper @returns {string[]} */
const others = (paper) => (paper.record?.fields ?? [])
  .map((/** @type {[string, string]} */ [name, value]) => [name, JSON.parse(value)])
  .filter((/** @type {[string, any]} */ [, value]) => typeof value === "string")
  .map((/** @type {[string, string]} */ [name, value]) => `${name} ${value}`);
