// A list of references, read and looked up: what is given, and what came of each.
// @ts-check
import * as api from "./api.js";
import {base64} from "./libraries.js";
import {byline, Nothing, Out, Problem, useAction} from "./parts.js";
import {html, useState} from "./vendor/preact.js";
import {W} from "./words.js";

const PAGE = 200;
const UNSURE = 0.5;
/** @type {Record<string, string>} */
const FILES = {BibTeX: "references.bib", "CSL JSON": "references.csl.json", RIS: "references.ris"};

/** What can be checked, one being shown. @param {{chosen: "text" | "references"}} props */
export const Kinds = ({chosen}) => html`<nav class="tabs" aria-label=${W.check.kinds}>
  <a href="#/check" aria-current=${chosen === "text" ? "page" : null}>${W.check.kindText}</a>
  <a href="#/check/references" aria-current=${chosen === "references" ? "page" : null}>${W.check.kindReferences}</a></nav>`;

export function List() {
  const [text, setText] = useState("");
  const [file, setFile] = useState(/** @type {File | null} */ (null));
  const [sources, setSources] = useState(/** @type {string[]} */ ([]));
  const [go, busy, error] = useAction(async () => {
    const uploads = file ? [{name: file.name, content: await base64(file), encoding: "base64"}] : [];
    const title = `${W.references.run}: ${(text.trim() || file?.name || "").slice(0, 80)}`;
    location.hash = `#/run/${await api.start("references", {text, uploads, sources}, {}, {title})}/live`;
  });
  const tick = (/** @type {string} */ name) => (/** @type {any} */ event) =>
    setSources(event.target.checked ? [...sources, name] : sources.filter((item) => item !== name));
  return html`<form class="start" onSubmit=${(/** @type {Event} */ event) => (event.preventDefault(), go())}>
    <${Kinds} chosen="references" />
    <h1>${W.references.title}</h1>
    <p class="lead">${W.references.lead}</p>
    <label>${W.references.text}<textarea rows="12" required=${!file} value=${text} onInput=${(/** @type {any} */ event) => setText(event.target.value)}></textarea></label>
    <label class="file">${W.references.file}<input type="file" accept=".pdf,.docx,.html,.htm,.xml,.tex,.bbl,.md,.txt"
      onChange=${(/** @type {any} */ event) => setFile(event.target.files[0] ?? null)} /></label>
    <fieldset><legend>${W.references.sources}</legend>
      ${Object.entries({...W.start.sourceNames, crossref: "Crossref"}).map(([name, words]) => html`<label class="tick">
        <input type="checkbox" checked=${sources.includes(name)} onChange=${tick(name)} /> ${words}</label>`)}
      <p class="hint">${W.references.sourcesHint}</p></fieldset>
    <${Problem} text=${error} />
    <button class="main" disabled=${busy}>${busy ? W.start.going : W.references.go}</button>
  </form>`;
}

/** @param {{run: import("./run.js").Run}} props */
export function Listed({run}) {
  const all = /** @type {any[]} */ (run.values.references ?? []);
  const [chosen, setChosen] = useState("");
  const [most, setMost] = useState(PAGE);
  const [save, busy, error] = useAction((/** @type {string} */ name) => api.save(run.thread, name));
  if (!all.length) return html`<${Nothing}>${W.references.none}<//>`;
  const counts = new Map();
  for (const kind of all.map(kindOf)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const shown = all.filter((item) => !chosen || kindOf(item) === chosen);
  return html`<div class="bar">
      <label>${W.papers.show}<select onChange=${(/** @type {any} */ event) => (setChosen(event.target.value), setMost(PAGE))}>
        <option value="">${W.references.all} (${all.length})</option>
        ${[...counts].map(([kind, count]) => html`<option value=${kind} selected=${kind === chosen}>${wordsOf(kind)} (${count})</option>`)}</select></label>
      ${Object.entries(FILES).map(([form, name]) => html`<button type="button" disabled=${busy} onClick=${() => save(name)}>${W.take.save} ${form}</button>`)}
    </div>
    <${Problem} text=${error} />
    ${(run.values.notes ?? []).map((/** @type {string} */ note) => html`<p class="hint" dir="auto">${note}</p>`)}
    <ol class="references checked">${shown.slice(0, most).map((item) => html`<${One} key=${item.number} item=${item} />`)}</ol>
    ${shown.length > most && html`<button type="button" onClick=${() => setMost(most + PAGE)}>${W.libraries.more}</button>`}`;
}

/** @param {{item: any}} props */
function One({item}) {
  const kind = kindOf(item);
  const wrong = /** @type {any[]} */ (item.check?.wrong ?? []);
  return html`<li value=${item.number}>
    <div dir="auto"><strong>${item.paper.title}</strong> <${Out} paper=${item.paper} /></div>
    <div class="dim" dir="auto">${[byline(item.paper), ...details(item.paper)].filter(Boolean).join(" · ")}</div>
    <div><span class=${`support ${kind}`}><span aria-hidden="true">${SHAPES[kind] ?? "?"}</span> ${wordsOf(kind)}</span>
      ${item.check?.found_in?.length > 0 && html` <span class="dim">${item.check.found_in.join(", ")}</span>`}
      ${item.paper.retracted && html` <strong class="support contradicted">${W.references.retracted}</strong>`}</div>
    ${wrong.map((one) => html`<div dir="auto">${one.field}: ${W.references.stated} <del>${one.stated}</del>${one.right && html`, ${W.references.right} <ins>${one.right}</ins>`}</div>`)}
    <div class="dim" dir="auto">${W.references.printed}: ${item.entry}</div></li>`;
}

/** @type {Record<string, string>} */
const SHAPES = {confirmed: "✓", wrong: "≠", not_found: "?", likely_invented: "✕", incomplete: "…", unsure: "!", read: "–", not_asked: "–"};

/** What came of a reference: of looking it up, or else of reading it. @param {any} item @returns {string} */
const kindOf = (item) => item.check?.outcome ?? (item.confidence < UNSURE ? "unsure" : "read");

/** @param {string} kind */
const wordsOf = (kind) => W.references.kinds[/** @type {keyof typeof W.references.kinds} */ (kind)] ?? kind.replaceAll("_", " ");

/** Volume, pages and what else a record holds as text. @param {any} paper @returns {string[]} */
const details = (paper) => [
  ...["volume", "issue", "pages"].filter((name) => paper[name]).map((name) => `${name} ${paper[name]}`), ...others(paper),
];

/** @param {any} paper @returns {string[]} */
const others = (paper) => (paper.record?.fields ?? [])
  .map((/** @type {[string, string]} */ [name, value]) => [name, JSON.parse(value)])
  .filter((/** @type {[string, any]} */ [, value]) => typeof value === "string")
  .map((/** @type {[string, string]} */ [name, value]) => `${name} ${value}`);
