// The page: where in it one is, and who one is.
// @ts-check
import * as api from "./api.js";
import {key} from "./api.js";
import {useModel} from "./model.js";
import {Problem, useLoaded} from "./parts.js";
import {Icon} from "./shapes.js";
import {html, render, useEffect, useErrorBoundary, useState} from "./vendor/preact.js";
import {W} from "./words.js";

const VIEWS = /** @type {const} */ (["start", "ask", "check", "screen", "watch", "libraries", "history"]);
/** What draws each view, loaded when it is first shown. @type {Record<string, () => Promise<any>>} */
const MODULES = {
  start: async () => (await import("./start.js")).Start, ask: async () => (await import("./ask.js")).Ask,
  check: async () => (await import("./check_form.js")).Check, libraries: async () => (await import("./libraries.js")).Libraries,
  screen: async () => (await import("./screen.js")).Screen, watch: async () => (await import("./watch.js")).Watches,
  history: async () => (await import("./history.js")).History, run: async () => (await import("./run_view.js")).RunView,
};
/** The place that a run of each graph belongs to; of others it is the first. @type {Record<string, string>} */
const PLACES = {verify: "check", references: "check", ask: "ask", table: "libraries", synthesize: "libraries"};

/** @returns {string[]} */
const here = () => location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);

function App() {
  const [place, setPlace] = useState(here());
  const [times, setTimes] = useState(0);
  const [locked, setLocked] = useState(false);
  const [graph, setGraph] = useState("");
  useEffect(() => {
    const look = () => {
      setPlace(here());
      setTimes((/** @type {number} */ before) => before + 1);
      document.getElementById("content")?.focus();
    };
    addEventListener("hashchange", look);
    return () => removeEventListener("hashchange", look);
  }, []);
  useEffect(() => {
    api.threads(1).catch((error) => setLocked(error.status === 401));
  }, []);
  const [view, ...more] = place[0] ? place : ["start"];
  return html`
    <a class="skip" href="#content" onClick=${skip}>${W.skip}</a>
    <${Top} place=${view === "run" ? PLACES[graph] ?? "start" : view} />
    <main id="content" tabindex="-1">
      ${locked ? html`<div class="body"><${Key} /></div>` : html`<${View} key=${view === "run" ? place[1] : view === "ask" ? `ask ${times}` : view} view=${view} more=${more} tell=${setGraph} />`}
    </main>`;
}

/** Brand, places, and whether a model is connected. @param {{place: string}} props */
function Top({place}) {
  const [open, setOpen] = useState(false);
  const model = useModel();
  useEffect(() => {
    const shut = (/** @type {any} */ event) => {
      if (event.type !== "keydown" ? !event.target.closest?.(".menu") : event.key === "Escape") setOpen(false);
    };
    addEventListener("click", shut);
    addEventListener("keydown", shut);
    return () => (removeEventListener("click", shut), removeEventListener("keydown", shut));
  }, []);
  return html`<header class="top">
    <a class="brand" href="#/start"><svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true"><path class="a" d="M3 7c6 0 6 10 12 10h6" /><path class="b" d="M3 12h5m5 0h8" /><path class="c" d="M3 17c6 0 6-10 12-10h6" /></svg>${W.name}</a>
    <nav class=${`places ${open ? "open" : ""}`} id="places" aria-label=${W.places}>
      ${VIEWS.map((name) => html`<a href=${`#/${name}`} aria-current=${name === place ? "page" : null}>${W.nav[name]}</a>`)}
    </nav>
    ${model !== null && html`<a class=${`model ${model ? "" : "none"}`} href="#/start/model"><svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="4" fill="currentColor" /></svg>
      <span>${model ? W.model.connected : W.model.none}</span></a>`}
    <button type="button" class="menu quiet icon" aria-label=${W.menu} aria-expanded=${open} aria-controls="places" onClick=${() => setOpen(!open)}><${Icon} name="menu" size=${18} /></button>
  </header>`;
}

/** @param {Event} event */
function skip(event) {
  event.preventDefault();
  document.getElementById("content")?.focus();
}

/** @param {{view: string, more: string[], tell: (graph: string) => void}} props */
function View({view, more: [first = "", second = ""], tell}) {
  const name = view in MODULES && (view !== "run" || first) ? view : "start";
  // What breaks a view leaves the other places alone.
  const [broken, retry] = useErrorBoundary((error) => reportError(error));
  useEffect(() => { if (broken) retry(); }, [first, second]);
  const [loaded, error] = useLoaded(async () => ({Part: await MODULES[name]()}), [name]);
  if (broken) return html`<div class="body"><${Problem} text=${broken.message || String(broken)} /><button type="button" onClick=${retry}>${W.error.retry}</button></div>`;
  if (!loaded) return html`<div class="body"><${Problem} text=${error} /></div>`;
  const given = {run: {thread: first, tab: second, tell}, ask: {library: first, conversation: second}, check: {kind: first}, screen: {name: first, tab: second}, watch: {run: first}, start: {at: first}, libraries: {name: first}};
  const part = html`<${loaded.Part} ...${given[/** @type {keyof typeof given} */ (name)] ?? {}} />`;
  return name === "run" ? part : html`<div class="body">${part}</div>`;
}

function Key() {
  const [value, setValue] = useState("");
  const use = (/** @type {Event} */ event) => {
    event.preventDefault();
    key.set(value.trim());
    location.reload();
  };
  return html`<form class="card key" onSubmit=${use}>
    <h1>${W.key.title}</h1>
    <p class="dim">${W.key.hint}</p>
    <label class="field">${W.key.label}
      <input type="password" autocomplete="off" required value=${value}
        onInput=${(/** @type {any} */ event) => setValue(event.target.value)} /></label>
    <p><button class="main">${W.key.send}</button></p>
  </form>`;
}

const root = document.getElementById("app");
if (root) {
  root.textContent = "";
  render(html`<${App} />`, root);
}
