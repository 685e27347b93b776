// An answer written from whole papers: each line with the words that it comes from, and the works these cite.
// @ts-check
import {PageOf} from "./page_of.js";
import {Nothing, Out, Quoted, Sentence} from "./parts.js";
import {html, useState} from "./vendor/preact.js";
import {W} from "./words.js";

/** @param {{run: import("./run.js").Run}} props */
export function Synthesis({run}) {
  const {lines = [], references = [], lost = [], answer = ""} = run.values;
  const [at, setAt] = useState(0);
  const chosen = lines.find((/** @type {any} */ line) => line.number === at);
  const titles = new Map(references.map((/** @type {any} */ item) => [item.paper.id, item.paper]));
  if (!lines.length) return html`<${Nothing}>${answer || W.synthesis.none}<//>`;
  /** @type {Map<number, any[]>} */
  const parts = new Map();
  for (const line of lines) parts.set(line.paragraph, [...(parts.get(line.paragraph) ?? []), line]);
  const library = run.searched.library || "starter";
  return html`<div class="columns text">
    <article>
      ${[...parts.values()].map((part) => html`<p dir="auto">${part.map((line) => html`<${Sentence} kind=${line.verdict} chosen=${line.number === at}
        choose=${() => setAt(line.number)}>${line.text} [${[...line.primary, ...line.secondary].join(", ")}]<//> `)}</p>`)}
      <h2>${W.text.references}</h2>
      <ol class="references">${references.map((/** @type {any} */ item) => html`<li value=${item.number} dir="auto">${item.entry || item.paper.title}
        <${Out} paper=${item.paper} /> <span class="dim">${item.role === "secondary" ? W.synthesis.secondary : ""}</span></li>`)}</ol>
      ${lost.length > 0 && html`<h2>${W.synthesis.lost}</h2><ul>${lost.map((/** @type {any} */ item) => html`<li dir="auto">${item.text} <span class="dim">${item.cause}</span></li>`)}</ul>`}
    </article>
    <aside aria-label=${W.text.evidence}><h2>${W.text.evidence}</h2>
      <div role="status">${chosen ? chosen.origins.map((/** @type {any} */ origin) => html`<div class="evidence">
        <p dir="auto">${titles.get(origin.paper)?.title ?? ""}</p>
        <p class="dim" dir="auto">${[...(origin.section ?? []), origin.page && `p. ${origin.page}`].filter(Boolean).join(" › ")}</p>
        <${Quoted} quote=${origin.quote} />
        ${origin.page && html`<${PageOf} key=${origin.quote.text} library=${library} paper=${origin.paper} quote=${origin.quote.text} page=${origin.page} />`}
      </div>`) : html`<${Nothing}>${W.text.choose}<//>`}</div></aside>
  </div>`;
}
