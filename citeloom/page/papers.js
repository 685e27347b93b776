// The papers of a run: why each is there, with its quotes; and what a person makes of them.
// @ts-check
import * as api from "./api.js";
import {chosen, useChoices} from "./choices.js";
import {Complete} from "./complete.js";
import {MakeLibrary} from "./make_library.js";
import {abstractTitle, byline, Long, Marked, Nothing, Out, Problem, Quoted, useAction, useLoaded} from "./parts.js";
import {read} from "./run.js";
import {html, useMemo, useState} from "./vendor/preact.js";
import {counted, W} from "./words.js";

/** @typedef {import("./choices.js").Choice} Choice */

/** @param {{run: import("./run.js").Run}} props */
export function Papers({run}) {
  const papers = /** @type {any[]} */ ((run.values.papers ?? []).filter((/** @type {any} */ item) => item.paper));
  const [choices, put, unkept] = useChoices(run.thread);
  const [word, setWord] = useState("");
  const [show, setShow] = useState(run.parent ? "fresh" : "kept");
  // Where a run was made to see what is new since another one, what that one has not seen is new.
  const [seen] = useLoaded(async () => new Set(run.parent
    ? ((await read(run.parent)).values.papers ?? []).map((/** @type {any} */ item) => item.paper?.id) : []), [run.parent]);
  const [sort, setSort] = useState("rank");
  const numbers = useMemo(
    () => new Map((run.values.references ?? []).map((/** @type {any} */ item) => [item.paper.id, item.number])),
    [run.values],
  );
  const titles = useMemo(() => new Map(papers.map((item) => [item.paper.id, item.paper.title])), [run.values]);
  const shown = useMemo(() => listed(papers, choices, word, show, sort, seen), [run.values, choices, word, show, sort, seen]);
  const shows = run.parent ? {fresh: W.papers.fresh, ...W.papers.shows} : W.papers.shows;
  const changes = papers.filter(({selected, paper: {id}}) =>
    choices[id]?.must || (choices[id]?.add && !selected) || (choices[id]?.drop && selected)).length;
  const [write, busy, error] = useAction(async () => {
    const known = run.parent ? (await read(run.parent)).values : run.values;
    const kept = chosen(papers, choices);
    const must = kept.filter((item) => choices[item.paper.id]?.must).length;
    const cite = known.references?.length;
    const request = run.values.request ?? {};
    const input = {
      text: request.text || run.title, library: request.library || undefined, papers: kept.map((item) => item.paper),
      ...(cite ? {cite: Math.max(must, Math.min(cite, kept.length))} : {}),
    };
    const thread = await api.start("write", input, run.settings, {title: run.title, parent: run.thread});
    location.hash = `#/run/${thread}/live`;
  });
  if (!papers.length) return html`<${Nothing}>${W.papers.none}<//>`;
  const select = (/** @type {string} */ label, /** @type {Record<string, string>} */ options, /** @type {string} */ value, /** @type {(value: string) => void} */ change) =>
    html`<label>${label}<select value=${value} onChange=${(/** @type {any} */ event) => change(event.target.value)}>
      ${Object.entries(options).map(([name, words]) => html`<option value=${name}>${words}</option>`)}</select></label>`;
  return html`
    <${Complete} found=${run.values.completeness} />
    <div class="fields bar">
      <label>${W.papers.filter}<input type="search" value=${word}
        onInput=${(/** @type {any} */ event) => setWord(event.target.value)} /></label>
      ${select(W.papers.show, shows, show, setShow)}
      ${select(W.papers.sort, W.papers.sorts, sort, setSort)}
      <p role="status">${counted(shown.length, "paper")}</p>
    </div>
    <div class="apply">
      <button class="main" disabled=${busy || !changes} onClick=${() => write()}>${W.papers.apply}</button>
      <span class="dim">${counted(changes, "change")}</span>
      <${Problem} text=${error || unkept} />
      <${MakeLibrary} run=${run} papers=${chosen(papers, choices)} />
    </div>
    ${show === "fresh" && seen && !shown.length && html`<${Nothing}>${W.papers.nothingNew}<//>`}
    <${Long} items=${shown} height=${76} label=${W.run.tabs.papers}
      draw=${(/** @type {any} */ item) => html`<${Paper} key=${item.paper.id} item=${item} titles=${titles} number=${numbers.get(item.paper.id)}
        choice=${choices[item.paper.id] ?? {}} put=${(/** @type {Choice} */ choice) => put(item.paper.id, choice)} />`} />`;
}

/** @param {any[]} papers @param {Record<string, Choice>} choices @param {string} word @param {string} show @param {string} sort @param {Set<string> | null} seen */
function listed(papers, choices, word, show, sort, seen) {
  const wanted = word.trim().toLowerCase();
  const found = papers.filter((item) => {
    const {drop, must, add, note} = choices[item.paper.id] ?? {};
    const kept = must || add || (item.selected && !drop);
    if (show === "fresh" && (!seen || seen.has(item.paper.id))) return false;
    if (show === "kept" ? !kept : show === "out" ? kept : show === "noted" ? !note : false) return false;
    return !wanted || [item.paper.title, item.paper.abstract ?? "", byline(item.paper), note ?? ""].some(
      (text) => text.toLowerCase().includes(wanted));
  });
  /** @type {Record<string, (a: any, b: any) => number>} */
  const by = {
    year: (a, b) => (b.paper.year ?? 0) - (a.paper.year ?? 0),
    cited: (a, b) => (b.paper.cited_by ?? -1) - (a.paper.cited_by ?? -1),
    title: (a, b) => a.paper.title.localeCompare(b.paper.title),
  };
  return by[sort] ? found.toSorted(by[sort]) : found;
}

/** @param {{item: any, titles: Map<string, string>, number: number | undefined, choice: Choice, put: (choice: Choice) => void}} props */
function Paper({item, titles, number, choice, put}) {
  const {paper, debate} = item;
  const [open, setOpen] = useState(false);
  const kept = choice.must || choice.add || (item.selected && !choice.drop);
  return html`<li class=${`paper ${kept ? "" : "out"}`} id=${`paper-${paper.id}`}>
    <div class="row">
      <span class="score" title=${W.papers.score}>${Math.round(item.score)}</span>
      <button class="name" aria-expanded=${open} onClick=${() => setOpen(!open)} dir="auto">
        ${number ? `[${number}] ` : ""}${paper.title}</button>
      <span class="actions">
        ${kept ? html`<button class="small" onClick=${() => put({drop: true, add: false, must: false})}>${W.papers.exclude}</button>`
          : html`<button class="small" onClick=${() => put({drop: false, add: true})}>${W.papers.include}</button>`}
        <label class="tick"><input type="checkbox" checked=${Boolean(choice.must)}
          onChange=${(/** @type {any} */ event) => put({must: event.target.checked, drop: false})} /> ${W.papers.must}</label>
      </span>
    </div>
    <div class="dim" dir="auto">${byline(paper)}
      ${choice.drop && html` · <em>${W.papers.dropped}</em>`}${choice.must && html` · <em>${W.papers.wanted}</em>`}</div>
    ${open && html`<${Detail} titles=${titles} paper=${paper} debate=${debate} item=${item} choice=${choice} put=${put} />`}
  </li>`;
}

/** How a paper was found: by which words, or by which paper. @param {any} hit @param {Map<string, string>} titles */
function way(hit, titles) {
  const via = W.papers.vias[/** @type {keyof typeof W.papers.vias} */ (hit.via)];
  const source = W.start.sourceNames[/** @type {keyof typeof W.start.sourceNames} */ (hit.source)] ?? hit.source;
  const by = hit.via === "query" ? hit.by : titles.get(hit.by);
  return `${via}${by ? ` “${by}”` : ""} (${source})${hit.sentence ? `: “${hit.sentence}”` : ""}`;
}

/** @param {{titles: Map<string, string>, paper: any, debate: any, item: any, choice: Choice, put: (choice: Choice) => void}} props */
function Detail({titles, paper, debate, item, choice, put}) {
  const sides = /** @type {const} */ ([["for", debate?.arguments_for ?? []], ["against", debate?.arguments_against ?? []]]);
  const quotes = sides.flatMap(([kind, list]) => list.filter((/** @type {any} */ one) => one.quote?.verified)
    .map((/** @type {any} */ one) => ({...one.quote, kind})));
  const found = [...new Set(item.found_by.map((/** @type {any} */ hit) => way(hit, titles)))];
  return html`<div class="detail">
    ${sides.map(([kind, list]) => list.length > 0 && html`<h2 class="minor">${W.papers[kind]}</h2>
      <ul class=${kind}>${list.map((/** @type {any} */ one) => html`<li dir="auto">${one.claim}
        ${one.quote && html`<${Quoted} quote=${one.quote} />`}</li>`)}</ul>`)}
    <h2 class="minor">${abstractTitle(paper)}</h2>
    <p>${paper.abstract ? html`<${Marked} text=${paper.abstract} quotes=${quotes} />` : W.papers.noAbstract}</p>
    ${item.reason && html`<p class="dim">${W.papers.why}: ${item.reason}</p>`}
    <p class="dim">${W.papers.found}: ${found.join("; ")}</p>
    <label>${W.papers.note}<textarea rows="2" value=${choice.note ?? ""}
      onInput=${(/** @type {any} */ event) => put({note: event.target.value})}></textarea></label>
    <${Out} paper=${paper} />
  </div>`;
}
