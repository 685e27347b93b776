// One record at a time: what it says, the decision by mouse or key, and afterwards what the model said.
// @ts-check
import * as api from "./api.js";
import {Fold, Note} from "./components.js";
import {Letters, useKeys} from "./keys.js";
import {abstractTitle, byline, Nothing, Out, Problem, useAction} from "./parts.js";
import {S} from "./screen_words.js";
import {html, useEffect, useRef, useState} from "./vendor/preact.js";
import {W} from "./words.js";

/** @typedef {"include" | "exclude" | "maybe" | "not_retrieved"} Choice */
const KEYS = /** @type {Record<string, Choice>} */ ({i: "include", m: "maybe", n: "not_retrieved"});

/** @param {import("./screening.js").Shown & {rename: () => void}} props */
export function Decide({name, by, stage, state, rename}) {
  const [paper, setPaper] = useState(state.next);
  const [decided, setDecided] = useState(state.decided);
  const [recall, setRecall] = useState(state.recall);
  const [last, setLast] = useState(/** @type {any} */ (null));
  const [asking, setAsking] = useState(false);
  const [random, setRandom] = useState(false);
  const title = useRef(/** @type {HTMLElement | null} */ (null));
  const place = `/citeloom/screenings/${name}`;
  const drawn = random ? "random" : "ranked";
  const full = stage === "full_text";
  const [decide, busy, error] = useAction(async (/** @type {Choice} */ decision, /** @type {string} */ reason = "") => {
    const told = await api.post(`${place}/decisions`, {by, stage, paper: paper.id, decision, reason, drawn});
    setLast({paper, decision, reason, model: told.model});
    setDecided(decided + 1);
    if (told.recall) setRecall(told.recall);
    show(told.next);
  });
  const [undo, undoing, failed] = useAction(async () => {
    const {next} = await api.post(`${place}/undo`, {by, stage});
    setDecided(decided - 1);
    setLast({paper: next, decision: ""});
    show(next);
  });
  const [draw, drawing, undrawn] = useAction(async (/** @type {boolean} */ at) => {
    setRandom(at);
    show((await api.get(`${place}?${new URLSearchParams({by, stage, drawn: at ? "random" : "ranked"})}`)).next);
  });
  const show = (/** @type {any} */ next) => (setPaper(next), setAsking(false));
  useEffect(() => { if (last) title.current?.focus(); }, [paper?.id]);
  const rests = busy || undoing || drawing;
  const criteria = Object.entries(/** @type {Record<string, string>} */ (state.criteria));
  const free = paper && !rests;
  const by_key = (/** @type {Choice} */ choice) => () => free && !asking && decide(choice);
  useKeys({
    ...Object.fromEntries(Object.entries(KEYS).filter(([letter]) => full || letter !== "n").map(([letter, choice]) => [letter, by_key(choice)])),
    e: () => free && setAsking(true), u: () => !rests && decided > 0 && undo(), Escape: () => setAsking(false),
    ...Object.fromEntries(criteria.slice(0, 9).map(([number], at) => [String(at + 1), () => free && asking && decide("exclude", number)])),
  });
  return html`<div class="decide-grid"><div>
    <${Problem} text=${error || failed || undrawn} />
    ${!paper && html`<${Nothing}>${state.in_stage ? S.done : S.noneHere}<//>`}
    ${paper && html`<section class="card record" aria-label=${S.deciding}>
      <h2 tabindex="-1" ref=${title} dir="auto">${paper.title}</h2>
      <p class="dim small">${byline(paper)} <${Out} paper=${paper} /></p>
      ${paper.abstract ? html`<p class="abstract" dir="auto">${paper.abstract_kind === "annotation" ? `${abstractTitle(paper)}: ` : ""}${paper.abstract}</p>` : html`<p class="dim">${W.papers.noAbstract}</p>`}
      ${asking ? html`<div class="why-out" role="group" aria-label=${S.why}><p class="strong">${S.why}</p>
          ${criteria.map(([number, text], at) => html`<button type="button" disabled=${rests} onClick=${() => decide("exclude", number)}>${at < 9 && html`<kbd>${at + 1}</kbd>`}<span>${number} ${text}</span></button>`)}
          <button type="button" class="quiet" onClick=${() => setAsking(false)}>${S.back}</button></div>`
        : html`<div class="choices"><button type="button" class="main" disabled=${rests} onClick=${() => decide("include")}><kbd aria-hidden="true">i</kbd>${S.choices.include}</button>
          <button type="button" disabled=${rests} onClick=${() => setAsking(true)}><kbd aria-hidden="true">e</kbd>${S.choices.exclude}</button>
          <button type="button" disabled=${rests} onClick=${() => decide("maybe")}><kbd aria-hidden="true">m</kbd>${S.choices.maybe}</button>
          ${full && html`<button type="button" disabled=${rests} onClick=${() => decide("not_retrieved")}><kbd aria-hidden="true">n</kbd>${S.choices.not_retrieved}</button>`}</div>`}
    </section>`}
    <div role="status">${last && html`<${Last} last=${last} />`}</div>
    <p class="decide-do">${decided > 0 && html`<button type="button" disabled=${rests} onClick=${() => undo()}><kbd aria-hidden="true">u</kbd>${S.undo}</button>`} <${Letters}>${full ? S.lettersFull : S.letters}<//></p></div>
  <aside class="decide-side" aria-label=${S.tabs.progress}>
    <p class="num"><strong>${decided}</strong> ${S.of} ${state.in_stage} ${S.decided}</p>
    <svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect width=${100 * decided / (state.in_stage || 1)} height="6" /></svg>
    ${!full && recall && html`<${Recall} recall=${recall} />`}
    <h3>${S.criteria}</h3><dl class="criteria">${criteria.map(([number, text]) => html`<div><dt class="num">${number}</dt><dd dir="auto">${text}</dd></div>`)}</dl>
    ${!full && html`<label class="tick small"><input type="checkbox" checked=${random} disabled=${rests} onChange=${(/** @type {any} */ event) => draw(event.target.checked)} /> ${S.random}</label>`}
    <p class="small dim">${S.you}: <button type="button" class="link" onClick=${rename}>${by}</button></p></aside></div>`;
}

/** What one decided last, and what the model said of it: only now. @param {{last: any}} props */
function Last({last}) {
  if (!last.decision) return html`<p class="small dim">${S.undone} <span dir="auto">${last.paper.title}</span></p>`;
  return html`<p class="small">${S.past[/** @type {Choice} */ (last.decision)]} “<span dir="auto">${last.paper.title}</span>”${last.reason && ` (${last.reason})`}.</p>
    ${last.model.length ? last.model.map((/** @type {any} */ one) => html`<${Said} one=${one} />`) : html`<p class="small dim">${S.noModel}</p>`}`;
}

/** A decision with the words for each criterion. @param {{one: any}} props */
export function Said({one}) {
  const told = html`<span class="small"><strong>${one.kind === "model" ? S.model : `${one.by}:`}</strong> ${S.choices[/** @type {Choice} */ (one.decision)]} ${one.reason} ${one.note}</span>`;
  if (!one.criteria?.length) return html`<p>${told}</p>`;
  return html`<${Fold} summary=${told}><ul class="said small">${one.criteria.map((/** @type {any} */ item) => html`<li><strong>${item.criterion}</strong> ${S.met[/** @type {keyof typeof S.met} */ (item.met)]}
    ${item.quote && html`<blockquote dir="auto">“${item.quote.text}”</blockquote>`}</li>`)}</ul><//>`;
}

/** How much of what is relevant was found, and whether one may stop. @param {{recall: any}} props */
export function Recall({recall}) {
  if (recall.recall === null) return html`<p class="small dim">${S.recall.unknown}</p>`;
  const percent = (/** @type {number} */ share) => `${Math.floor(100 * share)} %`;
  return html`<p class="small">${S.recall.about} ${percent(recall.recall)} ${S.recall.found} ${percent(recall.low)}.</p>
    ${recall.may_stop ? html`<${Note} kind="ask" icon="done"><strong>${S.recall.stop}</strong> ${S.recall.stopWhy}<//>` : html`<p class="small dim">${S.recall.on} ${recall.left} ${S.recall.left}.</p>`}`;
}
