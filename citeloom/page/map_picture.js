// The map as it is drawn: lanes, years, lines and discs with their labels; moved by mouse, wheel and keys.
// @ts-check
import {curve, labels, lineOf, toneOf} from "./graph_layout.js";
import {html, useEffect, useMemo, useRef, useState} from "./vendor/preact.js";
import {counted, W} from "./words.js";

/** @typedef {import("./graph_layout.js").Dot} Dot */
/** @typedef {import("./graph_layout.js").Spot} Spot */
/** @typedef {import("./graph_layout.js").Band} Band */
/** @typedef {import("./graph_layout.js").Plan} Plan */

const GUTTER = 128, TOP = 31;
/** @type {CanvasRenderingContext2D | null} */
let canvas = null;
const known = new Map();

/** How wide a label is in pixels. @param {string} text @param {boolean} bold */
export function measured(text, bold) {
  const key = `${bold} ${text}`;
  if (!known.has(key)) {
    canvas ??= document.createElement("canvas").getContext("2d");
    if (canvas) canvas.font = `${bold ? 700 : 500} 13px ${getComputedStyle(document.body).fontFamily}`;
    known.set(key, canvas ? canvas.measureText(text).width : text.length * 7);
  }
  return known.get(key);
}

const STEPS = /** @type {Record<string, [number, number]>} */ ({ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]});

/** The nearest paper in a direction. @param {Spot[]} spots @param {Spot} from @param {[number, number]} step */
function beside(spots, from, [right, down]) {
  const far = (/** @type {Spot} */ {x, y}) => {
    const along = right ? (x - from.x) * right : (y - from.y) * down, aside = right ? Math.abs(y - from.y) : Math.abs(x - from.x);
    return along > 1 ? along + 2.5 * aside : Infinity;
  };
  const best = spots.filter((spot) => spot !== from).sort((a, b) => far(a) - far(b))[0];
  return best && far(best) < Infinity ? best : null;
}

/**
 * @param {{plan: Plan, graph: import("./graph_layout.js").Drawn, size: {width: number, height: number, compact: boolean}, zoom: number,
 *   setZoom: (zoom: number) => void, all: boolean, chosen: Dot | null, found: Set<string> | null, choose: (id: string) => void, unfold: (lane: string) => void}} props
 */
export function Picture({plan, graph, size, zoom, setZoom, all, chosen, found, choose, unfold}) {
  const {width, compact} = size;
  const height = compact ? plan.tall : Math.max(size.height, plan.tall);
  const place = useRef(/** @type {SVGSVGElement | null} */ (null));
  const [moved, setMoved] = useState({x: 0, y: 0});
  const [first, setFirst] = useState("");
  const [over, setOver] = useState("");
  const drag = useRef(/** @type {{x: number, y: number} | null} */ (null));
  const bound = (/** @type {{x: number, y: number}} */ {x, y}, by = zoom) =>
    ({x: Math.min(0, Math.max(width * (1 - by), x)), y: Math.min(0, Math.max(height * (1 - by), y))});
  const before = useRef(zoom);
  const about = useRef(/** @type {{x: number, y: number} | null} */ (null));
  useEffect(() => {
    // What was under the pointer, or in the middle, stays there.
    const {x, y} = about.current ?? {x: width / 2, y: height / 2}, by = zoom / before.current;
    setMoved((was) => bound({x: x - (x - was.x) * by, y: y - (y - was.y) * by}, zoom));
    before.current = zoom;
    about.current = null;
  }, [zoom, width, height]);
  useEffect(() => {
    const box = place.current;
    if (!box) return;
    const turn = (/** @type {WheelEvent} */ event) => {
      if (!event.ctrlKey && !event.metaKey) return; // else the page scrolls
      event.preventDefault();
      const area = box.getBoundingClientRect();
      about.current = {x: event.clientX - area.left, y: event.clientY - area.top};
      setZoom(Math.min(4, Math.max(1, before.current * Math.exp(-event.deltaY / 500))));
    };
    box.addEventListener("wheel", turn, {passive: false});
    return () => box.removeEventListener("wheel", turn);
  }, []);
  const X = (/** @type {number} */ x) => x * zoom + moved.x, Y = (/** @type {number} */ y) => y * zoom + moved.y;
  const at = useMemo(() => new Map(plan.spots.map((spot) => [spot.dot.id, spot])), [plan]);
  const texts = useMemo(() => labels(plan, width, zoom, compact, measured), [plan, width, zoom, compact]);
  const lines = useMemo(() => graph.links.flatMap(([from, to, told]) => {
    const a = at.get(from.id), b = at.get(to.id);
    return a && b ? [/** @type {[Spot, Spot, string]} */ ([a, b, lineOf(told)])] : [];
  }), [graph, at]);
  const way = (/** @type {[Spot, Spot, string]} */ [a, b], arrow = 0) => curve({x: X(a.x), y: Y(a.y)}, {x: X(b.x), y: Y(b.y)}, b.dot.r + arrow);
  const near = new Set(chosen ? [chosen.id, ...graph.links.filter(([a, b]) => a === chosen || b === chosen).flatMap(([a, b]) => [a.id, b.id])] : []);
  const start = at.has(first) ? first : plan.spots[0]?.dot.id;
  const press = (/** @type {KeyboardEvent} */ event, /** @type {Spot} */ spot) => {
    if (event.key === "Enter" || event.key === " ") choose(spot.dot.id);
    else if (event.key in STEPS) {
      const next = beside(plan.spots, spot, STEPS[event.key]);
      if (next) {
        setFirst(next.dot.id);
        /** @type {HTMLElement | null | undefined} */ (place.current?.querySelector(`[data-id="${CSS.escape(next.dot.id)}"]`))?.focus();
      }
    } else if (event.key === "Escape") choose("");
    else if (event.key === "+" || event.key === "=") setZoom(Math.min(4, zoom * 1.3));
    else if (event.key === "-") setZoom(Math.max(1, zoom / 1.3));
    else if (event.key === "0") setZoom(1);
    else return;
    event.preventDefault();
  };
  const grab = (/** @type {any} */ event) => {
    if (zoom === 1 || event.target.closest(".dot, .more")) return;
    drag.current = {x: event.clientX - moved.x, y: event.clientY - moved.y};
    place.current?.setPointerCapture(event.pointerId);
  };
  const pull = (/** @type {any} */ event) => drag.current && setMoved(bound({x: event.clientX - drag.current.x, y: event.clientY - drag.current.y}));
  return html`<svg id="map" ref=${place} role="group" aria-label=${W.graph.title} height=${compact ? height : null}
      onPointerDown=${grab} onPointerMove=${pull} onPointerUp=${() => { drag.current = null; }}>
    <defs>${["cites", "cited"].map((kind) => html`<marker id=${`arrow-${kind}`} viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto">
      <path class=${kind} d="M0 .5L7 4 0 7.500z" /></marker>`)}</defs>
    ${plan.bands.map((band, row) => html`<rect class=${`band ${row % 2 ? "" : "odd"}`} x="0" y=${Y(band.y)} width=${width} height=${band.tall * zoom} />`)}
    <g class="axis">${plan.columns.map(({x}) => html`<line x1=${X(x)} x2=${X(x)} y1=${TOP} y2=${height} />`)}</g>
    <g class="lines" aria-hidden="true">${all && lines.map((line) => html`<path class=${line[2]} d=${way(line)} />`)}</g>
    <g class="over" aria-hidden="true">${lines.filter(([a, b]) => a.dot === chosen || b.dot === chosen).map((line) => {
      const kind = line[0].dot === chosen ? "cites" : "cited";
      return html`<path class=${`${kind} ${line[2]}`} d=${way(line, 6)} marker-end=${`url(#arrow-${kind})`} />`;
    })}</g>
    ${plan.spots.map((spot) => html`<${Disc} key=${spot.dot.id} spot=${spot} x=${X(spot.x)} y=${Y(spot.y)} tone=${toneOf(graph.themes, spot.dot.theme)} text=${texts.get(spot.dot.id)}
      kind=${`${near.has(spot.dot.id) ? "near" : ""} ${spot.dot === chosen ? "chosen" : ""} ${found?.has(spot.dot.id) ? "found" : ""}`}
      tab=${spot.dot.id === start ? 0 : -1} choose=${() => choose(spot.dot.id)} press=${(/** @type {KeyboardEvent} */ event) => press(event, spot)} over=${setOver} />`)}
    ${plan.bands.map((band, row) => html`<${Head} band=${band} odd=${!(row % 2)} y=${Y(band.y)} tall=${band.tall * zoom} compact=${compact} cover=${!compact && zoom > 1} unfold=${() => unfold(band.key)} />`)}
    <${Years} columns=${plan.columns} X=${X} width=${width} compact=${compact} />
    ${at.get(over) && texts.get(over) !== at.get(over)?.dot.title && html`<${Whole} spot=${at.get(over)} x=${X(at.get(over)?.x ?? 0)} y=${Y(at.get(over)?.y ?? 0)} width=${width} />`}
  </svg>`;
}

/** @param {{spot: Spot, x: number, y: number, tone: string, text: string, kind: string, tab: number, choose: () => void, press: (event: KeyboardEvent) => void, over: (id: string) => void}} props */
function Disc({spot, x, y, tone, text, kind, tab, choose, press, over}) {
  const {dot, flip} = spot;
  const told = `${dot.number ? `[${dot.number}] ` : ""}${dot.title}, ${dot.year ?? W.graph.unknownYear}, ${W.graph.kinds[dot.kind]}, ${W.graph.citedBy} ${dot.cited} ${W.graph.here}`;
  return html`<g class=${`dot ${dot.kind} ${tone} ${dot.number ? "named" : ""} ${kind}`} role="button" tabindex=${tab} data-id=${dot.id} data-title=${dot.title} aria-label=${told}
      transform=${`translate(${x} ${y})`} onClick=${choose} onKeyDown=${press}
      onPointerEnter=${() => over(dot.id)} onPointerLeave=${() => over("")} onFocus=${() => over(dot.id)} onBlur=${() => over("")}>
    <circle class="hit" r=${Math.max(13, dot.r + 4)} />
    ${dot.chosen && html`<circle class="second" r=${dot.r + 3.5} />`}
    <circle class="disc" r=${dot.r} />
    ${dot.number && html`<text class="n" y="3.6">${dot.number}</text>`}
    ${dot.kind === "missing" && html`<path class="plus" d="M-3 0H3M0-3V3" />`}
    <text class="label" y="4" x=${flip ? -dot.r - 6 : dot.r + 6} text-anchor=${flip ? "end" : "start"}>${text}</text></g>`;
}

/** The whole title of the paper under the pointer or the focus, whose label is cut; in rows where it is long. @param {{spot: Spot, x: number, y: number, width: number}} props */
function Whole({spot: {dot}, x, y, width}) {
  const rows = wrapped(dot.title, Math.min(420, width - 48), true);
  const wide = Math.max(...rows.map((row) => measured(row, true))) + 20, tall = rows.length * 17 + 9;
  const left = Math.max(4, Math.min(x + dot.r + 2, width - wide - 4)), top = y - 14 + (left < x + dot.r ? dot.r + 18 : 0);
  return html`<g class="whole" aria-hidden="true" transform=${`translate(${left} ${top})`}><rect width=${wide} height=${tall} rx="5" />
    ${rows.map((row, at) => html`<text x="10" y=${18 + at * 17}>${row}</text>`)}</g>`;
}

/** A text in rows of a width. @param {string} text @param {number} most @param {boolean} bold @returns {string[]} */
function wrapped(text, most, bold) {
  /** @type {string[]} */
  const rows = [];
  for (const word of text.split(" ")) {
    const longer = rows.length ? `${rows[rows.length - 1]} ${word}` : word;
    if (!rows.length || measured(longer, bold) > most) rows.push(word); else rows[rows.length - 1] = longer;
  }
  return rows;
}

/** A lane's name: a line above its rows on a phone, words under one another beside them elsewhere. @param {{band: Band, odd: boolean, y: number, tall: number, compact: boolean, cover: boolean, unfold: () => void}} props */
function Head({band, odd, y, tall, compact, cover, unfold}) {
  const rows = wrapped(band.name, compact ? Infinity : 108, true);
  const x = compact ? 10 : 14, top = compact ? y + 19 : Math.max(y, TOP - 1) + 22;
  const told = compact ? `${band.count}` : counted(band.count, "paper");
  const after = compact ? top : top + rows.length * 16;
  const aside = compact ? x + measured(band.name, true) + 8 : x;
  return html`<g>
    ${cover && html`<rect class=${`band ${odd ? "odd" : ""}`} x="0" y=${y} width=${GUTTER} height=${tall} />`}
    ${rows.map((row, at) => html`<text class=${`lane ${band.tone}`} x=${x} y=${top + at * 16}>${row}</text>`)}
    <text class="count" x=${aside} y=${after}>${told}</text>
    ${band.folded > 0 && html`<g class="more" role="button" tabindex="0" aria-label=${`${W.graph.show} ${band.folded} ${W.graph.more}: ${band.name}`}
        onClick=${unfold} onKeyDown=${(/** @type {KeyboardEvent} */ event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); unfold(); } }}>
      <text x=${compact ? aside + 30 : x} y=${compact ? top : after + 18}>${band.folded} ${W.graph.more}</text></g>`}
  </g>`;
}

/** @param {{columns: Plan["columns"], X: (x: number) => number, width: number, compact: boolean}} props */
function Years({columns, X, width, compact}) {
  let last = -99;
  return html`<g class="axis"><rect class="band" width=${width} height=${TOP} />
    ${columns.map(({year, x}) => {
      const there = X(x);
      if (there - last < 34 || there > width - 8 || (!compact && there < GUTTER + 2)) return null;
      last = there;
      return html`<text x=${there} y="20">${year === null ? "?" : compact ? `’${String(year).slice(2)}` : year}</text>`;
    })}</g>`;
}
