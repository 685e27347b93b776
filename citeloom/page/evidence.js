// What stands behind a sentence: verdicts with their reasons, quotes, the page they stand on.
// @ts-check
import * as api from "./api.js";
import {Fold, isAnnotation, Quote} from "./components.js";
import {PageOf} from "./page_of.js";
import {byline, Marked, Out, Problem, useAction} from "./parts.js";
import {Verdict} from "./shapes.js";
import {html, useState} from "./vendor/preact.js";
import {called, W} from "./words.js";

const ORDER = ["contradicted", "not_in_source", "not_in_abstract", "not_checked", "partly", "supported"];

/** The verdict that counts of a sentence: the worst; "own" where it rests on the person's text, else "". @param {any} sentence */
export function worst(sentence) {
  const verdicts = judged(sentence).map((item) => item.verdict);
  return ORDER.find((name) => verdicts.includes(name)) ?? (sentence.basis ? "own" : "");
}

/** The verdicts on a sentence, on each citation or on the whole. @param {any} sentence @returns {any[]} */
export const judged = (sentence) => [...sentence.citations, sentence.verdict].filter(Boolean);

/** Why a verdict is as it is, in a sentence. @param {any} item */
export function because(item) {
  const why = item.reason || (item.cause && called(W.text.causes, item.cause));
  if (why) return `${why[0].toUpperCase()}${why.slice(1)}${/[.!?]$/.test(why) ? "" : "."}`;
  if (item.verdict !== "supported" || item.by !== "code" || !item.quote) return "";
  return isAnnotation(item.quote) ? W.text.fromAnnotation : W.text.fromPaper;
}

/** The evidence of a sentence, its verdict first. @param {{sentence: any, values: any}} props */
export function Evidence({sentence, values}) {
  const library = values.request?.library || "starter";
  const papers = new Map((values.references ?? []).map((/** @type {any} */ item) => [item.paper.id, item]));
  const all = judged(sentence);
  if (!all.length) {
    return html`<p>${sentence.rests_on?.length ? W.text.rests : sentence.basis ? W.text.ownWords : W.text.without}</p>
      ${sentence.basis && html`<${Quote} quote=${sentence.basis} />`}`;
  }
  const head = all.find((item) => item.verdict === worst(sentence));
  return html`<p><${Verdict} verdict=${head.verdict} /></p>
    ${because(head) && html`<p class="why" dir="auto">${because(head)}</p>`}
    ${all.map((item) => html`<${Source} key=${item.key} item=${item} text=${sentence.text} cited=${papers.get(item.paper)} library=${library} same=${item === head} />`)}
    ${sentence.basis && html`<section class="source"><h3>${W.text.yours}</h3><${Quote} quote=${sentence.basis} /></section>`}`;
}

/** What one source says. @param {{item: any, text: string, cited: any, library: string, same: boolean}} props */
function Source({item, text, cited, library, same}) {
  const quotes = [item.quote, ...(item.further ?? [])].filter(Boolean);
  const title = cited ? `[${cited.number}] ${cited.paper.title}` : item.key ? item.key : W.text.together;
  return html`<section class="source">
    <h3 dir="auto">${title}</h3>
    ${cited && html`<p class="dim small" dir="auto">${byline(cited.paper)} <${Out} paper=${cited.paper} /></p>`}
    ${!same && html`<p class="small"><${Verdict} verdict=${item.verdict} /> ${because(item)}</p>`}
    <${Quotes} quotes=${quotes} library=${library} paper=${item.paper} open=${true} />
    ${!quotes.length && html`<${NearestTo} item=${item} library=${library} />`}
    ${item.unread && html`<p class="dim small" dir="auto">${W.check.unread} ${item.unread}</p>`}
    ${item.alarms?.map((/** @type {string} */ text) => html`<p class="dim small" dir="auto">${text}</p>`)}
    ${item.better && html`<p class="small" dir="auto">${W.check.better} ${item.better}</p>`}
    ${quotes.some((quote) => !isAnnotation(quote)) && html`<${Others} key=${text} paper=${item.paper} like=${text} quotes=${quotes} library=${library} />`}
    ${cited?.paper.abstract && quotes.length > 0 && html`<${Fold} summary=${cited.paper.abstract_kind === "annotation" ? W.text.wholeAnnotation : W.text.wholeAbstract} kind="whole">
      <p class="small"><${Marked} text=${cited.paper.abstract} quotes=${quotes} /></p><//>`}
  </section>`;
}

/** More passages of the paper near a sentence, on request. @param {{paper: string, like: string, quotes: any[], library: string}} props */
function Others({paper, like, quotes, library}) {
  const [found, setFound] = useState(/** @type {any[] | null} */ (null));
  const [look, busy, error] = useAction(async () => {
    const {passages} = await api.get(`/citeloom/libraries/${library}/passages?${new URLSearchParams({paper, like})}`);
    setFound(passages.filter((/** @type {any} */ one) => !quotes.some((quote) => one.text.includes(quote.text))));
  });
  return html`${found ? html`<div role="status"><p class="dim small">${found.length ? W.text.others : W.text.noOthers}</p><${Quotes} quotes=${found} library=${library} paper=${paper} /></div>`
    : html`<button type="button" class="link small" disabled=${busy} onClick=${() => look()}>${W.text.other}</button>`}
    <${Problem} text=${error} />`;
}

/** Quotes of a paper; those of a file open on its page. @param {{quotes: any[], library: string, paper: string, open?: boolean}} props */
export const Quotes = ({quotes, library, paper, open = false}) => quotes.map((quote, at) => html`<${Quote} quote=${quote} where=${quote.place} />
  ${(quote.part === "passage" || (quote.part === "abstract" && open && at === 0)) && html`<${PageOf} key=${quote.text} library=${library} paper=${paper}
    quote=${quote.text} open=${open && at === 0} sure=${quote.part === "passage"} />`}`);

/** The passages nearest to a claim that nobody decided. @param {{item: any, library: string}} props */
export const NearestTo = ({item, library}) => (item.nearest?.length ? html`<p class="dim small">${W.check.nearest}</p>
  <${Quotes} quotes=${item.nearest} library=${library} paper=${item.paper} />` : null);
