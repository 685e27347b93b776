// The citations of any text, checked: what is given, and what came of it.
// @ts-check
import * as api from "./api.js";
import {Evidence, Verdict, worst} from "./evidence.js";
import {Nothing, Problem, Sentence, useAction, useLoaded} from "./parts.js";
import {Kinds, List} from "./references.js";
import {paragraphs} from "./text.js";
import {html, useState} from "./vendor/preact.js";
import {called, W} from "./words.js";

/** @param {{kind: string}} props */
export const Check = ({kind}) => (kind === "references" ? html`<${List} />` : html`<${CheckText} />`);

function CheckText() {
  const [text, setText] = useState("");
  const [papers, setPapers] = useState("");
  const [library, setLibrary] = useState("starter");
  const [sources, setSources] = useState(/** @type {string[]} */ ([]));
  const [found] = useLoaded(() => api.get("/citeloom/libraries"), []);
  const [go, busy, error] = useAction(async () => {
    const ids = papers.split("\n").map((line) => line.trim()).filter(Boolean);
    const input = {text, papers: ids, library, sources: ["library", ...sources]};
    location.hash = `#/run/${await api.start("verify", input, {}, {title: `${W.check.title}: ${text.trim().slice(0, 80)}`})}/live`;
  });
  const take = async (/** @type {any} */ event) => {
    if (event.target.files[0]) setText(await event.target.files[0].text());
  };
  const tick = (/** @type {string} */ name) => (/** @type {any} */ event) =>
    setSources(event.target.checked ? [...sources, name] : sources.filter((item) => item !== name));
  return html`<form class="start" onSubmit=${(/** @type {Event} */ event) => (event.preventDefault(), go())}>
    <${Kinds} chosen="text" />
    <h1>${W.check.title}</h1>
    <p class="lead">${W.check.lead}</p>
    <label>${W.check.text}<textarea rows="12" required value=${text} onInput=${(/** @type {any} */ event) => setText(event.target.value)}></textarea></label>
    <label class="file">${W.check.file}<input type="file" accept=".txt,.md,.tex" onChange=${take} /></label>
    <label>${W.check.papers}<textarea rows="3" value=${papers} onInput=${(/** @type {any} */ event) => setPapers(event.target.value)}></textarea></label>
    <label>${W.start.library}<select onChange=${(/** @type {any} */ event) => setLibrary(event.target.value)}>
      ${(found?.libraries ?? [{name: library}]).map((/** @type {any} */ item) => html`<option value=${item.name} selected=${item.name === library}>${item.name}</option>`)}</select></label>
    <fieldset><legend>${W.start.sources}</legend>
      ${Object.entries({...W.start.sourceNames, crossref: "Crossref"}).map(([name, words]) => html`<label class="tick">
        <input type="checkbox" checked=${sources.includes(name)} onChange=${tick(name)} /> ${words}</label>`)}
      <p class="hint">${W.check.sourcesHint}</p></fieldset>
    <${Problem} text=${error} />
    <button class="main" disabled=${busy}>${busy ? W.start.going : W.check.go}</button>
  </form>`;
}

/** @param {{run: import("./run.js").Run}} props */
export function Checked({run}) {
  const sentences = /** @type {any[]} */ (run.values.sentences ?? []);
  const [at, setAt] = useState(0);
  const chosen = sentences.find((item) => item.number === at);
  if (!sentences.length) return html`<${Nothing}>${W.check.none}<//>`;
  const audit = run.values.audit;
  return html`<${Verdict} audit=${audit} />
    <div class="columns text">
      <article>
        ${paragraphs(sentences).map((part) => html`<p dir="auto">${part.map((item) => html`<${Sentence} kind=${worst(item)}
          chosen=${item.number === at} choose=${() => setAt(item.number)}>${item.text}<//> `)}</p>`)}
        ${audit?.references?.length > 0 && html`<h2>${W.text.references}</h2>
          <ul>${audit.references.map((/** @type {any} */ item) => html`<li dir="auto"><strong>${item.key}</strong> ${called(W.text.causes, item.cause)}: ${item.detail}
            ${item.remedy && html`<div class="dim">${item.remedy}</div>`}</li>`)}</ul>`}
        ${audit?.uncited_claims?.length > 0 && html`<h2>${W.check.uncited}</h2>
          <ul>${audit.uncited_claims.map((/** @type {any} */ item) => html`<li dir="auto">${item.text} <span class="dim">${item.why}</span></li>`)}</ul>`}
        ${audit?.notes?.map((/** @type {string} */ note) => html`<p class="hint" dir="auto">${note}</p>`)}
      </article>
      <aside aria-label=${W.text.evidence}><h2>${W.text.evidence}</h2>
        <div role="status">${chosen ? html`<${Evidence} sentence=${chosen} values=${run.values} />` : html`<${Nothing}>${W.text.choose}<//>`}</div></aside>
    </div>`;
}
