// A table of a library: questions to ask of each paper, and what each paper says, with the quote behind it.
// @ts-check
import * as api from "./api.js";
import {Chip, Fold, Panel} from "./components.js";
import {useEstimate} from "./estimate.js";
import {Quotes} from "./evidence.js";
import {Long} from "./long_list.js";
import {useModel} from "./model.js";
import {Nothing, Problem, useAction} from "./parts.js";
import {html, useState} from "./vendor/preact.js";
import {counted, W} from "./words.js";

/** How high a row is that was not drawn yet. */
const ROW = 110;

/**
 * Questions, each a column; asking starts a run.
 * @param {{library: string, papers: number, first?: string[], input?: object, settings?: Record<string, unknown>}} props `papers`: how many rows there will be; `first`: columns to begin with
 */
export function AskEach({library, papers, first = [], input = {}, settings = {}}) {
  const [columns, setColumns] = useState(first);
  const [question, setQuestion] = useState("");
  const words = question.trim();
  const asked = words && !columns.includes(words) ? [...columns, words] : columns;
  const model = useModel();
  const estimate = useEstimate("table", {questions: asked.filter((one) => !first.includes(one)), rows: papers}, settings, model === true && asked.length > first.length);
  const [go, going, error] = useAction(async () => {
    const given = {...input, library, questions: asked};
    location.hash = `#/run/${await api.start("table", given, settings, {title: `${library}: ${asked.join(" ")}`})}/cells`;
  });
  const add = () => (setColumns(asked), setQuestion(""));
  return html`<form class="ask-each" onSubmit=${(/** @type {Event} */ event) => (event.preventDefault(), go())}>
    ${columns.length > 0 && html`<div class="chips" role="group" aria-label=${W.table.columns}>${columns.map((one) => html`<${Chip} pressed=${true}
      toggle=${() => setColumns(columns.filter((other) => other !== one))}>${one}<//>`)}</div>`}
    <div class="compare-add"><label class="field">${W.cells.question}<input placeholder=${W.table.hint} maxlength="2000" value=${question}
        onInput=${(/** @type {any} */ event) => setQuestion(event.target.value)} /></label>
      <button type="button" disabled=${!words || asked.length === columns.length} onClick=${add}>${W.cells.another}</button>
      <button class="main" disabled=${going || !asked.length}>${W.cells.go}</button></div>
    <p class="dim small compare-how" role="status">${counted(papers, "paper")}. ${estimate?.usd ? `${W.estimate.upTo} ${estimate.usd.high.toFixed(2)} ${W.estimate.usd}. `
      : estimate ? `${W.estimate.upTo} ${counted(estimate.calls.high, "call")}. ` : ""}${model === false ? W.cells.free : W.cells.kept}</p>
    <${Problem} text=${error} /></form>`;
}

/** The cells of a run, while they come and afterwards. @param {{run: import("./run.js").Run}} props */
export function Cells({run}) {
  const [chosen, setChosen] = useState(/** @type {[string, number] | null} */ (null));
  const rows = run.values.rows?.length ? run.values.rows : run.rows;
  const columns = /** @type {string[]} */ (run.values.columns ?? run.searched.questions ?? []);
  const row = rows.find((/** @type {any} */ one) => one.paper === chosen?.[0]);
  const cell = row && row.cells[chosen?.[1] ?? 0];
  const library = run.values.request?.library || run.searched.library || "starter";
  const rests = !["working", "loading"].includes(run.status);
  return html`${rests && html`<${Fold} kind="add-fold" summary=${W.table.own} open=${!rows.length}><${AskEach} key=${run.thread} library=${library} papers=${run.values.row_ids?.length || rows.length} first=${columns} input=${run.searched} settings=${run.settings} /><//>`}
    ${run.values.mind === "extractive" && html`<p class="dim small compare-how">${W.cells.embedded}</p>`}
    ${!rows.length && html`<${Nothing}>${rests ? W.cells.none : W.cells.coming}<//>`}
    <div class=${cell ? "compare-grid open" : "compare-grid"}>
      <${Long} items=${rows} id=${(/** @type {any} */ one) => one.paper} height=${ROW} label=${W.run.tabs.cells} kind="cells" draw=${(/** @type {any} */ one) => html`<li key=${one.paper} dir="auto">
        <div><strong>${one.name}</strong><div>${one.title}</div><div class="dim small">${W.cells.texts[/** @type {keyof typeof W.cells.texts} */ (one.text)]}</div></div>
        <dl>${columns.map((column, at) => html`<div><dt class="dim small">${column}</dt><dd><${Said} cell=${one.cells[at]} row=${one}
          pressed=${one === row && at === chosen?.[1]} choose=${() => setChosen([one.paper, at])} /></dd></div>`)}</dl></li>`} />
      ${cell?.quote && html`<${Panel} label=${W.text.evidence} title=${columns[chosen?.[1] ?? 0]} open=${true} close=${() => setChosen(null)} shut=${true}>
        <h3 dir="auto">${row.title}</h3>
        ${cell.answer && html`<p dir="auto">${cell.answer}</p>`}
        <${Quotes} quotes=${[cell.quote]} library=${library} paper=${row.paper} open=${true} /><//>`}
    </div>`;
}

/** What a cell says: an answer, the nearest sentence, or what stands in their place. @param {{cell: any, row: any, pressed: boolean, choose: () => void}} props */
function Said({cell, row, pressed, choose}) {
  if (!cell?.quote) {
    const read = row.text === "full_text" && cell?.kind === "not_found" ? ` (${cell.read} ${W.page.of} ${counted(row.passages, "passage")})` : "";
    return html`<span class="dim">${cell?.kind === "not_found" ? W.cells.notFound : `${W.cells.notRead}${cell?.cause ? `: ${cell.cause}` : ""}`}${read}</span>`;
  }
  return html`${!cell.answer && html`<span class="dim small">${W.cells.nearest}: </span>`}<button type="button" class=${`cell ${cell.answer ? "told" : "own"}`} aria-pressed=${pressed}
    onClick=${choose}>${cell.answer || `“${cell.quote.text}”`}</button>`;
}
