// Compare: the cited papers as rows, a quote behind each cell; and columns of one's own, each a question.
// @ts-check
import * as api from "./api.js";
import {useKept} from "./choices.js";
import {Chip, Fold, isAnnotation, Panel} from "./components.js";
import {useEstimate} from "./estimate.js";
import {Quotes} from "./evidence.js";
import {useModel} from "./model.js";
import {byline, Marked, Nothing, Out, Problem, useAction, useLoaded} from "./parts.js";
import {Icon} from "./shapes.js";
import {html, useState} from "./vendor/preact.js";
import {counted, W} from "./words.js";

/** @typedef {{text: string, quotes: any[]}} Cell */
/** @typedef {{question: string, cells: Record<string, Cell>}} Column */
/** @typedef {{name: string, hint: string, filled: number, of: (row: any) => Cell | undefined, drop?: () => void}} Shown */

const AT_ONCE = 3;
/** A facet that fewer of the papers state is left out until it is asked for. */
const ENOUGH = 0.5;

/** @param {{run: import("./run.js").Run}} props */
export function Table({run}) {
  const table = run.values.table;
  const rows = /** @type {any[]} */ (table?.rows ?? []);
  const [columns, putColumns, unkept] = useKept(run.thread, "columns", /** @type {Column[]} */ ([]));
  const [shown, setShown] = useState(/** @type {Record<string, boolean>} */ ({}));
  const [chosen, setChosen] = useState(/** @type {[string, string] | null} */ (null));
  const [adding, setAdding] = useState(false);
  if (!rows.length) return html`<${Nothing}>${W.table.none}<//>`;
  /** @type {Shown[]} */
  const facets = table.facets.map((/** @type {keyof typeof W.table.facets} */ facet) => ({
    name: W.table.facets[facet] ?? facet, hint: W.table.holds[facet] ?? "", filled: rows.filter((row) => row.cells[facet]).length,
    of: (/** @type {any} */ row) => row.cells[facet] && {text: row.cells[facet].text, quotes: [row.cells[facet].quote]},
  }));
  const isShown = (/** @type {Shown} */ facet) => shown[facet.name] ?? facet.filled >= rows.length * ENOUGH;
  const left = facets.filter((facet) => !isShown(facet) && shown[facet.name] === undefined).map((facet) => facet.name);
  /** @type {Shown[]} */
  const own = columns.map((column) => ({
    name: column.question, hint: "", filled: rows.filter((row) => column.cells[row.paper]?.text).length, of: (row) => column.cells[row.paper],
    drop: () => putColumns((before) => before.filter((one) => one.question !== column.question)),
  }));
  const all = [...own, ...facets.filter(isShown)];
  const row = rows.find((one) => one.paper === chosen?.[0]), column = all.find((one) => one.name === chosen?.[1]);
  const cell = row && column?.of(row);
  return html`
    <div class="compare-bar strip"><div class="chips" role="group" aria-label=${W.table.columns}>${facets.map((facet) => html`<${Chip} pressed=${isShown(facet)}
      toggle=${() => setShown({...shown, [facet.name]: !isShown(facet)})}>${facet.name} <span class="dim num">${facet.filled} ${W.page.of} ${rows.length}</span><//>`)}</div>
      <button type="button" aria-expanded=${adding} onClick=${() => setAdding(!adding)}>${W.table.own}</button></div>
    ${adding && html`<${AddColumn} run=${run} rows=${rows} taken=${columns.map((one) => one.question)} put=${(/** @type {Column} */ one) => putColumns((before) => [...before, one])} />`}
    <${Problem} text=${unkept} />
    <p class="dim small compare-how">${run.values.mind === "extractive" && `${W.table.embedded} `}${left.length > 0 && html`<span class="wide-only">${W.table.left} ${left.join(", ")}.</span>`}</p>
    <div class=${cell ? "compare-grid open" : "compare-grid"}>
      <div class="wide" tabindex="0" role="region" aria-label=${W.run.tabs.table}><table>
        <thead><tr><th scope="col">${W.table.paper}</th>${all.map((one) => html`<th scope="col" dir="auto">${one.name}
          ${one.drop && html`<button type="button" class="quiet icon tiny" aria-label=${`${W.table.drop}: ${one.name}`} onClick=${one.drop}><${Icon} name="close" size=${12} /></button>`}
          ${one.hint && html`<span class="dim small">${one.hint}</span>`}</th>`)}</tr></thead>
        <tbody>${rows.map((item) => html`<tr key=${item.paper}>
          <th scope="row" dir="auto"><span class="cite num">${item.number ? `[${item.number}] ` : ""}</span>${item.name}<span class="dim small">${item.title}</span></th>
          ${all.map((one) => html`<td dir="auto"><span class="c-label" aria-hidden="true">${one.name}</span><${InCell} cell=${one.of(item)} pressed=${item === row && one === column}
            choose=${() => setChosen([item.paper, one.name])} /></td>`)}
        </tr>`)}</tbody></table></div>
      ${cell && html`<${Behind} key=${`${row.paper} ${column?.name}`} run=${run} row=${row} name=${column?.name ?? ""} cell=${cell} close=${() => setChosen(null)} />`}
    </div>`;
}

/** What a paper says, in its own words or in CiteLoom's, which look different. @param {{cell?: Cell, pressed: boolean, choose: () => void}} props */
function InCell({cell, pressed, choose}) {
  if (!cell?.text) return html`<span class="dim">${W.table.untold}</span>`;
  const quoted = cell.quotes.find((quote) => quote.text.startsWith(cell.text.replace(/ …$/, "")));
  const kind = !quoted ? "told" : isAnnotation(quoted) ? "noted" : "own";
  return html`<button type="button" class=${`cell ${kind}`} aria-pressed=${pressed} disabled=${!cell.quotes.length} onClick=${choose}>${kind === "own" ? `“${cell.text}”` : cell.text}</button>`;
}

/** The words behind a cell, in their abstract or on their page. @param {{run: import("./run.js").Run, row: any, name: string, cell: Cell, close: () => void}} props */
function Behind({run, row, name, cell, close}) {
  const paper = (run.values.references ?? []).find((/** @type {any} */ item) => item.paper.id === row.paper)?.paper;
  return html`<${Panel} label=${W.text.evidence} title=${name} open=${true} close=${close} shut=${true}>
    <h3 dir="auto">${row.number ? `[${row.number}] ` : ""}${row.title}</h3>
    ${paper && html`<p class="dim small" dir="auto">${byline(paper)} <${Out} paper=${paper} /></p>`}
    <${Quotes} quotes=${cell.quotes} library=${run.values.request?.library || "starter"} paper=${row.paper} open=${true} />
    ${paper?.abstract && html`<${Fold} summary=${paper.abstract_kind === "annotation" ? W.table.wholeNote : W.table.whole} kind="whole"><p class="small"><${Marked} text=${paper.abstract} quotes=${cell.quotes} /></p><//>`}
  <//>`;
}

/** A question put to each paper. @param {{run: import("./run.js").Run, rows: any[], taken: string[], put: (column: Column) => void}} props */
function AddColumn({run, rows, taken, put}) {
  const [found] = useLoaded(() => api.get("/citeloom/libraries"), []);
  const [library, setLibrary] = useState(run.values.request?.library || "starter");
  const [question, setQuestion] = useState("");
  const [done, setDone] = useState(0);
  const model = useModel();
  const words = question.trim();
  const estimate = useEstimate("ask", {question: words, library, papers: [rows[0].paper]}, run.settings, model === true && words.length > 8);
  const [add, busy, error] = useAction(async () => {
    if (taken.includes(words)) throw new Error(W.table.twice);
    /** @type {Record<string, Cell>} */
    const cells = {};
    const left = [...rows];
    setDone(0);
    await Promise.all(Array.from({length: AT_ONCE}, async () => {
      for (let row = left.shift(); row; row = left.shift()) {
        cells[row.paper] = await asked(words, library, row.paper, run.settings);
        setDone(Object.keys(cells).length);
      }
    }));
    put({question: words, cells});
    setQuestion("");
  });
  const span = (/** @type {any} */ range, /** @type {number} */ digits) =>
    [range.low, range.high].map((each) => (each * rows.length).toFixed(digits)).join(` ${W.estimate.to} `);
  const cost = estimate && `${counted(rows.length, "paper")}: ${estimate.usd ? `${span(estimate.usd, 2)} ${W.estimate.usd}` : `${span(estimate.calls, 0)} ${W.nouns.call[1]}`}.`;
  return html`<form class="compare-add" onSubmit=${(/** @type {Event} */ event) => (event.preventDefault(), add())}>
      <label class="field">${W.table.column}<input required placeholder=${W.table.hint} value=${question}
        onInput=${(/** @type {any} */ event) => setQuestion(event.target.value)} /></label>
      <label class="field">${W.table.library}<select onChange=${(/** @type {any} */ event) => setLibrary(event.target.value)}>
        ${(found?.libraries ?? [{name: library}]).map((/** @type {any} */ item) => html`<option value=${item.name} selected=${item.name === library}>${item.name}</option>`)}</select></label>
      <button disabled=${busy || !words}>${busy ? `${done} ${W.page.of} ${rows.length}` : W.table.add}</button>
    </form>
    <p class="dim small compare-how" role="status">${W.table.from} ${cost || (model === false ? W.table.free : "")}</p>
    <${Problem} text=${error} />`;
}

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
