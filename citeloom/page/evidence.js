// What stands behind a sentence: verdicts, quotes, the page they stand on; and the audit of a whole text.
// @ts-check
import {PageOf} from "./page_of.js";
import {abstractTitle, Marked, Out, Quoted} from "./parts.js";
import {html} from "./vendor/preact.js";
import {called, W} from "./words.js";

/** The verdict that counts of a sentence: the worst. @param {any} sentence */
export function worst(sentence) {
  const order = ["contradicted", "not_in_source", "not_in_abstract", "not_checked", "partly", "supported"];
  const verdicts = [...sentence.citations, sentence.verdict].filter(Boolean).map((item) => item.verdict);
  return order.find((name) => verdicts.includes(name)) ?? "";
}

/** @param {{sentence: any, values: any}} props */
export function Evidence({sentence, values}) {
  const library = values.request?.library || "starter";
  const papers = new Map((values.references ?? []).map((/** @type {any} */ item) => [item.paper.id, item]));
  const all = [...sentence.citations, ...(sentence.verdict ? [sentence.verdict] : [])];
  if (!all.length) return html`<p>${sentence.rests_on?.length ? W.text.rests : W.text.without}</p>`;
  return all.map((item) => {
    const cited = papers.get(item.paper);
    const quotes = [item.quote, ...(item.further ?? [])].filter(Boolean);
    return html`<div class="evidence">
      <p><span class=${`support ${item.verdict}`}>${W.text.support[/** @type {keyof typeof W.text.support} */ (item.verdict)] ?? item.verdict}</span>
        ${item.cause && html` <span class="dim">${called(W.text.causes, item.cause)}</span>`}</p>
      ${cited ? html`<p dir="auto">[${cited.number}] ${cited.paper.title} <${Out} paper=${cited.paper} /></p>`
        : item.key && html`<p dir="auto">${values.labels?.[item.key] ?? ""} <span class="dim">${/^(doi|arxiv):/.test(item.paper) ? item.paper : ""}</span></p>`}
      ${quotes.map((quote) => html`<${Quoted} quote=${quote} />
        ${quote.part === "passage" && html`<${PageOf} key=${quote.text} library=${library} paper=${item.paper} quote=${quote.text} />`}`)}
      ${item.nearest?.length > 0 && html`<p class="dim">${W.check.nearest}</p>
        ${item.nearest.map((/** @type {any} */ quote) => html`<${Quoted} quote=${quote} />
          ${quote.part === "passage" && html`<${PageOf} key=${quote.text} library=${library} paper=${item.paper} quote=${quote.text} />`}`)}`}
      ${item.alarms?.map((/** @type {string} */ text) => html`<p class="dim" dir="auto">${text}</p>`)}
      ${item.unread && html`<p class="dim" dir="auto">${W.check.unread} ${item.unread}</p>`}
      ${item.reason && html`<p class="dim" dir="auto">${item.reason}</p>`}
      ${item.better && html`<p class="dim" dir="auto">${W.check.better} ${item.better}</p>`}
      ${cited?.paper.abstract && quotes.length > 0 && html`<details><summary>${abstractTitle(cited.paper)}</summary>
        <p><${Marked} text=${cited.paper.abstract} quotes=${quotes} /></p></details>`}
    </div>`;
  });
}

/** @param {{audit: any}} props */
export function Verdict({audit}) {
  if (!audit) return null;
  if (audit.passed) return html`<p class="audit passed">${W.text.passed}</p>`;
  return html`<div class="audit"><p>${W.text.notPassed}</p><ul>${audit.reasons.map((/** @type {string} */ text) => html`<li dir="auto">${text}</li>`)}</ul></div>`;
}
