// The map of a run: its papers by year and theme with their citations, and the card of the paper chosen.
// @ts-check
import {Chip, Segment} from "./components.js";
import {drawn, laid, toneOf} from "./graph_layout.js";
import {MapCard, Overview} from "./map_card.js";
import {Picture, measured} from "./map_picture.js";
import {Nothing} from "./parts.js";
import {html, useEffect, useMemo, useRef, useState} from "./vendor/preact.js";
import {counted, W} from "./words.js";

/** @typedef {import("./graph_layout.js").Dot} Dot */
/** @typedef {import("./graph_layout.js").Lane} Lane */
/** @typedef {"themes" | "relevance" | "role"} Lens */

const BANDS = [85, 80, 75];
const NARROW = "(max-width: 44rem)";

/**
 * The lanes of a lens, and which one a paper stands in.
 * @param {Lens} lens @param {string[]} themes @returns {[Lane[], (dot: Dot) => string]}
 */
function lanesOf(lens, themes) {
  const plain = (/** @type {Record<string, string>} */ names) => Object.entries(names).map(([key, name]) => ({key, name, tone: ""}));
  if (lens === "role") return [plain(W.graph.roles), (dot) => dot.role];
  if (lens === "relevance") {
    const names = [...BANDS.map((from, at) => (at ? `${W.graph.score} ${from} to ${BANDS[at - 1] - 1}` : `${W.graph.score} ${from} to 100`)), `${W.graph.score} below ${BANDS[2]}`];
    return [[...names.map((name, at) => ({key: `${at}`, name, tone: ""})), {key: "missing", name: W.graph.missing, tone: ""}],
      (dot) => (dot.kind === "missing" ? "missing" : `${BANDS.filter((from) => dot.score < from).length}`)];
  }
  const shown = themes.slice(0, 5);
  const lanes = shown.map((theme) => ({key: theme, name: theme[0].toUpperCase() + theme.slice(1), tone: toneOf(themes, theme)}));
  return [[...lanes, {key: "", name: themes.length ? W.graph.other : W.graph.all, tone: ""}], (dot) => (shown.includes(dot.theme) ? dot.theme : "")];
}

/** @param {{run: import("./run.js").Run}} props */
export function Graph({run}) {
  const graph = useMemo(() => drawn(run.values), [run.values]);
  const [lens, setLens] = useState(/** @type {Lens} */ ("themes"));
  const [seen, setSeen] = useState(!graph.dots.some((dot) => dot.kind === "kept"));
  const [all, setAll] = useState(true);
  const [words, setWords] = useState("");
  const [opened, setOpened] = useState(/** @type {Set<string>} */ (new Set()));
  const [chosen, setChosen] = useState("");
  const [zoom, setZoom] = useState(1);
  const frame = useRef(/** @type {HTMLElement | null} */ (null));
  const [size, setSize] = useState({width: 0, height: 0, compact: false});
  useEffect(() => {
    const box = frame.current;
    if (!box) return;
    const look = () => {
      const compact = matchMedia(NARROW).matches;
      // The height that the styles give, not the one that a taller picture asked for.
      const height = compact ? 0 : Math.max(520, innerHeight - 262);
      setSize((was) => (was.width === box.clientWidth && was.height === height && was.compact === compact ? was : {width: box.clientWidth, height, compact}));
    };
    const watch = new ResizeObserver(look);
    watch.observe(box);
    addEventListener("resize", look);
    look();
    return () => (watch.disconnect(), removeEventListener("resize", look));
  }, [graph.dots.length > 0]);
  const [lanes, laneOf] = lanesOf(lens, graph.themes);
  const plan = useMemo(() => {
    const dots = graph.dots.filter((dot) => (dot.kind !== "seen" || seen) && (lens !== "role" || dot.kind === "kept"));
    return size.width ? laid(dots, lanes, laneOf, size, (dot) => measured(dot.short, Boolean(dot.number)) + 2, opened) : null;
  }, [graph, lens, seen, size, opened]);
  const open = graph.dots.find((dot) => dot.id === chosen) ?? null;
  const choose = (/** @type {string} */ id) => {
    const dot = graph.dots.find((one) => one.id === id);
    if (dot?.kind === "seen") setSeen(true);
    const folded = plan?.bands.find((band) => dot && band.key === laneOf(dot) && band.folded);
    if (folded) setOpened(new Set([...opened, folded.key]));
    setChosen(id);
  };
  if (!graph.dots.length) return html`<${Nothing}>${W.graph.none}<//>`;
  const missed = graph.dots.filter((dot) => dot.kind === "seen").length;
  const text = words.trim().toLowerCase();
  const found = text.length < 2 ? null : new Set(graph.dots.filter((dot) => `${dot.title} ${(dot.paper?.authors ?? []).map((/** @type {any} */ one) => one.name).join(" ")}`.toLowerCase().includes(text)).map((dot) => dot.id));
  return html`<h2 class="hide">${W.graph.title}</h2>
    <div class="map-bar strip">
      <${Segment} label=${W.graph.arrange} options=${W.graph.lenses} value=${lens} choose=${(/** @type {any} */ name) => setLens(name)} />
      <${Chip} pressed=${all} toggle=${() => setAll(!all)}>${W.graph.citations}<//>
      ${missed > 0 && html`<${Chip} pressed=${seen} toggle=${() => setSeen(!seen)}>${W.graph.seen} <span class="dim num">${missed}</span><//>`}
      <div class="zoom"><button type="button" class="tiny icon" aria-label=${W.graph.out} onClick=${() => setZoom(Math.max(1, zoom / 1.4))}>−</button>
        <output class="num small">${Math.round(zoom * 100)} %</output>
        <button type="button" class="tiny icon" aria-label=${W.graph.in} onClick=${() => setZoom(Math.min(4, zoom * 1.4))}>+</button>
        <button type="button" class="tiny" onClick=${() => setZoom(1)}>${W.graph.fit}</button></div>
      <label class="find"><span class="hide">${W.graph.find}</span><input type="search" value=${words} placeholder=${W.graph.findHint}
        onInput=${(/** @type {any} */ event) => setWords(event.target.value)} /></label>
    </div>
    <div class="map-grid">
      <section class=${`frame ${open ? "focused" : ""} ${found ? "finding" : ""}`} ref=${frame} aria-label=${W.graph.help}
          style=${!size.compact && plan && plan.tall > size.height + 2 ? {blockSize: `${plan.tall + 2}px`} : {}}>
        ${plan && html`<${Picture} plan=${plan} graph=${graph} size=${size} zoom=${zoom} setZoom=${setZoom} all=${all} chosen=${open} found=${found}
          choose=${choose} unfold=${(/** @type {string} */ key) => setOpened(new Set([...opened, key]))} />`}
        <p class="hide" role="status">${found ? counted(found.size, "paper") : ""}</p>
      </section>
      ${open ? html`<${MapCard} key=${open.id} run=${run} graph=${graph} dot=${open} choose=${choose} close=${() => setChosen("")} />`
        : html`<${Overview} run=${run} graph=${graph} choose=${choose} />`}
    </div>`;
}
