// A line of a plan in words: what the sentence does, with which papers, and what it says.
// @ts-check
import {short} from "./graph_layout.js";
import {html} from "./vendor/preact.js";
import {W} from "./words.js";

/** A line as the server prints it: "2. [1], [4] (20 words, contrast): note". */
const FIRM = new RegExp(`^(?:\\d+\\. )?((?:\\[\\d+\\](?:, )?)*) ?\\(((?:\\d+ words, )?)(${Object.keys(W.plan.roles).join("|")})\\)(?:: (.*))?$`);

/**
 * What draws a line of a plan for `Lines`; a line in other words stays text.
 * @param {any[]} papers cards with `number` and `title`
 * @returns {(line: string, put: (line: string) => void, at: number) => any}
 */
export const planLine = (papers) => (line, put, at) => {
  if (!line.trim()) return html`<span class="dim small plan-gap">${W.plan.gap}</span>`;
  if (/^#/.test(line)) {
    return html`<input class="plan-theme" dir="auto" value=${line.replace(/^#+ ?/, "")} placeholder=${W.plan.name} aria-label=${`${W.papers.theme} ${at + 1}`} onInput=${(/** @type {any} */ event) => put(`# ${event.target.value}`)} />`;
  }
  const [, named, words, role, note = ""] = FIRM.exec(line) ?? [];
  if (!role) return null;
  const numbers = [...named.matchAll(/\d+/g)].map(([number]) => Number(number));
  const told = (/** @type {{cites?: number[], does?: string, says?: string}} */ {cites = numbers, does = role, says = note}) =>
    put(`${cites.map((number) => `[${number}]`).join(", ")} (${words}${does})`.trim() + (says ? `: ${says}` : ""));
  const titles = new Map(papers.map((card) => [card.number, card.title]));
  const others = papers.filter((card) => !numbers.includes(card.number));
  return html`<div class="plan-line" role="group" aria-label=${`${W.question.line} ${at + 1}`}>
    <select aria-label=${W.plan.does} value=${role} onChange=${(/** @type {any} */ event) => told({does: event.target.value})}>
      ${Object.entries(W.plan.roles).map(([name, does]) => html`<option value=${name} selected=${name === role}>${does}</option>`)}</select>
    ${numbers.map((number) => html`<span class="chip plan-paper" dir="auto">[${number}] ${short(titles.get(number) ?? "")}
      <button type="button" class="link" aria-label=${`${W.question.remove} [${number}]`} onClick=${() => told({cites: numbers.filter((one) => one !== number)})}>✕</button></span>`)}
    ${others.length > 0 && html`<select class="plan-add" aria-label=${W.plan.add} onChange=${(/** @type {any} */ event) => (told({cites: [...numbers, Number(event.target.value)]}), (event.target.value = ""))}>
      <option value="">${W.plan.add}</option>${others.map((card) => html`<option value=${card.number}>[${card.number}] ${short(card.title).slice(0, 70)}</option>`)}</select>`}
    <input dir="auto" value=${note} placeholder=${W.plan.says} aria-label=${W.plan.says} onInput=${(/** @type {any} */ event) => told({says: event.target.value})} />
    ${words && html`<span class="dim small">${W.story.about} ${words.replace(", ", "")}</span>`}</div>`;
};
