// One paper of a run: its place, why it matters, its quote, and what a person makes of it.
// @ts-check
import {Quote} from "./components.js";
import {abstractTitle, byline, Marked, Out} from "./parts.js";
import {Icon, Verdict} from "./shapes.js";
import {html, useState} from "./vendor/preact.js";
import {counted, W} from "./words.js";

/**
 * @typedef {{titles: Map<string, string>, numbers: Map<string, number>, citedHere: Map<string, number>, themes: Map<string, [string, number]>, criteria: string[], judged: boolean}} Known of all papers of a run
 * @typedef {import("./choices.js").Choice} Choice
 */

/** @param {{item: any, place: number, known: Known, told: boolean, choice: Choice, put: (choice: Choice) => void, move: ((to: number) => void) | null, drag: any}} props `told`: the list says at its top that quotes are annotations */
export function Row({item, place, known, told, choice, put, move, drag}) {
  const {paper, debate} = item;
  const [open, setOpen] = useState(false);
  const kept = choice.must || choice.add || (item.selected && !choice.drop);
  const first = debate?.arguments_for?.[0];
  const [theme, tone] = known.themes.get(paper.id) ?? ["", 0];
  const number = known.numbers.get(paper.id);
  const keys = (/** @type {KeyboardEvent} */ event) => {
    const to = event.key === "ArrowUp" ? place - 1 : event.key === "ArrowDown" ? place + 1 : -1;
    if (!move || !["ArrowUp", "ArrowDown"].includes(event.key)) return;
    event.preventDefault();
    move(to);
  };
  const here = known.citedHere.get(paper.id) ?? 0;
  return html`<li class=${`paper c${known.criteria.length} ${kept ? "" : "out"} ${choice.must ? "must" : ""} ${open ? "open" : ""}`} id=${`paper-${paper.id}`} ...${move ? drag : {}}>
    <div class="p-rank">${move && html`<button type="button" class="grip quiet" draggable="true" title=${W.papers.moveHint} aria-label=${`${W.papers.move} ${place + 1}: ${paper.title}`} onKeyDown=${keys}><${Icon} name="grip" /></button>`}
      <span class="num strong">${place + 1}</span>
      <span class="p-score" title=${`${W.papers.score} ${Math.round(item.score)}`}><svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" class="meter"><rect width=${Math.max(0, Math.min(100, item.score))} height="6" /></svg><span class="num small dim">${Math.round(item.score)}</span></span></div>
    <div class="p-main">
      <h3 dir="auto"><button class="link name" aria-expanded=${open} onClick=${() => setOpen(!open)}>${paper.title}</button></h3>
      <p class="p-meta" dir="auto">${theme && html`<span class=${`theme t${tone}`}>${theme}</span>`}${number && html`<a class="cite" href="#" onClick=${toText} title=${W.papers.in}>[${number}]</a>`}
        <span>${byline(paper)}</span>${here > 0 && html`<span class="num">${W.papers.citedHere} ${here}</span>`}<span class="p-way">${ways(item.found_by ?? [])}</span>
        ${choice.drop && html`<em>${W.papers.dropped}</em>`}${choice.must && html`<em>${W.papers.wanted}</em>`}${choice.add && !item.selected && html`<em>${W.papers.keptByYou}</em>`}</p>
      ${!open && first && known.judged && html`<p class="p-why" dir="auto">${first.claim}</p>`}
      ${!open && first?.quote && html`<${Quote} quote=${first.quote} told=${told} />`}
      ${!first && item.reason && html`<p class="dim small" dir="auto">${item.reason}</p>`}
      ${open && html`<${Detail} titles=${known.titles} item=${item} told=${told} choice=${choice} put=${put} />`}
    </div>
    ${known.criteria.map((name) => html`<${Cell} name=${name} judged=${known.judged} found=${item.criteria?.find((/** @type {any} */ one) => one.criterion === name)} />`)}
    <div class="p-do">
      <button type="button" class="tiny icon quiet" aria-expanded=${open} aria-label=${`${W.papers.more}: ${paper.title}`} title=${W.papers.more} onClick=${() => setOpen(!open)}><${Icon} name="down" size=${13} /></button>
      <button type="button" class="tiny icon quiet star" aria-pressed=${Boolean(choice.must)} aria-label=${`${W.papers.must}: ${paper.title}`} title=${W.papers.must} onClick=${() => put({must: !choice.must, drop: false})}><${Icon} name="star" /></button>
      ${kept ? html`<button type="button" class="tiny icon quiet" aria-label=${`${W.papers.exclude}: ${paper.title}`} title=${W.papers.exclude} onClick=${() => put({drop: true, add: false, must: false})}><${Icon} name="close" size=${14} /></button>`
        : html`<button type="button" class="tiny" onClick=${() => put({drop: false, add: true})} aria-label=${`${W.papers.include}: ${paper.title}`}>${W.papers.include}</button>`}
    </div></li>`;
}

/** Where the text cites it. @param {Event} event */
function toText(event) {
  event.preventDefault();
  location.hash = location.hash.replace(/\/papers$/, "/text");
}

/** One criterion and the words it rests on. @param {{name: string, found: any, judged: boolean}} props */
function Cell({name, found, judged}) {
  const [shape, word] = W.papers.met[/** @type {keyof typeof W.papers.met} */ (found?.met)] ?? ["", judged || !found ? W.papers.unstated : W.papers.unjudged];
  const noted = found?.part === "annotation", quote = found?.quote && (noted ? found.quote : `“${found.quote}”`);
  return html`<div class="p-cell"><span class="p-label">${name}</span>${!shape || found.met === "no" ? html`<span class="dim small">${word}</span>`
    : html`<span class="small"><${Verdict} verdict=${shape}>${word}<//></span>`}${quote && html`<span class=${noted ? "small noted" : "small"} dir="auto">${quote}</span>`}</div>`;
}

/** How often each way found a paper. @param {any[]} hits */
function ways(hits) {
  const by = [...new Set(hits.map((hit) => hit.via))].map((via) => {
    const [one, many] = W.papers.counts[/** @type {keyof typeof W.papers.counts} */ (via)] ?? [via, via];
    const count = new Set(hits.filter((hit) => hit.via === via).map((hit) => hit.by)).size;
    return via === "must_include" ? one : `${count} ${count === 1 ? one : many}`;
  });
  return by.length ? `${W.papers.found.toLowerCase()} ${by.join(", ")}` : "";
}

/** How a paper was found: by which words, or by which paper. @param {any} hit @param {Map<string, string>} titles */
function way(hit, titles) {
  const via = W.papers.vias[/** @type {keyof typeof W.papers.vias} */ (hit.via)];
  const [name, library] = hit.source.split(":");
  const source = W.start.sourceNames[/** @type {keyof typeof W.start.sourceNames} */ (name)] ?? (library ? `${W.start.library} “${library}”` : name);
  const by = hit.via === "query" ? hit.by : titles.get(hit.by);
  return `${via}${by ? ` “${by}”` : ""} (${source})${hit.sentence ? `: “${hit.sentence}”` : ""}`;
}

/** @param {{titles: Map<string, string>, item: any, told: boolean, choice: Choice, put: (choice: Choice) => void}} props */
function Detail({titles, item, told, choice, put}) {
  const {paper, debate} = item;
  const sides = /** @type {const} */ ([["for", debate?.arguments_for ?? []], ["against", debate?.arguments_against ?? []]]);
  const quotes = sides.flatMap(([kind, list]) => list.filter((/** @type {any} */ one) => one.quote?.verified)
    .map((/** @type {any} */ one) => ({...one.quote, kind})));
  const found = [...new Set((item.found_by ?? []).map((/** @type {any} */ hit) => way(hit, titles)))];
  return html`<div class="p-more-box">
    ${sides.map(([kind, list]) => list.length > 0 && html`<h4>${debate.by === "extractive" ? list[0].claim.replace(/\.$/, "") : W.papers[kind]}</h4>
      <ul class=${kind}>${list.map((/** @type {any} */ one) => html`<li dir="auto">${debate.by !== "extractive" && one.claim}${one.quote && html`<${Quote} quote=${one.quote} told=${told || paper.abstract_kind === "annotation"} />`}</li>`)}</ul>`)}
    <h4>${abstractTitle(paper)}</h4>
    <p>${paper.abstract ? html`<${Marked} text=${paper.abstract} quotes=${quotes} />` : W.papers.noAbstract}</p>
    ${item.reason && html`<p class="dim small">${W.papers.why}: ${item.reason}</p>`}
    ${found.length > 0 && html`<div class="dim small">${W.papers.found}:<ul class="dots">${found.map((text) => html`<li dir="auto">${text}</li>`)}</ul></div>`}
    ${paper.cited_by != null && html`<p class="dim small">${counted(paper.cited_by, "citation")}</p>`}
    <label class="field">${W.papers.note}<textarea rows="2" value=${choice.note ?? ""} onInput=${(/** @type {any} */ event) => put({note: event.target.value})}></textarea></label>
    <p><${Out} paper=${paper} /></p>
  </div>`;
}
