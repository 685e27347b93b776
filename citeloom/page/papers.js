// The papers of a run: why each is there, with its quote; and what a person makes of them.
// @ts-check
import * as api from "./api.js";
import {added, chosen, UNSAID, useChoices, useKept} from "./choices.js";
import {ApplyBar, Chip, isAnnotation, Note} from "./components.js";
import {Complete} from "./complete.js";
import {lengths, useEstimate} from "./estimate.js";
import {drawn} from "./graph_layout.js";
import {Long} from "./long_list.js";
import {MakeLibrary} from "./make_library.js";
import {useModel} from "./model.js";
import {AddPaper} from "./paper_add.js";
import {Filters, listed} from "./paper_filters.js";
import {Row} from "./paper_row.js";
import {NoPapers} from "./papers_none.js";
import {Nothing, Problem, useAction, useLoaded} from "./parts.js";
import {read} from "./run.js";
import {html, useEffect, useMemo, useRef, useState} from "./vendor/preact.js";
import {counted, W} from "./words.js";

const NAMED = 3;
const CRITERIA = 3;
/** How high a row is that was not drawn yet, in the whole and in the compact list. */
const HEIGHT = 150, COMPACT = 25;

/** @param {{run: import("./run.js").Run}} props */
export function Papers({run}) {
  const papers = useMemo(() => /** @type {any[]} */ ((run.values.papers ?? []).filter((/** @type {any} */ item) => item.paper)), [run.values]);
  const [choices, put, unkept] = useChoices(run.thread);
  const [order, setOrder, unordered] = useKept(run.thread, "order", /** @type {string[]} */ ([]));
  const fresh = ["find", "review"].includes(run.graph) && Boolean(run.parent);
  const [filter, setFilter] = useState({word: "", show: fresh ? "fresh" : "kept", sort: "rank", theme: "", source: "", from: "", to: ""});
  const [adding, setAdding] = useState(false);
  const [compact, setCompact] = useState(Boolean(localStorage.getItem("citeloom-compact")));
  const [dragged, setDragged] = useState("");
  const moved = useRef("");
  // Where a run was made to see what is new since another one, what that one has not seen is new.
  const [seen] = useLoaded(async () => new Set(fresh ? ((await read(run.parent)).values.papers ?? []).map((/** @type {any} */ item) => item.paper?.id) : []), [run.parent]);
  const known = useMemo(() => knownOf(run, papers), [run.values]);
  const shown = useMemo(() => listed(papers, {choices, order, known, seen, ...filter}), [papers, choices, order, filter, seen]);
  const more = added(choices).filter(({id}) => !known.titles.has(id));
  useEffect(() => {
    // The row that moved keeps the keys.
    if (moved.current) document.getElementById(`paper-${moved.current}`)?.querySelector("button")?.focus();
    moved.current = "";
  }, [order]);
  const never = !papers.some((item) => item.selected) && !more.length && !Object.values(choices).some((one) => one.add || one.must);
  if (!papers.length) return html`<${NoPapers} run=${run} seen=${0} show=${() => {}} />`;
  const sortable = filter.sort === "rank" && filter.show === "kept" && run.status === "completed";
  const move = (/** @type {string} */ id, /** @type {number} */ to) => {
    if (to < 0 || to >= shown.length || !id) return;
    const rest = shown.map((item) => item.paper.id).filter((one) => one !== id);
    moved.current = id;
    setOrder(() => [...rest.slice(0, to), id, ...rest.slice(to)]);
  };
  const noted = !compact && shown.some((item) => isAnnotation(item.debate?.arguments_for?.[0]?.quote ?? {}));
  const press = () => (localStorage.setItem("citeloom-compact", compact ? "" : "yes"), setCompact(!compact));
  return html`<div class=${`papers-view ${compact ? "compact" : ""}`}>
    <${Complete} found=${run.values.completeness} />
    <${Filters} papers=${papers} choices=${choices} known=${known} filter=${filter} put=${(/** @type {any} */ change) => setFilter({...filter, ...change})} fresh=${fresh && seen}
      density=${html`<${Chip} pressed=${compact} toggle=${press}>${W.papers.compact}<//>`}>
      <button type="button" class="p-add" aria-expanded=${adding} onClick=${() => setAdding(!adding)}>${W.papers.add}</button>
      <${MakeLibrary} run=${run} papers=${chosen(papers, choices, order)} /><//>
    ${adding && html`<${AddPaper} run=${run} add=${put} has=${(/** @type {string} */ id) => known.titles.has(id)} />`}
    ${more.length > 0 && html`<${Note}><strong>${W.papers.added}:</strong> <ul class="chips">${more.map(({id, title}) => html`<li><${Chip}>${title}
      <button type="button" class="link" aria-label=${`${W.question.remove} ${title}`} onClick=${() => put(id, UNSAID)}>✕</button><//></li>`)}</ul><//>`}
    <h2 class="hide">${W.papers.shows[/** @type {keyof typeof W.papers.shows} */ (filter.show)] ?? W.papers.fresh}</h2>
    <p class="hide" role="status">${counted(shown.length, "paper")}</p>
    ${noted && html`<p class="note small p-note">${W.papers.key}</p>`}
    <div class=${`p-head c${known.criteria.length}`} aria-hidden="true"><span>${W.papers.rank}</span><span>${compact ? W.table.paper : known.judged ? W.papers.main : W.papers.nearest}${noted && html`<span class="noted-key">${W.papers.key}</span>`}</span>
      ${known.criteria.map((name) => html`<span>${name}</span>`)}<span></span></div>
    ${!shown.length && never && filter.show === "kept" ? html`<${NoPapers} run=${run} seen=${papers.length} show=${() => setFilter({...filter, show: "seen"})} />`
      : !shown.length && html`<${Nothing}>${filter.show === "fresh" && seen ? W.papers.nothingNew : W.papers.nothing}<//>`}
    <${Long} key=${compact} items=${shown} id=${(/** @type {any} */ item) => item.paper.id} height=${compact ? COMPACT : HEIGHT} label=${W.run.tabs.papers} kind="p-list"
      draw=${(/** @type {any} */ item, /** @type {number} */ place) => html`<${Row} key=${item.paper.id} item=${item} place=${place} known=${known} told=${noted} choice=${choices[item.paper.id] ?? {}}
        put=${(/** @type {any} */ choice) => put(item.paper.id, choice)} move=${sortable ? (/** @type {number} */ to) => move(item.paper.id, to) : null}
        drag=${{onDragStart: () => setDragged(item.paper.id), onDragOver: (/** @type {DragEvent} */ event) => event.preventDefault(),
          onDrop: (/** @type {DragEvent} */ event) => (event.preventDefault(), move(dragged, place))}} />`} />
    <${Apply} run=${run} papers=${papers} choices=${choices} order=${order} more=${more} put=${put} forget=${() => setOrder(() => [])} />
    <${Problem} text=${unkept || unordered} />
  </div>`;
}

/** What each paper is among the others of a run. @param {import("./run.js").Run} run @param {any[]} papers @returns {import("./paper_row.js").Known} */
function knownOf(run, papers) {
  const citedHere = new Map();
  for (const {cited} of run.values.links ?? []) citedHere.set(cited, (citedHere.get(cited) ?? 0) + 1);
  const themes = new Map();
  const order = drawn(run.values).themes; // as the map has their colours
  for (const {paper, theme} of papers) if (theme) themes.set(paper.id, [theme[0].toUpperCase() + theme.slice(1), Math.min(order.indexOf(theme) + 1 || 6, 6)]);
  const criteria = [...new Set(papers.flatMap((item) => (item.criteria ?? []).map((/** @type {any} */ one) => one.criterion)))].slice(0, CRITERIA);
  return {
    titles: new Map(papers.map((item) => [item.paper.id, item.paper.title])), citedHere, themes, criteria,
    numbers: new Map((run.values.references ?? []).map((/** @type {any} */ item) => [item.paper.id, item.number])),
    judged: run.values.mind !== "extractive" && papers.some((item) => item.debate && item.debate.by !== "extractive"),
  };
}

/** @param {{run: import("./run.js").Run, papers: any[], choices: Record<string, import("./choices.js").Choice>, order: string[], more: any[], put: (id: string, choice: any) => void, forget: () => void}} props */
function Apply({run, papers, choices, order, more, put, forget}) {
  const of = (/** @type {(choice: any, item: any) => unknown} */ test) => papers.filter((item) => choices[item.paper.id] && test(choices[item.paper.id], item));
  const must = of((choice) => choice.must);
  const also = of((choice, item) => choice.add && !choice.must && !item.selected);
  const out = of((choice, item) => choice.drop && item.selected);
  const count = must.length + also.length + out.length + more.length + Number(order.length > 0);
  const model = useModel();
  const kept = chosen(papers, choices, order);
  const cited = run.values.references?.length;
  const request = run.values.request ?? {};
  const input = {
    text: request.text || run.title, library: request.library || undefined, sources: request.sources,
    papers: [...kept.map((item) => ({...item.paper, theme: item.theme})), ...more.map((item) => item.given)],
    ...(cited ? {cite: Math.max(must.length, Math.min(cited, kept.length + more.length))} : {}),
  };
  const estimate = useEstimate("write", input, run.settings, model === true && count > 0);
  const [write, busy, error] = useAction(async () => {
    const before = run.parent && !cited ? (await read(run.parent)).values.references?.length : cited;
    const asked = {...input, ...(before ? {cite: Math.max(must.length, Math.min(before, input.papers.length))} : {})};
    location.hash = `#/run/${await api.start("write", asked, run.settings, {title: run.title, parent: run.thread})}/live`;
  });
  if (!count || run.status !== "completed") return null;
  const named = (/** @type {string} */ word, /** @type {string[]} */ titles) => titles.length > 0
    && `${word} ${titles.slice(0, NAMED).map((title) => `“${title.split(/: /)[0].slice(0, 60)}”`).join(", ")}${titles.length > NAMED ? ` ${W.papers.andMore.replace("{}", String(titles.length - NAMED))}` : ""}`;
  const titles = (/** @type {any[]} */ items) => items.map((item) => item.paper.title);
  const told = [named(W.papers.cite, titles(must)), named(W.papers.with, [...titles(also), ...more.map((item) => item.title)]), named(W.papers.without, titles(out)), order.length > 0 && W.papers.order];
  const gone = new Set(out.map((item) => item.paper.id));
  const touched = (run.values.sentences ?? []).filter((/** @type {any} */ one) => one.citations?.some((/** @type {any} */ item) => gone.has(item.paper))).length;
  const undo = () => {
    for (const [id, {drop, must: wanted, add}] of Object.entries(choices)) if (drop || wanted || add) put(id, UNSAID);
    forget();
  };
  return html`<${ApplyBar} label=${W.papers.changes} actions=${html`<button type="button" class="quiet" onClick=${undo}>${W.papers.undo}</button>
      <button type="button" class="main" disabled=${busy || !input.papers.length} onClick=${() => write()}>${model === false ? W.papers.applyFree : W.papers.apply}</button>`}>
    <strong>${counted(count, "change")}:</strong> ${told.filter(Boolean).join("; ")}.${" "}
    <span class="dim late">${[touched > 0 && W.papers.touches[Number(touched > 1)].replace("{}", String(touched)), (model === false ? W.papers.redoFree : W.papers.redo).replace("{}", counted(input.papers.length, "paper")), estimate && lengths(estimate)].filter(Boolean).join(" ")}</span>
    <${Problem} text=${error} /><//>`;
}
