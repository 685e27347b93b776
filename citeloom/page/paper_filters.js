// Which papers of a run are shown, and in which order.
// @ts-check
import {Chip, Pop} from "./components.js";
import {byline} from "./parts.js";
import {html} from "./vendor/preact.js";
import {called, W} from "./words.js";

/** @typedef {{word: string, show: string, sort: string, theme: string, source: string, from: string, to: string}} Filter */

/** @param {string} show @param {any} item @param {import("./choices.js").Choice} choice @param {Set<string> | null} seen */
function fits(show, item, choice, seen) {
  const kept = choice.must || choice.add || (item.selected && !choice.drop);
  return show === "kept" ? kept : show === "seen" ? !kept && !choice.drop : show === "out" ? choice.drop : show === "noted" ? choice.note
    : Boolean(seen && !seen.has(item.paper.id));
}

/** Where a paper was found: a source, or links. @param {any} item @returns {string[]} */
const places = (item) => (item.found_by ?? []).map((/** @type {any} */ hit) => (["reference", "citation"].includes(hit.via) ? "links" : hit.source.split(":")[0]));

/** @param {any[]} papers @param {Filter & {choices: Record<string, any>, order: string[], known: import("./paper_row.js").Known, seen: Set<string> | null}} by */
export function listed(papers, {word, show, sort, theme, source, from, to, choices, order, known, seen}) {
  const wanted = word.trim().toLowerCase();
  const found = papers.filter((item) => {
    const {paper} = item;
    const choice = choices[paper.id] ?? {};
    if (!fits(show, item, choice, seen)) return false;
    if (theme && known.themes.get(paper.id)?.[0] !== theme) return false;
    if (source && !places(item).includes(source)) return false;
    if ((from && !(paper.year >= Number(from))) || (to && !(paper.year <= Number(to)))) return false;
    return !wanted || [paper.title, paper.abstract ?? "", byline(paper), choice.note ?? ""].some((text) => text.toLowerCase().includes(wanted));
  });
  const place = new Map(order.map((id, at) => [id, at]));
  /** @type {Record<string, (a: any, b: any) => number>} */
  const orders = {
    rank: (a, b) => (place.get(a.paper.id) ?? order.length) - (place.get(b.paper.id) ?? order.length),
    year: (a, b) => (b.paper.year ?? 0) - (a.paper.year ?? 0),
    cited: (a, b) => (known.citedHere.get(b.paper.id) ?? 0) - (known.citedHere.get(a.paper.id) ?? 0),
    world: (a, b) => (b.paper.cited_by ?? -1) - (a.paper.cited_by ?? -1),
    title: (a, b) => a.paper.title.localeCompare(b.paper.title),
  };
  return found.toSorted(orders[sort]);
}

/** @param {{papers: any[], choices: Record<string, any>, known: import("./paper_row.js").Known, filter: Filter, put: (change: Partial<Filter>) => void, fresh: any, density: any, children?: any}} props */
export function Filters({papers, choices, known, filter, put, fresh, density, children}) {
  const shows = {...(fresh ? {fresh: W.papers.fresh} : {}), ...W.papers.shows};
  const count = (/** @type {string} */ show) => papers.filter((item) => fits(show, item, choices[item.paper.id] ?? {}, fresh || null)).length;
  const typed = (/** @type {keyof Filter} */ name) => (/** @type {any} */ event) => put({[name]: event.target.value});
  const sources = [...new Set(papers.flatMap(places))];
  const themes = [...new Set([...known.themes.values()].map(([name]) => name))];
  const select = (/** @type {keyof Filter} */ name, /** @type {string} */ label, /** @type {[string, string][]} */ options) => html`<label class="field">${label}<select value=${filter[name]} onChange=${typed(name)}>
    ${options.map(([value, words]) => html`<option value=${value}>${words}</option>`)}</select></label>`;
  const used = [filter.theme, filter.source, filter.from, filter.to].filter(Boolean).length;
  return html`<div class="p-bar strip">
    <label class="p-find"><span class="hide">${W.papers.filter}</span><input type="search" placeholder=${W.papers.filter} value=${filter.word} onInput=${typed("word")} /></label>
    <div class="chips" role="group" aria-label=${W.papers.show}>${Object.entries(shows).map(([name, words]) => (["kept", "seen", "fresh"].includes(name) || count(name) > 0) && html`<${Chip} pressed=${filter.show === name} toggle=${() => put({show: name})}>${words} <span class="num dim">${count(name)}</span><//>`)}${density}</div>
    <${Pop} label=${`${W.papers.filters}${used ? ` (${used})` : ""}`}><div class="filters">
      ${themes.length > 1 && select("theme", W.papers.theme, [["", W.papers.themes], ...themes.map((name) => /** @type {[string, string]} */ ([name, name]))])}
      ${select("source", W.papers.foundBy, [["", W.papers.any], ...sources.map((name) => /** @type {[string, string]} */ ([name, called({library: W.start.library, links: W.story.links, ...W.start.sourceNames, ...W.start.moreSources}, name)]))])}
      <div class="two"><label class="field">${W.papers.years} ${W.papers.from}<input type="number" value=${filter.from} onInput=${typed("from")} /></label>
        <label class="field">${W.papers.to}<input type="number" value=${filter.to} onInput=${typed("to")} /></label></div></div><//>
    <label class="p-sort"><span class="hide">${W.papers.sort}</span><select value=${filter.sort} onChange=${typed("sort")}>
      ${Object.entries(W.papers.sorts).map(([name, words]) => html`<option value=${name}>${words}</option>`)}</select></label>
    ${children}</div>`;
}
