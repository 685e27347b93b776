// The page: where in it one is, and who one is.
// @ts-check
import {key} from "./api.js";
import {Ask} from "./ask.js";
import {Check} from "./check.js";
import {History} from "./history.js";
import {Libraries} from "./libraries.js";
import {RunView} from "./run_view.js";
import {Start} from "./start.js";
import * as api from "./api.js";
import {html, render, useEffect, useState} from "./vendor/preact.js";
import {W} from "./words.js";

const VIEWS = /** @type {const} */ (["start", "ask", "check", "libraries", "history"]);

/** @returns {string[]} */
const here = () => location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);

function App() {
  const [place, setPlace] = useState(here());
  const [locked, setLocked] = useState(false);
  useEffect(() => {
    const look = () => {
      setPlace(here());
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
    <header>
      <a class="brand" href="#/start">${W.name}</a>
      <nav aria-label=${W.name}>
        ${VIEWS.map((name) => html`<a href=${`#/${name}`} aria-current=${name === view ? "page" : null}>${W.nav[name]}</a>`)}
      </nav>
    </header>
    <main id="content" tabindex="-1">
      ${locked ? html`<${Key} />` : html`<${View} key=${place[0] === "run" ? place[1] : view} view=${view} more=${more} />`}
    </main>`;
}

/** @param {Event} event */
function skip(event) {
  event.preventDefault();
  document.getElementById("content")?.focus();
}

/** @param {{view: string, more: string[]}} props */
function View({view, more}) {
  if (view === "run" && more[0]) return html`<${RunView} thread=${more[0]} tab=${more[1] ?? ""} />`;
  if (view === "ask") return html`<${Ask} library=${more[0] ?? ""} conversation=${more[1] ?? ""} />`;
  if (view === "check") return html`<${Check} kind=${more[0] ?? ""} />`;
  if (view === "libraries") return html`<${Libraries} name=${more[0] ?? ""} />`;
  if (view === "history") return html`<${History} />`;
  return html`<${Start} />`;
}

function Key() {
  const [value, setValue] = useState("");
  const use = (/** @type {Event} */ event) => {
    event.preventDefault();
    key.set(value.trim());
    location.reload();
  };
  return html`<form class="card" onSubmit=${use}>
    <h1>${W.key.title}</h1>
    <p>${W.key.hint}</p>
    <label>${W.key.label}
      <input type="password" autocomplete="off" required value=${value}
        onInput=${(/** @type {any} */ event) => setValue(event.target.value)} /></label>
    <button class="main">${W.key.send}</button>
  </form>`;
}

const root = document.getElementById("app");
if (root) {
  root.textContent = "";
  render(html`<${App} />`, root);
}
