// What a person may do to a text: edit it or its plan line by line, or ask for a change in words.
// @ts-check
import {Fold} from "./components.js";
import {Lines, Problem} from "./parts.js";
import {Card} from "./question.js";
import {planLine} from "./plan_line.js";
import {paragraphs} from "./sentences.js";
import {html, useEffect, useState} from "./vendor/preact.js";
import {W} from "./words.js";

/** @typedef {{kind: "text" | "plan", lines: string[], at?: number}} Edited `at` is the line to begin with */

const MARKER = /\{(P\d+)\}/g;
const LONGEST = 240;

/** Some or all sentences as lines that cite the n-th paper of the whole text as [n], which `revise` takes. @param {any[]} sentences @param {any[]} [whole] */
export function lined(sentences, whole = sentences) {
  const keys = [...new Set(whole.flatMap((item) => [...item.marked.matchAll(MARKER)].map((found) => found[1])))];
  const line = (/** @type {any} */ item) =>
    item.marked.replace(MARKER, (/** @type {string} */ _, /** @type {string} */ name) => `[${keys.indexOf(name) + 1}]`);
  return paragraphs(sentences).map((part) => part.map(line).join("\n")).join("\n\n");
}

/** @param {{edited: Edited, change: (edited: Edited) => void, papers: any[], busy: boolean, error: string, save: (change: Record<string, string>) => void, cancel: () => void}} props */
export function Editor({edited, change, papers, busy, error, save, cancel}) {
  const plan = edited.kind === "plan";
  useEffect(() => /** @type {HTMLElement | null} */ (document.querySelector(`.lines li:nth-child(${edited.at || 1}) :is(textarea, input)`))?.focus(), []);
  return html`<section class="card editor" aria-label=${plan ? W.text.plan : W.text.edit}>
    <h2>${plan ? W.text.plan : W.text.edit}</h2>
    <p class="dim small">${plan ? W.text.planRows : W.text.rows}</p>
    <${Lines} ...${plan ? {draw: planLine(papers), more: W.plan.more} : {}} lines=${edited.lines} label=${plan ? W.text.plan : W.text.edit} change=${(/** @type {string[]} */ lines) => change({...edited, lines})} />
    ${plan && papers.length > 0 && html`<${Fold} summary=${W.question.listed}><ol class="cards">${papers.map((card) => html`<${Card} card=${card} />`)}</ol><//>`}
    <${Problem} text=${error} />
    <p class="do"><button class="main" disabled=${busy} onClick=${() => save({[edited.kind]: edited.lines.join("\n")})}>${plan ? W.text.again : W.text.check}</button>
      <button onClick=${cancel}>${W.text.cancel}</button><span class="dim small">${W.text.makes}</span></p>
  </section>`;
}

/**
 * @param {{run: import("./run.js").Run, sentences: any[], chosen: any, model: boolean | null, busy: boolean, error: string, next: number,
 *   revise: (change: Record<string, string>, told: string) => void}} props
 */
export function Change({run, sentences, chosen, model, busy, error, next, revise}) {
  const [told, setTold] = useState("");
  const [scope, setScope] = useState(/** @type {"sentence" | "paragraph" | "whole"} */ ("sentence"));
  const [asking, setAsking] = useState(false);
  const [copied, setCopied] = useState(0);
  const part = chosen ? sentences.filter((item) => item.paragraph === chosen.paragraph) : [];
  const copy = async () => {
    const cited = new Set(part.flatMap((item) => item.citations.map((/** @type {any} */ one) => one.paper)));
    const listed = (run.values.references ?? []).filter((/** @type {any} */ item) => cited.has(item.paper.id));
    const list = listed.map((/** @type {any} */ item) => `[${item.number}] ${item.entry || item.paper.title}`);
    await navigator.clipboard.writeText([part.map((item) => item.text).join(" "), ...list].join("\n\n"));
    setCopied(chosen.paragraph);
  };
  // Without a model an instruction is about the whole text; the server refuses the rest before it makes a run.
  const asked = (/** @type {string} */ words, /** @type {string} */ of) => (of === "whole" || !model ? words
    : of === "paragraph" ? `${words}. Do this only in the paragraph that begins “${short(part[0].text)}”.`
    : `${words}. Do this only in the sentence “${short(chosen.text)}”.`);
  const send = (/** @type {Event} */ event) => (event.preventDefault(), revise({instruction: asked(told, scope)}, `“${told}”`));
  const numbers = (run.values.references ?? []).filter((/** @type {any} */ item) => chosen?.citations.some((/** @type {any} */ one) => one.paper === item.paper.id));
  // The headings of an annotated list count its papers, so a paper leaves it as a whole.
  const listed = run.values.mind === "extractive" && !model;
  const quick = (/** @type {string} */ words, /** @type {Record<string, string>} */ change) =>
    html`<button type="button" class="tiny" disabled=${busy} onClick=${() => revise(change, words)}>${words}</button>`;
  return html`
    <div class="chips">
      <button type="button" class="tiny change-more" aria-expanded=${asking} onClick=${() => setAsking(!asking)}>${W.text.more}</button>
      ${model && chosen && [W.text.shorter, W.text.soften].map((words) => quick(words, {instruction: asked(words, "sentence")}))}
      ${chosen && !(listed && numbers.length) && quick(W.text.remove, {text: lined(sentences.filter((item) => item !== chosen), sentences)})}
      ${!model && html`${numbers.map((/** @type {any} */ item) => quick(`${W.papers.exclude} [${item.number}]`, {instruction: `without [${item.number}]`}))}
        ${quick(W.text.shortText, {instruction: "shorter"})}`}
      ${chosen && html`<button type="button" class="tiny" onClick=${copy}>${copied === chosen.paragraph ? W.text.copied : W.text.copy}</button>`}
    </div>
    <form class=${`ask-row ${asking ? "open" : ""} ${model ? "" : "free"}`} onSubmit=${send}>
      <input required aria-label=${W.text.ask} placeholder=${model ? W.text.askHint : W.text.askFree} value=${told}
        onInput=${(/** @type {any} */ event) => setTold(event.target.value)} />
      ${model && html`<select aria-label=${W.text.scope} value=${scope} onChange=${(/** @type {any} */ event) => setScope(event.target.value)}>
        ${Object.entries(W.text.scopes).map(([name, words]) => html`<option value=${name}>${words}</option>`)}</select>`}
      <button class="main" disabled=${busy}>${W.text.send}</button>
    </form>
    <p class="dim small makes">${W.text.makesVersion} ${next}.</p>
    <${Problem} text=${error} />`;
}

/** The first words of a text. @param {string} text */
const short = (text) => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
