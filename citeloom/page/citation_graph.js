// The citation graph of a run, to look at, to search again from and to choose papers in.
// @ts-check
import {useChoices} from "./choices.js";
import {drawn, HIGH, WIDE} from "./graph_layout.js";
import {abstractTitle, byline, Nothing, Out, Problem, useAction} from "./parts.js";
import {around, searched} from "./search_again.js";
import {html, useMemo, useRef, useState} from "./vendor/preact.js";
import {W} from "./words.js";

/** @typedef {import("./graph_layout.js").Dot} Dot */

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
