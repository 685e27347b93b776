// The papers by year and by how often the others cite them: kept, seen, and missing ones.
// @ts-check
import {useChoices} from "./choices.js";
import {abstractTitle, byline, Nothing, Out, Problem, useAction} from "./parts.js";
import {around, searched} from "./search_again.js";
import {html, useMemo, useRef, useState} from "./vendor/preact.js";
import {W} from "./words.js";

const WIDE = 960, HIGH = 520, LEFT = 46, BELOW = 34;

/**
 * @typedef {{id: string, title: string, year: number | null, paper: any, kind: "kept" | "seen" | "missing",
 *   cited: number, number: number | undefined, score: number, x: number, y: number, r: number}} Dot
 */

/**
 * The papers and links of a run as they are drawn.
 * @param {any} values
 * @returns {{dots: Dot[], lines: [Dot, Dot][], years: [number | null, number][]}}
 */
export function drawn(values) {
  const papers = /** @type {any[]} */ ((values.papers ?? []).filter((/** @type {any} */ item) => item.paper)).slice(0, 500);
  const links = /** @type {{citing: string, cited: string}[]} */ (values.links ?? []);
  const numbers = new Map((values.references ?? []).map((/** @type {any} */ item) => [item.paper.id, item.number]));
  const count = new Map();
  for (const link of links) count.set(link.cited, (count.get(link.cited) ?? 0) + 1);
  const known = new Set(papers.map((item) => item.paper.id));
  const missing = /** @type {any[]} */ ((values.completeness?.missing ?? []).filter((/** @type {any} */ item) => !known.has(item.id)));
  /** @type {Dot[]} */
  const dots = [
    ...papers.map(({paper, selected, score}) => ({
      id: paper.id, title: paper.title, year: paper.year ?? null, paper, kind: /** @type {"kept" | "seen"} */ (selected ? "kept" : "seen"),
      cited: count.get(paper.id) ?? 0, number: numbers.get(paper.id), score, x: 0, y: 0, r: 5 + 7 * Math.sqrt(score / 100),
    })),
    ...missing.map(({id, cited_by, paper}) => ({
      id, title: paper?.title ?? id, year: paper?.year ?? null, paper, kind: /** @type {"missing"} */ ("missing"), cited: cited_by.length,
      number: undefined, score: 0, x: 0, y: 0, r: 6,
    })),
  ];
  const years = placed(dots);
  const by = new Map(dots.map((dot) => [dot.id, dot]));
  /** @type {[Dot, Dot][]} */
  const lines = [];
  const all = [...links, ...missing.flatMap(({id, cited_by}) => cited_by.map((/** @type {string} */ citing) => ({citing, cited: id})))];
  for (const {citing, cited} of all) {
    const [from, to] = [by.get(citing), by.get(cited)];
    if (from && to && from !== to) lines.push([from, to]);
  }
  return {dots, lines, years};
}

/** Give each dot its place: across its year, upwards how often it is cited; none upon another. @param {Dot[]} dots */
function placed(dots) {
  const found = [...new Set(dots.map((dot) => dot.year))].sort((a, b) => (a ?? 0) - (b ?? 0));
  const total = dots.length || 1;
  const weight = found.map((year) => 0.5 / found.length + (0.5 * dots.filter((dot) => dot.year === year).length) / total);
  const most = Math.log1p(Math.max(1, ...dots.map((dot) => dot.cited)));
  /** @type {[number | null, number][]} */
  const years = [];
  let left = LEFT;
  found.forEach((year, at) => {
    const wide = weight[at] * (WIDE - LEFT);
    const mine = dots.filter((dot) => dot.year === year).sort((a, b) => b.cited - a.cited || b.score - a.score);
    years.push([year, left + wide / 2]);
    /** @type {Dot[]} */
    const done = [];
    for (const dot of mine) {
      const wanted = HIGH - BELOW - 14 - (Math.log1p(dot.cited) / most) * (HIGH - BELOW - 40);
      [dot.x, dot.y] = free(dot, wanted, left + dot.r, left + wide - dot.r, done);
      done.push(dot);
    }
    left += wide;
  });
  return years;
}

/** The free place nearest to a height. @param {Dot} dot @param {number} wanted @param {number} from @param {number} to @param {Dot[]} done */
function free(dot, wanted, from, to, done) {
  const middle = (from + to) / 2;
  for (let step = 0; step < 400; step += 1) {
    const around = Math.floor(step / 9), aside = (step % 9) - 4;
    const y = wanted + (around % 2 ? 1 : -1) * Math.ceil(around / 2) * 8;
    const x = Math.min(Math.max(middle + (aside * (to - from)) / 9, Math.min(from, middle)), Math.max(to, middle));
    if (y < 12 || y > HIGH - BELOW - 8) continue;
    if (done.every((other) => Math.hypot(other.x - x, other.y - y) > other.r + dot.r + 1)) return [x, y];
  }
  return [middle, wanted];
}

/** @param {{run: import("./run.js").Run}} props */
export function Graph({run}) {
  const {dots, lines, years} = useMemo(() => drawn(run.values), [run.values]);
  const [open, setOpen] = useState(/** @type {Dot | null} */ (null));
  const [choices, put, unkept] = useChoices(run.thread);
  const [look, busy, error] = useAction(async (/** @type {string} */ id) => {
    location.hash = `#/run/${await searched(run, [id])}/live`;
  });
  const [expand, expanding, stuck] = useAction(async (/** @type {any} */ paper) => {
    location.hash = `#/run/${await around(run, paper)}/live`;
  });
  const box = useRef(/** @type {SVGElement | null} */ (null));
  // Drawn once: what is chosen is drawn over it.
  const still = useMemo(() => {
    const order = dots.toSorted((a, b) => a.x - b.x || a.y - b.y);
    const move = (/** @type {KeyboardEvent} */ event, /** @type {Dot} */ dot) => {
      const by = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
      if (event.key === "Enter" || event.key === " ") setOpen(dot);
      else if (by) {
        const next = (order.indexOf(dot) + by + order.length) % order.length;
        /** @type {HTMLElement | null | undefined} */ (box.current?.querySelector(`[data-at="${next}"]`))?.focus();
      } else return;
      event.preventDefault();
    };
    return html`
      ${years.map(([year, x]) => html`<text class="year" x=${x} y=${HIGH - 10} text-anchor="middle">${year ?? "?"}</text>`)}
      ${lines.map(([from, to]) => html`<line x1=${from.x} y1=${from.y} x2=${to.x} y2=${to.y} />`)}
      ${order.map((dot, at) => html`<g class="dot" role="button" tabindex=${at ? -1 : 0} data-at=${at}
          aria-label=${`${dot.number ?? ""} ${dot.title}, ${dot.year ?? W.graph.unknownYear}, ${W.graph[dot.kind]}`}
          onClick=${() => setOpen(dot)} onKeyDown=${(/** @type {KeyboardEvent} */ event) => move(event, dot)}>
        <circle class=${dot.kind} cx=${dot.x} cy=${dot.y} r=${dot.r} />
        ${dot.number && html`<text class="number" x=${dot.x} y=${dot.y + 3} text-anchor="middle">${dot.number}</text>`}
        <title>${dot.title}</title></g>`)}`;
  }, [dots]);
  if (!dots.length) return html`<${Nothing}>${W.graph.none}<//>`;
  const near = open ? lines.filter(([from, to]) => from === open || to === open) : [];
  return html`<h2>${W.graph.title}</h2>
    <p class="legend">${(/** @type {const} */ (["kept", "seen", "missing"])).map((kind) =>
      html`<span><svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true"><circle class=${kind} cx="6" cy="6" r="5" /></svg> ${W.graph[kind]} </span>`)}</p>
    <p class="hint">${W.graph.help}</p>
    <div class="picture"><svg ref=${box} viewBox=${`0 0 ${WIDE} ${HIGH}`} role="group" aria-label=${W.graph.title}>
      ${still}
    </svg>
    <svg class="over" viewBox=${`0 0 ${WIDE} ${HIGH}`} aria-hidden="true">
      ${near.map(([from, to]) => html`<line class="near" x1=${from.x} y1=${from.y} x2=${to.x} y2=${to.y} />`)}
      ${open && html`<circle class="ring" cx=${open.x} cy=${open.y} r=${open.r + 2} />`}
    </svg></div>
    <div class="card" role="status">${open ? html`<h2 dir="auto">${open.number ? `[${open.number}] ` : ""}${open.title}</h2>
      ${open.paper && html`<p class="dim" dir="auto">${byline(open.paper)}</p>
        ${open.paper.abstract && html`<h3 class="minor">${abstractTitle(open.paper)}</h3><p dir="auto">${open.paper.abstract}</p>`}<${Out} paper=${open.paper} />`}
      <p class="dim">${W.graph[open.kind]}</p>
      <${Problem} text=${error || stuck || unkept} />
      ${open.kind === "missing" ? html`<button disabled=${busy} onClick=${() => look(open.id)}>${W.graph.again}</button>`
        : html`<label class="tick"><input type="checkbox" checked=${Boolean(choices[open.id]?.must)}
          onChange=${(/** @type {any} */ event) => put(open.id, {must: event.target.checked, drop: false})} /> ${W.papers.must}</label>
          ${open.paper.abstract && html`<button disabled=${expanding} onClick=${() => expand(open.paper)}>${W.graph.around}</button>`}`}` : W.graph.help}</div>`;
}
