// Small parts that several views use.
// @ts-check
import {html, useEffect, useState} from "./vendor/preact.js";
import {W} from "./words.js";

/** What went wrong, in words. @param {{text: string}} props */
export const Problem = ({text}) =>
  text ? html`<div class="problem" role="alert"><strong>${W.error.title}.</strong> ${text[0].toUpperCase() + text.slice(1)}</div>` : null;

/** An empty place that says what belongs there. @param {{children?: any}} props */
export const Nothing = ({children}) => html`<p class="nothing">${children}</p>`;

/**
 * What an action gives, and how it stands.
 * @template {any[]} T
 * @param {(...given: T) => Promise<unknown>} action
 * @returns {[(...given: T) => Promise<void>, boolean, string]} run it; whether it runs; what went wrong
 */
export function useAction(action) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const run = async (/** @type {T} */ ...given) => {
    setBusy(true);
    setError("");
    try {
      await action(...given);
    } catch (caught) {
      setError(caught instanceof Error ? caught.message : String(caught));
    }
    setBusy(false);
  };
  return [run, busy, error];
}

/**
 * What is loaded once for each change of `depends`.
 * @param {() => Promise<any>} load
 * @param {unknown[]} depends
 * @returns {[any, string, () => void]} it, or null; what went wrong; load it anew
 */
export function useLoaded(load, depends) {
  const [value, setValue] = useState(/** @type {any} */ (null));
  const [error, setError] = useState("");
  const [times, setTimes] = useState(0);
  useEffect(() => {
    let shown = true;
    load().then(
      (found) => shown && (setValue(found), setError("")),
      (caught) => shown && setError(caught.message),
    );
    return () => { shown = false; };
  }, [...depends, times]);
  return [value, error, () => setTimes((/** @type {number} */ n) => n + 1)];
}

/**
 * Lines that a person edits, moves and removes, by mouse or by keys.
 * @param {{lines: string[], change: (lines: string[]) => void, label: string, more?: Record<string, string>,
 *   draw?: (line: string, put: (line: string) => void, at: number) => any}} props
 *   `draw` shows a line otherwise than as text, where it gives something; `more` names what may be added, and how it begins
 */
export function Lines({lines, change, label, more = {[W.question.add]: ""}, draw = () => null}) {
  const [dragged, setDragged] = useState(-1);
  const put = (/** @type {number} */ at, /** @type {string} */ text) =>
    change(lines.map((line, place) => (place === at ? text : line)));
  const move = (/** @type {number} */ at, /** @type {number} */ to) => {
    if (to < 0 || to >= lines.length || at === to || at < 0) return;
    const rest = lines.filter((_, place) => place !== at);
    change([...rest.slice(0, to), lines[at], ...rest.slice(to)]);
  };
  return html`<ol class="lines" aria-label=${label}>
    ${lines.map((line, at) => html`<li class=${line ? "" : "gap"}
        onDragOver=${(/** @type {DragEvent} */ event) => event.preventDefault()}
        onDrop=${(/** @type {DragEvent} */ event) => (event.preventDefault(), move(dragged, at))}>
      <span class="grip" draggable="true" title=${W.question.drag} aria-hidden="true"
        onDragStart=${() => setDragged(at)}>⠿</span>
      ${draw(line, (text) => put(at, text), at) ?? html`<textarea rows=${Math.max(1, Math.ceil(line.length / 80))} value=${line}
        aria-label=${`${W.question.line} ${at + 1}`}
        onInput=${(/** @type {any} */ event) => put(at, event.target.value)}></textarea>`}
      <button type="button" class="small" aria-label=${`${W.question.up} ${at + 1}`} onClick=${() => move(at, at - 1)}>↑</button>
      <button type="button" class="small" aria-label=${`${W.question.down} ${at + 1}`} onClick=${() => move(at, at + 1)}>↓</button>
      <button type="button" class="small" aria-label=${`${W.question.remove} ${at + 1}`}
        onClick=${() => change(lines.filter((_, place) => place !== at))}>✕</button>
    </li>`)}
    <li>${Object.entries(more).map(([name, text]) => html`<button type="button" class="small" onClick=${() => change([...lines, text])}>${name}</button>`)}</li>
  </ol>`;
}

/** Where a clause or a phrase ends, and what may not stand at the end of a name. */
const CLAUSE = /^.{40,}(?=[,;:.](?:\s|$)|\s(?:when|while|whether|that|which|who|where|because|although|if|but|and|or|so)\s)/;
const PHRASE = /^.{40,}(?=\s(?:of|in|on|to|for|from|with|by|at)\s)/;
const OPEN = /(?:\s(?:a|an|the|of|in|on|to|for|from|with|by|at|as|is|are|and|or|that|which|how|into|than|their|its|our))+$/i;

/** A name for a run: the first line, or what of its beginning reads as a phrase. @param {string} text */
export function title(text) {
  const line = text.trim().split("\n")[0].replace(/^#+\s*/, "");
  if (line.length <= 90) return line;
  const cut = line.slice(0, 88).replace(/\s\S*$/, "");
  return `${((CLAUSE.exec(cut) ?? PHRASE.exec(cut))?.[0] ?? cut).replace(OPEN, "")} …`;
}

/** Authors, year and venue of a paper. @param {any} paper */
export function byline(paper) {
  const names = (paper.authors ?? []).map((/** @type {any} */ author) => author.name);
  const who = names.length > 3 ? `${names[0]} et al.` : names.join(", ");
  return [who, paper.year, paper.venue].filter(Boolean).join(" · ");
}

/** Where a paper can be read; only addresses of the web. @param {any} paper */
export function address(paper) {
  if (paper.doi) return `https://doi.org/${encodeURI(paper.doi)}`;
  if (paper.arxiv) return `https://arxiv.org/abs/${encodeURI(paper.arxiv)}`;
  return /^https?:\/\//i.test(paper.url ?? "") ? paper.url : "";
}

/** A link to a paper on the web, if it is known where. @param {{paper: any}} props */
export const Out = ({paper}) => address(paper)
  ? html`<a href=${address(paper)} target="_blank" rel="noreferrer noopener">${W.papers.open}\u00a0↗</a>` : null;

/** What is known of a paper's contents, under what it is. @param {any} paper */
export const abstractTitle = (paper) => (paper.abstract_kind === "annotation" ? W.papers.annotation : W.papers.abstract);

/**
 * A text with quotes marked in it.
 * @param {{text: string, quotes: {text: string, start?: number, end?: number, kind?: string}[]}} props
 */
export function Marked({text, quotes}) {
  const spans = quotes
    .map((quote) => {
      const at = text.slice(quote.start, quote.end) === quote.text ? quote.start ?? 0 : text.indexOf(quote.text);
      return {at, to: at + quote.text.length, kind: quote.kind ?? ""};
    })
    .filter((span) => span.at >= 0 && span.to > span.at)
    .sort((a, b) => a.at - b.at);
  const pieces = [];
  let done = 0;
  for (const span of spans) {
    if (span.at < done) continue;
    pieces.push(text.slice(done, span.at), html`<mark class=${span.kind}>${text.slice(span.at, span.to)}</mark>`);
    done = span.to;
  }
  return html`<span dir="auto">${pieces}${text.slice(done)}</span>`;
}
