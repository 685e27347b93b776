// Drawn signs: the shape of a verdict beside its word, and small icons.
// @ts-check
import {html} from "./vendor/preact.js";
import {W} from "./words.js";

const TICK = html`<circle cx="8" cy="8" r="7" fill="currentColor" /><path d="M4.8 8.2l2.2 2.2 4.2-4.6" stroke="var(--surface)" stroke-width="1.9" stroke-linecap="round" stroke-linejoin="round" />`;
const HALF = html`<circle cx="8" cy="8" r="6.2" stroke="currentColor" stroke-width="1.6" /><path d="M8 1.8a6.2 6.2 0 0 1 0 12.4z" fill="currentColor" />`;
const CROSS = html`<path d="M5 .8h6L15.2 5v6L11 15.2H5L.8 11V5z" fill="currentColor" /><path d="M5.4 5.4l5.2 5.2m0-5.2l-5.2 5.2" stroke="var(--surface)" stroke-width="1.8" stroke-linecap="round" />`;
const WARNING = html`<path d="M8 1.2l7 13H1z" stroke="currentColor" stroke-width="1.6" stroke-linejoin="round" /><path d="M8 6v4" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" /><circle cx="8" cy="12.1" r=".9" fill="currentColor" />`;
const RING = html`<circle cx="8" cy="8" r="6.4" stroke="currentColor" stroke-width="1.6" stroke-dasharray="2.4 2.2" />`;
const DIAMOND = html`<path d="M8 1.6L14.4 8 8 14.4 1.6 8z" stroke="currentColor" stroke-width="1.6" stroke-linejoin="round" />`;

/** Verdicts of claims, and outcomes of references that look like them. @type {Record<string, [string, any]>} class and shape */
const SHAPES = {
  supported: ["supported", TICK], partly: ["partly", HALF], contradicted: ["contradicted", CROSS],
  not_in_source: ["not_in_source", WARNING], not_in_abstract: ["partly", WARNING], not_checked: ["not_checked", RING], own: ["own", DIAMOND],
  confirmed: ["supported", TICK], wrong: ["partly", HALF], not_found: ["not_in_source", WARNING], likely_invented: ["contradicted", CROSS],
  incomplete: ["not_checked", RING], unsure: ["partly", WARNING], read: ["own", DIAMOND], not_asked: ["not_checked", RING],
};

/** The colour's class of a verdict. @param {string} verdict */
export const tone = (verdict) => SHAPES[verdict]?.[0] ?? "own";

/** @param {{verdict: string}} props */
export const Shape = ({verdict}) => html`<svg viewBox="0 0 16 16" aria-hidden="true">${SHAPES[verdict]?.[1] ?? DIAMOND}</svg>`;

/** A verdict: its shape and its word, or other words. @param {{verdict: string, children?: any}} props */
export const Verdict = ({verdict, children}) => html`<span class=${`verdict ${tone(verdict)}`}><${Shape} verdict=${verdict} />
  <span>${children ?? W.text.support[/** @type {keyof typeof W.text.support} */ (verdict)] ?? verdict}</span></span>`;

const LINE = {stroke: "currentColor", "stroke-width": 1.8, "stroke-linecap": "round", "stroke-linejoin": "round"};
/** Icons in a square of 16. @type {Record<string, any>} */
const ICONS = {
  left: html`<path d="M10 3L5 8l5 5" ...${LINE} />`, right: html`<path d="M6 3l5 5-5 5" ...${LINE} />`,
  down: html`<path d="M3 6l5 5 5-5" ...${LINE} />`, up: html`<path d="M8 13V3.5M4 7.5L8 3.5l4 4" ...${LINE} />`,
  close: html`<path d="M3.5 3.5l9 9m0-9l-9 9" ...${LINE} />`, menu: html`<path d="M2 4h12M2 8h12M2 12h12" ...${LINE} />`,
  done: html`<circle cx="8" cy="8" r="7" stroke="currentColor" stroke-width="1.6" /><path d="M5 8.2l2 2 4-4.3" ...${LINE} />`,
  busy: html`<circle cx="8" cy="8" r="6.5" stroke="currentColor" stroke-width="2" stroke-dasharray="26 20" stroke-linecap="round" />`,
  paused: html`<path d="M5.5 3v10M10.5 3v10" ...${LINE} />`, failed: WARNING,
  ask: html`<path d="M2 2.5h12v8.5H7.5L4 14v-3H2z" ...${LINE} />`,
  star: html`<path d="M8 1.8l1.9 3.9 4.3.6-3.1 3 .7 4.3L8 11.6l-3.8 2 .7-4.3-3.1-3 4.3-.6z" ...${LINE} />`,
  grip: html`<g fill="currentColor"><circle cx="5.5" cy="3" r="1.3" /><circle cx="10.5" cy="3" r="1.3" /><circle cx="5.5" cy="8" r="1.3" /><circle cx="10.5" cy="8" r="1.3" /><circle cx="5.5" cy="13" r="1.3" /><circle cx="10.5" cy="13" r="1.3" /></g>`,
  page: html`<path d="M3.5 1.5h6l3 3v10h-9z M5.5 7h5 M5.5 9.5h5 M5.5 12h3" ...${LINE} />`,
  search: html`<circle cx="7" cy="7" r="4.8" ...${LINE} /><path d="M10.8 10.8L14.5 14.5" ...${LINE} />`,
  write: html`<path d="M2.5 13.5l.6-3L10.8 2.8l2.4 2.4-7.7 7.700z" ...${LINE} />`,
  microphone: html`<path d="M8 1.5a2 2 0 0 1 2 2v4a2 2 0 0 1-4 0v-4a2 2 0 0 1 2-2zM3.5 7.5a4.5 4.5 0 0 0 9 0M8 12v2.5" ...${LINE} />`,
  sound: html`<path d="M2 6v4h2.5L8 13V3L4.5 6zM10.5 5.5a3.5 3.5 0 0 1 0 5M12.5 3.5a6.5 6.5 0 0 1 0 9" ...${LINE} />`,
  word: html`<path d="M2.5 1.5h8l3 3v10h-11z M5 7.5l1.2 4L8 8l1.8 3.500L11 7.500" ...${LINE} />`, tex: html`<path d="M6 3.500C4 3.500 5 7.500 3 8c2 .5 1 4.500 3 4.500M10 3.500c2 0 1 4 3 4.500-2 .5-1 4.500-3 4.500" ...${LINE} />`,
  stack: html`<path d="M3 2.500v11M6.500 2.500v11M9.500 3l3.500 10.500" ...${LINE} />`, share: html`<path d="M8 10V1.500M5 4.500l3-3 3 3M3 8v6.500h10V8" ...${LINE} />`,
  check: html`<path d="M2.5 8.5l3.5 3.5 7.5-8" ...${LINE} />`,
};

/** @param {{name: string, size?: number, kind?: string}} props */
export const Icon = ({name, size = 16, kind = ""}) =>
  html`<svg width=${size} height=${size} viewBox="0 0 16 16" class=${kind} aria-hidden="true">${ICONS[name]}</svg>`;
