// A finished run is watched: under which name, how often, and what a check may cost.
// @ts-check
import * as api from "./api.js";
import {useModel} from "./model.js";
import {Problem, useAction, useLoaded} from "./parts.js";
import {read} from "./run.js";
import {html, useEffect, useState} from "./vendor/preact.js";
import {V} from "./watch_words.js";

/** @type {Promise<boolean> | undefined} */
let asked;

/** Whether this server keeps watches: that of this machine does, one for others does not. Asked once. @returns {boolean} */
export function useWatches() {
  const [here, setHere] = useState(false);
  useEffect(() => {
    asked ??= api.get("/citeloom/watches").then(() => true, () => false);
    asked.then(setHere);
  }, []);
  return here;
}

/** A name that a watch can have. @param {string} title */
const named = (title) => title.toLowerCase().normalize("NFKD").replace(/[^a-z0-9]+/g, "-").slice(0, 40).replace(/^-+|-+$/g, "") || "watch";

/** @param {{thread: string, done: () => void}} props */
export function WatchThis({thread, done}) {
  const [run, error] = useLoaded(() => read(thread), [thread]);
  const [form, setForm] = useState(/** @type {{name?: string, every: string, usd: string}} */ ({every: "7", usd: ""}));
  const model = useModel();
  const name = form.name ?? (run ? named(run.title) : "");
  const put = (/** @type {string} */ field) => (/** @type {any} */ event) => setForm({...form, [field]: event.target.value});
  const [go, going, failed] = useAction(async () => {
    await api.post("/citeloom/watches", {run: thread, name, every: Number(form.every), max_usd: form.usd ? Number(form.usd) : null});
    done();
  });
  return html`<form class="card watch-this" aria-label=${V.this} onSubmit=${(/** @type {Event} */ event) => (event.preventDefault(), go())}><h2 dir="auto">${V.watching}: ${run?.title}</h2>
    <div class="watch-fields"><label class="field">${V.name}<input required maxlength="64" pattern="[A-Za-z0-9_\\-]+" title=${V.nameHint} value=${name} onInput=${put("name")} /></label>
      <label class="field">${V.every}<select value=${form.every} onChange=${put("every")}>${Object.entries(V.days).map(([days, words]) => html`<option value=${days} selected=${days === form.every}>${words}</option>`)}</select></label>
      <label class="field">${V.usd}<span class="money"><input type="number" min="0" step="0.01" placeholder=${V.usdHint} value=${form.usd} onInput=${put("usd")} /><span>USD</span></span></label></div>
    <p class="dim small">${model === false ? V.free : V.cost}</p>
    <p class="watch-do"><button class="main" disabled=${going || !run}>${V.go}</button> <a class="button quiet" href="#/watch">${V.cancel}</a></p>
    <${Problem} text=${error || failed} /></form>`;
}
