// An answer written from whole papers: each line with the words that it comes from, and the works these cite.
// @ts-check
import {Note, Panel, Quote} from "./components.js";
import {Letters, useKeys} from "./keys.js";
import {PageOf} from "./page_of.js";
import {byline, Nothing, Out} from "./parts.js";
import {numbered, paragraphs, reveal, Sentence} from "./sentences.js";
import {Icon, Verdict} from "./shapes.js";
import {html, useState} from "./vendor/preact.js";
import {Speak, useSpeech} from "./voice.js";
import {W} from "./words.js";

/** @param {{run: import("./run.js").Run}} props */
export function Synthesis({run}) {
  const {references = [], lost = [], answer = ""} = run.values;
  const lines = sentences(run.values.lines ?? []);
  const [at, setAt] = useState(0);
  const [open, setOpen] = useState(false);
  const [error, setError] = useState("");
  const speech = useSpeech();
  const chosen = lines.find((line) => line.number === at) ?? lines[0];
  const choose = (/** @type {number} */ number) => {
    setAt(number);
    setOpen(true);
    setTimeout(() => reveal(number));
  };
  const step = (/** @type {number} */ by) => {
    const next = lines[lines.indexOf(chosen) + by];
    if (next) choose(next.number);
  };
  const focus = () => /** @type {HTMLElement | null} */ (document.querySelector(`[data-s="${chosen?.number}"]`))?.focus({preventScroll: true});
  const close = () => (setOpen(false), setTimeout(focus));
  useKeys({j: () => step(1), k: () => step(-1), Escape: () => { if (open) close(); }});
  if (!lines.length) return html`<${Nothing}>${answer || W.synthesis.none}<//>`;
  const quoted = run.values.mind === "extractive";
  const listed = (/** @type {string} */ role) => references.filter((/** @type {any} */ item) => item.role === role);
  return html`<div class="text-grid">
    <article aria-label=${W.run.tabs.synthesis}>
      ${speech.speaks && html`<p class="read-aloud"><${Speak} text=${answer} fail=${setError} /></p>`}
      ${error && html`<${Note} kind="warn" icon="failed">${error}<//>`}
      ${paragraphs(lines).map((part) => html`${quoted && headed(part, references)}<p dir="auto">${part.map((item) => html`<${Sentence} key=${item.number} item=${item} chosen=${item === chosen}
        choose=${() => choose(item.number)} />`)}</p>`)}
      ${lost.length > 0 && html`<${Note} kind="warn" icon="failed"><p class="strong">${W.synthesis.lost}</p>
        <ul>${lost.map((/** @type {any} */ item) => html`<li dir="auto">${item.text} <span class="dim">${item.cause}</span></li>`)}</ul><//>`}
      ${["primary", "secondary"].map((role) => listed(role).length > 0 && html`<h2>${role === "primary" ? W.text.references : W.synthesis.secondary}</h2>
        <ol class="refs references">${listed(role).map((/** @type {any} */ item) => html`<li><span class="num dim">[${item.number}]</span>
          <span dir="auto">${item.entry || item.paper.title} <${Out} paper=${item.paper} /></span></li>`)}</ol>`)}
      <${Letters}>${W.text.letters}<//>
    </article>
    <${Panel} label=${W.text.evidence} title=${`${W.text.sentence} ${lines.indexOf(chosen) + 1} ${W.page.of} ${lines.length}`} open=${open} close=${close}
      tools=${html`<button type="button" class="quiet icon tiny" aria-label=${W.text.previous} onClick=${() => step(-1)}><${Icon} name="left" size=${14} /></button>
        <button type="button" class="quiet icon tiny" aria-label=${W.text.next} onClick=${() => step(1)}><${Icon} name="right" size=${14} /></button>`}>
      <${Origins} key=${chosen.number} line=${chosen} values=${run.values} library=${run.searched.library || "starter"} />
    <//>
  </div>`;
}

/** The paper that a paragraph quotes, above it. @param {any[]} part @param {any[]} references */
function headed(part, references) {
  const papers = part.flatMap((line) => line.origins.map((/** @type {any} */ origin) => origin.paper));
  const often = (/** @type {string} */ paper) => papers.filter((one) => one === paper).length;
  const own = references.find((item) => item.paper.id === papers.toSorted((one, other) => often(other) - often(one))[0]);
  return own && html`<h2 class="part" dir="auto">[${own.number}] ${own.paper.title}</h2>`;
}

/** Lines as sentences of a text: with their numbers of works and one verdict. @param {any[]} lines @returns {any[]} */
const sentences = (lines) => lines.map((line) => ({...line, text: numbered(line.text, [...line.primary, ...line.secondary]), citations: [], verdict: line.verdict && {verdict: line.verdict}}));

/** Where a line comes from: each paper with its words and their page. @param {{line: any, values: any, library: string}} props */
function Origins({line, values, library}) {
  const works = new Map((values.references ?? []).map((/** @type {any} */ item) => [item.paper.id, item]));
  // The words of one paper stand together.
  const first = (/** @type {string} */ paper) => line.origins.findIndex((/** @type {any} */ one) => one.paper === paper);
  return html`<p><${Verdict} verdict=${line.verdict.verdict} /></p>
    ${line.origins.toSorted((/** @type {any} */ one, /** @type {any} */ other) => first(one.paper) - first(other.paper)).map((/** @type {any} */ origin, /** @type {number} */ at, /** @type {any[]} */ all) => {
      const more = origin.paper === all[at - 1]?.paper;
      const cited = works.get(origin.paper);
      const where = [...(origin.section ?? []), origin.page && `${W.page.short} ${origin.page}`].filter(Boolean).join(" › ");
      return html`<section class=${more ? "" : "source"}>${cited && !more && html`<h3 dir="auto">[${cited.number}] ${cited.paper.title}</h3>
          <p class="dim small" dir="auto">${byline(cited.paper)} <${Out} paper=${cited.paper} /></p>`}
        <${Quote} quote=${origin.quote} where=${origin.quote.part === "annotation" ? "" : where} />
        ${origin.page && html`<${PageOf} key=${origin.quote.text} library=${library} paper=${origin.paper} quote=${origin.quote.text} page=${origin.page} open=${true} />`}</section>`;
    })}`;
}
