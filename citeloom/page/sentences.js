// Running text whose sentences can be chosen, each with its verdict's shape and word at its end.
// @ts-check
import {worst} from "./evidence.js";
import {Shape, tone} from "./shapes.js";
import {html} from "./vendor/preact.js";
import {W} from "./words.js";

/** Sentences by paragraph. @param {any[]} sentences @returns {any[][]} */
export function paragraphs(sentences) {
  /** @type {Map<number, any[]>} */
  const found = new Map();
  for (const item of sentences) found.set(item.paragraph, [...(found.get(item.paragraph) ?? []), item]);
  return [...found.values()];
}

/** How many sentences have each verdict, the worst first. @param {any[]} sentences @returns {[string, number][]} */
export function tally(sentences) {
  const kinds = sentences.map(worst).filter(Boolean);
  return Object.keys(W.text.tags).map((kind) => /** @type {[string, number]} */ ([kind, kinds.filter((one) => one === kind).length]))
    .filter(([, count]) => count > 0);
}

/**
 * @param {{item: any, chosen: boolean, choose: () => void, faint?: boolean, expands?: boolean, lead?: boolean}} props `lead` names the theme of its paragraph, `faint` dims it,
 *   `expands` says that what is chosen opens below it
 */
export function Sentence({item, chosen, choose, faint = false, expands = false, lead = false}) {
  const kind = worst(item);
  const press = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choose();
  };
  // A verdict stays on the line of the word before it.
  const bracket = item.text.lastIndexOf("["), last = item.text.trimEnd().lastIndexOf(" ") + 1;
  const cut = bracket > 0 && bracket < last && item.text.indexOf("]", bracket) >= last ? bracket : last;
  return html`<span class=${`s ${kind && tone(kind)} ${kind} ${faint ? "faint" : ""} ${lead ? "lead" : ""}`} role="button" tabindex="0" data-s=${item.number}
    aria-pressed=${expands ? null : chosen} aria-expanded=${expands ? chosen : null} onClick=${choose} onKeyDown=${press}>${cited(item.text.slice(0, cut))}<span
    class="tail">${cited(item.text.slice(cut))}${kind && html`<span class="v"><${Shape} verdict=${kind} /><span class=${kind === "supported" ? "hide" : "tag"}>${
      W.text.tags[/** @type {keyof typeof W.text.tags} */ (kind)]}</span></span>`}</span></span> `;
}

/** A text with its numbers in brackets as references. @param {string} text */
const cited = (text) => text.split(/(\[\d[\d,\s–-]*\])/).map((part, at) => (at % 2 ? html`<span class="ref">${part}</span>` : part));

/** A sentence with numbers in brackets before its full stop. @param {string} text @param {number[]} numbers */
export const numbered = (text, numbers) => (numbers.length ? text.replace(/[.!?]?$/, (end) => ` [${numbers.join(", ")}]${end}`) : text);

/** Bring a sentence into sight, above a sheet where there is one. @param {number} number */
export function reveal(number) {
  const place = document.querySelector(`[data-s="${number}"]`);
  if (!place) return;
  const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
  if (matchMedia("(max-width: 60rem)").matches) scrollTo({top: place.getBoundingClientRect().top + scrollY - 110, behavior});
  else place.scrollIntoView({block: "nearest", behavior});
}
