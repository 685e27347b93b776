// An answer written from whole papers: each line with the words that it comes from, and the works these cite.
// @ts-check
import {Panel, Quote} from "./components.js";
import {useKeys} from "./keys.js";
import {PageOf} from "./page_of.js";
import {Nothing, Out} from "./parts.js";
import {paragraphs, reveal, Sentence} from "./sentences.js";
import {html, useState} from "./vendor/preact.js";
import {W} from "./words.js";

/** @param {{run: import("./run.js").Run}} props */
export function Synthesis({run}) {
  const {lines = [], references = [], lost = [], answer = ""} = run.values;
  const [at, setAt] = useState(0);
  const [open, setOpen] = useState(false);
  const chosen = lines.find((/** @type {any} */ line) => line.number === at) ?? lines[0];
  const step = (/** @type {number} */ by) => {
    const next = lines[lines.indexOf(chosen) + by];
    if (next) choose(next.number);
  };
  const choose = (/** @type {number} */ number) => (setAt(number), setOpen(true), setTimeout(() => reveal(number)));
  useKeys({j: () => step(1), k: () => step(-1), Escape: () => setOpen(false)});
  if (!lines.length) return html`<${Nothing}>${answer || W.synthesis.none}<//>`;
  const titles = new Map(references.map((/** @type {any} */ item) => [item.paper.id, item.paper]));
  const library = run.searched.library || "starter";
  const shown = (/** @type {any} */ line) => ({...line, text: `${line.text} [${[...line.primary, ...line.secondary].join(", ")}]`, citations: [], verdict: {verdict: line.verdict}});
  return html`<div class="text-grid">
    <article aria-label=${W.run.tabs.synthesis}>
      ${paragraphs(lines).map((part) => html`<p dir="auto">${part.map((line) => html`<${Sentence} item=${shown(line)} chosen=${line === chosen}
        choose=${() => choose(line.number)} />`)}</p>`)}
      <h2>${W.text.references}</h2>
      <ol class="refs references">${references.map((/** @type {any} */ item) => html`<li><span class="num dim">[${item.number}]</span><span dir="auto">${item.entry || item.paper.title}
        <${Out} paper=${item.paper} /> <span class="dim">${item.role === "secondary" ? W.synthesis.secondary : ""}</span></span></li>`)}</ol>
      ${lost.length > 0 && html`<h2>${W.synthesis.lost}</h2><ul class="refs">${lost.map((/** @type {any} */ item) => html`<li class="lost" dir="auto">${item.text} <span class="dim">${item.cause}</span></li>`)}</ul>`}
    </article>
    <${Panel} label=${W.text.evidence} title=${W.ask.passages} open=${open} close=${() => setOpen(false)}>
      ${chosen.origins.map((/** @type {any} */ origin, /** @type {number} */ place) => html`<section class=${place ? "source" : ""} key=${`${chosen.number}-${place}`}>
        <h3 dir="auto">${titles.get(origin.paper)?.title ?? ""}</h3>
        <${Quote} quote=${origin.quote} where=${[...(origin.section ?? []), origin.page && `${W.page.short} ${origin.page}`].filter(Boolean).join(" › ")} />
        ${origin.page && html`<${PageOf} library=${library} paper=${origin.paper} quote=${origin.quote.text} page=${origin.page} />`}
      </section>`)}<//>
  </div>`;
}
