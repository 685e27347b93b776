// The comparison of the cited papers, a quote behind each cell; and columns of one's own, each a question.
// @ts-check
import * as api from "./api.js";
import {useKept} from "./choices.js";
import {Nothing, Problem, Quoted, useAction, useLoaded, whose} from "./parts.js";
import {html, useState} from "./vendor/preact.js";
import {W} from "./words.js";

/** @typedef {{text: string, quotes: any[]}} Cell */
/** @typedef {{question: string, cells: Record<string, Cell>}} Column */

const AT_ONCE = 3;

/** @param {{run: import("./run.js").Run}} props */
export function Table({run}) {
  const table = run.values.table;
  const rows = /** @type {any[]} */ (table?.rows ?? []);
  const [columns, putColumns, unkept] = useKept(run.thread, "columns", /** @type {Column[]} */ ([]));
  const [found] = useLoaded(() => api.get("/citeloom/libraries"), []);
  const [library, setLibrary] = useState(run.values.request?.library || "starter");
  const [question, setQuestion] = useState("");
  const [done, setDone] = useState(0);
  const [add, busy, error] = useAction(async () => {
    /** @type {Record<string, Cell>} */
    const cells = {};
    const left = [...rows];
    setDone(0);
    await Promise.all(Array.from({length: AT_ONCE}, async () => {
      for (let row = left.shift(); row; row = left.shift()) {
        cells[row.paper] = await asked(question, library, row.paper, run.settings);
        setDone(Object.keys(cells).length);
      }
    }));
    putColumns((before) => [...before, {question, cells}]);
    setQuestion("");
  });
  if (!rows.length) return html`<${Nothing}>${W.table.none}<//>`;
  /** @type {(keyof typeof W.table.facets)[]} */
  const facets = table.facets.filter((/** @type {string} */ facet) => rows.some((row) => row.cells[facet]));
  return html`
    <form class="bar" onSubmit=${(/** @type {Event} */ event) => (event.preventDefault(), add())}>
      <label class="grow">${W.table.column}<input required placeholder=${W.table.hint} value=${question}
        onInput=${(/** @type {any} */ event) => setQuestion(event.target.value)} /></label>
      <label>${W.table.library}<select onChange=${(/** @type {any} */ event) => setLibrary(event.target.value)}>
        ${(found?.libraries ?? [{name: library}]).map((/** @type {any} */ item) => html`<option value=${item.name} selected=${item.name === library}>${item.name}</option>`)}</select></label>
      <button disabled=${busy}>${busy ? `${done} / ${rows.length}` : W.table.add}</button>
    </form>
    <p class="hint">${W.table.from}</p>
    <${Problem} text=${error || unkept} />
    <div class="wide" tabindex="0" role="region" aria-label=${W.run.tabs.table}><table>
    <thead><tr><th scope="col">${W.table.paper}</th>
      ${columns.map((column) => html`<th scope="col" dir="auto">${column.question} <button class="small" aria-label=${`${W.table.drop}: ${column.question}`}
        onClick=${() => putColumns((before) => before.filter((one) => one.question !== column.question))}>✕</button></th>`)}
      ${facets.map((facet) => html`<th scope="col">${W.table.facets[facet] ?? facet}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>
      <th scope="row" dir="auto">${row.number ? `[${row.number}] ` : ""}${row.name}<div class="dim">${row.title}</div></th>
      ${columns.map((column) => html`<td dir="auto"><${Shown} cell=${column.cells[row.paper]} /></td>`)}
      ${facets.map((facet) => html`<td dir="auto">${row.cells[facet] && html`<${Shown} cell=${{text: row.cells[facet].text, quotes: [row.cells[facet].quote]}} />`}</td>`)}
    </tr>`)}</tbody></table></div>`;
}

/** @param {{cell?: Cell}} props */
const Shown = ({cell}) => cell?.text
  ? html`${cell.text}${cell.quotes.map((quote) => (quote.text === cell.text
    ? html`<div class="dim">${whose(quote)}</div>` : html`<${Quoted} quote=${quote} />`))}`
  : html`<span class="dim">${W.table.untold}</span>`;

/**
 * What one paper says to a question.
 * @param {string} question @param {string} library @param {string} paper @param {Record<string, unknown>} settings
 * @returns {Promise<Cell>}
 */
async function asked(question, library, paper, settings) {
  const given = {assistant_id: "ask", input: {question, library, papers: [paper]}, context: {max_usd: settings.max_usd ?? null}};
  const told = await api.post("/runs/wait", given);
  if (told.stop) throw new Error(told.stop.cause);
  return {
    text: (told.sentences ?? []).map((/** @type {any} */ item) => item.text).join(" "),
    quotes: (told.claims ?? []).map((/** @type {any} */ claim) => claim.quote),
  };
}
