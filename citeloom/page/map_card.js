// Beside the map: what it shows, or the card of the paper chosen.
// @ts-check
import {useChoices} from "./choices.js";
import {Quote} from "./components.js";
import {lineOf, SAYS, toneOf} from "./graph_layout.js";
import {byline, Out, Problem, useAction} from "./parts.js";
import {around, searched} from "./search_again.js";
import {Icon} from "./shapes.js";
import {html, useEffect, useRef} from "./vendor/preact.js";
import {counted, W} from "./words.js";

/** @typedef {import("./graph_layout.js").Dot} Dot */
/** @typedef {import("./graph_layout.js").Drawn} Drawn */

const SHOWN = 6;

/** @param {import("./run.js").Run} run @returns {[(ids: string[]) => void, boolean, string]} */
function useSearch(run) {
  return useAction(async (/** @type {string[]} */ ids) => { location.hash = `#/run/${await searched(run, ids)}/live`; });
}

/** What the map shows as a whole. @param {{run: import("./run.js").Run, graph: Drawn, choose: (id: string) => void}} props */
export function Overview({run, graph, choose}) {
  const [look, busy, error] = useSearch(run);
  const kept = graph.dots.filter((dot) => dot.kind === "kept"), missing = graph.dots.filter((dot) => dot.kind === "missing");
  const years = kept.flatMap((dot) => dot.year ?? []);
  const most = kept.filter((dot) => dot.cited > 0).sort((a, b) => b.cited - a.cited || a.title.localeCompare(b.title)).slice(0, 3);
  const says = SAYS.filter((one) => graph.links.some(([, , told]) => lineOf(told) === one));
  const disc = (/** @type {string} */ kind, /** @type {any} */ inner, /** @type {number} */ r) =>
    html`<svg width="22" height="22" viewBox="0 0 22 22" aria-hidden="true"><g class=${`dot ${kind}`}><circle class="disc" cx="11" cy="11" r=${r} />${inner}</g></svg>`;
  return html`<aside class="map-card" aria-label=${W.graph.overview} tabindex="0"><div>
    <h2>${W.graph.overview}</h2>
    <p class="dim small">${counted(kept.length, "paper")} ${W.graph.kinds.kept}${years.length ? `, ${Math.min(...years)} to ${Math.max(...years)}` : ""}. ${W.graph.chooseOne}</p>
    <ul class="legend">
      <li>${disc("kept named t1", html`<text class="n" x="11" y="14.6">3</text>`, 9)} ${W.graph.inText}</li>
      <li>${disc("kept t1", "", 7)} ${W.graph.kinds.kept}</li>
      <li>${disc("missing", html`<path class="plus" d="M8 11h6m-3-3v6" />`, 7)} ${W.graph.kinds.missing}</li>
      <li>${disc("seen", "", 4)} ${W.graph.kinds.seen}</li>
      <li>${disc("kept t1", html`<circle class="second" cx="11" cy="11" r="9.5" />`, 6)} ${W.graph.yours}</li>
    </ul>
    ${says.length > 0 && html`<ul class="legend says">${says.map((one) => html`<li><svg width="30" height="10" viewBox="0 0 30 10" aria-hidden="true"><path class=${one} d="M1 5H29" /></svg> ${W.graph.says[one]}</li>`)}</ul>
      <p class="dim small">${W.graph.saysWhy}</p>`}
    <p class="dim small">${W.graph.reads}</p>
    ${missing.length > 0 && html`<h3 class="gap">${W.graph.missingWorks}</h3><p class="dim small">${W.graph.missingWhy}</p>
      <ul class="missing-list">${missing.slice(0, SHOWN).map((dot) => html`<li><div><button type="button" class="link" onClick=${() => choose(dot.id)}>${dot.short}</button>${" "}
        <span class="dim">${dot.paper ? byline(dot.paper) : ""}</span></div></li>`)}</ul>
      <${Problem} text=${error} />
      <button type="button" disabled=${busy} onClick=${() => look(missing.map((dot) => dot.id))}>${W.graph.againAll}</button>`}
    ${most.length > 0 && html`<h3 class="gap">${W.graph.mostCited}</h3>
      <ol class="most">${most.map((dot) => html`<li><button type="button" class="link" onClick=${() => choose(dot.id)}>${dot.short}</button>${" "}
        <span class="dim">${dot.year ?? ""}, ${W.graph.by} ${dot.cited}</span></li>`)}</ol>`}
  </div></aside>`;
}

/** A paper chosen; on the phone a sheet from below. @param {{run: import("./run.js").Run, graph: Drawn, dot: Dot, choose: (id: string) => void, close: () => void}} props */
export function MapCard({run, graph, dot, choose, close}) {
  const [choices, put, unkept] = useChoices(run.thread);
  const [look, busy, error] = useSearch(run);
  const [expand, expanding, stuck] = useAction(async () => { location.hash = `#/run/${await around(run, dot.paper)}/live`; });
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    document.body.classList.add("sheeted");
    return () => document.body.classList.remove("sheeted");
  }, []);
  const leave = () => {
    close();
    /** @type {HTMLElement | null} */ (document.querySelector(`[data-id="${CSS.escape(dot.id)}"]`))?.focus();
  };
  const item = (run.values.papers ?? []).find((/** @type {any} */ one) => one.paper.id === dot.id);
  const why = item?.debate?.arguments_for?.[0];
  /** @typedef {[Dot, import("./graph_layout.js").Told]} Other */
  const cites = graph.links.filter(([from]) => from === dot).map(([, to, told]) => /** @type {Other} */ ([to, told]));
  const cited = graph.links.filter(([, to]) => to === dot).map(([from, , told]) => /** @type {Other} */ ([from, told]));
  // What says something of the other paper comes first.
  for (const list of [cites, cited]) list.sort(([, a], [, b]) => Number(Boolean(lineOf(b))) - Number(Boolean(lineOf(a))));
  const state = dot.kind === "missing" ? W.graph.missingState : dot.number ? `${W.graph.citedAs} [${dot.number}]` : W.graph.kinds[dot.kind];
  const choice = choices[dot.id] ?? {};
  const related = (/** @type {Other[]} */ list, /** @type {"cites" | "cited"} */ kind) => html`<div class="rel"><h3 class=${kind}>${W.graph[kind]} ${list.length}</h3>
    <ul>${list.slice(0, SHOWN).map(([one, told]) => html`<li><button type="button" class="link" onClick=${() => choose(one.id)}>${one.short}</button> <span class="dim num">${one.year ?? ""}</span>
      ${told.sentence && html`<details class="small"><summary>${W.graph.says[lineOf(told) || "cites"]}</summary><q dir="auto">${told.sentence}</q>${" "}
        <span class="dim">${told.place}${told.by === "cue words" ? `; ${W.graph.byCues}` : ""}</span></details>`}</li>`)}
      ${list.length > SHOWN && html`<li class="dim">and ${list.length - SHOWN} more</li>`}</ul></div>`;
  return html`<aside class="map-card" aria-label=${W.graph.chosen} tabindex="0" ref=${place} onKeyDown=${(/** @type {KeyboardEvent} */ event) => { if (event.key === "Escape") leave(); }}><div role="status">
    <div class="card-top"><p class=${`eyebrow ${toneOf(graph.themes, dot.theme)}`}>${dot.theme}</p>
      <button type="button" class="quiet icon tiny" aria-label=${W.graph.closeCard} onClick=${leave}><${Icon} name="close" size=${14} /></button></div>
    <h2 dir="auto">${dot.title}</h2>
    ${dot.paper && html`<p class="small"><span class="dim" dir="auto">${byline(dot.paper)}</span> <${Out} paper=${dot.paper} /></p>`}
    <p class="small strong">${state}</p>
    ${why?.claim && !why.quote && html`<p dir="auto">${why.claim}</p>`}
    ${why?.quote && html`<${Quote} quote=${why.quote} />`}
    <p class="dim small">${dot.score ? `${W.graph.score} ${Math.round(dot.score)} ${W.graph.of100}` : ""}</p>
    <${Problem} text=${error || stuck || unkept} />
    <div class="card-do">${dot.kind === "missing" ? html`<button type="button" class="main" disabled=${busy} onClick=${() => look([dot.id])}>${W.graph.again}</button>`
      : html`<button type="button" class=${choice.must ? "" : "main"} aria-pressed=${Boolean(choice.must)} onClick=${() => put(dot.id, {must: !choice.must, drop: false})}>${W.papers.must}</button>
        ${dot.kind === "seen" && html`<button type="button" aria-pressed=${Boolean(choice.add)} onClick=${() => put(dot.id, {add: !choice.add, drop: false})}>${W.graph.keep}</button>`}
        ${dot.paper?.abstract && html`<button type="button" disabled=${expanding} onClick=${() => expand()}>${W.graph.around}</button>`}`}</div>
    ${(choice.must || choice.add) && html`<p class="dim small">${W.graph.applies} <a href=${`#/run/${run.thread}/papers`}>${W.run.tabs.papers}</a>.</p>`}
    <div class="related">${related(cites, "cites")}${related(cited, "cited")}</div>
  </div></aside>`;
}
