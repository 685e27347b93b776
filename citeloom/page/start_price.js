// Before a run: what it takes, what it may spend, what it asks, and what leaves the server.
// @ts-check
import * as api from "./api.js";
import {Fold} from "./components.js";
import {Estimate} from "./estimate.js";
import {Problem, useAction} from "./parts.js";
import {SOURCES} from "./start_sources.js";
import {html, useEffect, useRef, useState} from "./vendor/preact.js";
import {W} from "./words.js";

/** @param {{form: import("./start.js").Form, put: (change: any) => void, model: boolean | null, estimate: any, busy: boolean, reading: boolean, error: string, at: string}} props */
export function Before({form, put, model, estimate, busy, reading, error, at}) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (at === "model" && model !== null) place.current?.scrollIntoView({block: "center"});
  }, [at, model]);
  const asks = Object.entries(W.start.asking).filter(([name]) => (form.graph === "review" || !/plan|text/.test(name)) && (model || name !== "review_cost"));
  const tick = (/** @type {string} */ name) => (/** @type {any} */ event) =>
    put({asking: event.target.checked ? [...form.asking, name] : form.asking.filter((item) => item !== name)});
  const go = form.graph === "find" ? W.start.goFind : form.graph === "novelty" ? W.start.goNovelty : model === false ? W.start.goFree : W.start.go;
  return html`<aside class="card quote-box" aria-labelledby="before" ref=${place}>
    <h2 id="before">${model === false ? W.connect.title : W.start.priced}</h2>
    ${model === false ? html`<p>${form.graph === "find" ? W.connect.canFind : form.graph === "novelty" ? W.connect.canNovelty : W.connect.can}</p>
      <dl class="est"><div><dt>${W.connect.time}</dt><dd>${W.connect.soon}</dd></div><div><dt>${W.connect.cost}</dt><dd>${W.connect.none}</dd></div></dl>`
      : estimate ? html`<${Estimate} estimate=${estimate} />` : html`<p class="dim">${W.start.paid}</p>`}
    ${model && html`<label class="field">${W.start.budget}<span class="money"><input type="number" min="0" step="0.01" value=${form.usd}
      onInput=${(/** @type {any} */ event) => put({usd: event.target.value})} /><span>USD</span></span></label>`}
    <fieldset class="asks"><legend class="small dim">${W.start.ask}</legend>
      ${asks.map(([name, words]) => html`<label><input type="checkbox" checked=${form.asking.includes(name)} onChange=${tick(name)} /> ${words}</label>`)}</fieldset>
    <${Problem} text=${error} />
    <button class="main big" disabled=${busy || reading}>${busy ? W.start.going : go}</button>
    <p class="dim small">${sent(form, model).join(" ")}</p>
    ${model !== null && html`<${Connect} model=${model} open=${at === "model"} />`}
  </aside>`;
}

/** What leaves the server, and where it goes. @param {import("./start.js").Form} form @param {boolean | null} model @returns {string[]} */
function sent(form, model) {
  const online = form.sources.filter((name) => name !== "library").map((name) => SOURCES[/** @type {keyof typeof SOURCES} */ (name)]);
  const told = [
    model && W.start.sent.model,
    online.length && `${online.join(online.length === 2 ? " and " : ", ")} ${online.length === 1 ? W.start.sent.source : W.start.sent.sources}`,
  ].filter(Boolean).map(String);
  return told.length ? [...told, ...(form.sources.includes("library") ? [W.start.sent.library] : [])] : [W.start.sent.nothing];
}

/** How a model is connected, and whether it answers. @param {{model: boolean, open: boolean}} props */
function Connect({model, open}) {
  const [found, setFound] = useState(/** @type {any} */ (null));
  const [test, busy, error] = useAction(async () => setFound(await api.post("/citeloom/model-test", {})));
  const told = !found ? "" : found.works ? `${W.connect.works} ${found.text}` : model ? `${W.connect.fails} ${found.text}` : W.connect.missing;
  const button = html`<button type="button" class="tiny" disabled=${busy} onClick=${() => test()}>${busy ? W.connect.testing : W.connect.test}</button>
    <p class="small" role="status">${told}</p><${Problem} text=${error} />`;
  return model ? html`<div class="connect">${button}</div>`
    : html`<${Fold} summary=${W.connect.how} kind="connect" open=${open}><p class="small">${W.connect.steps}</p>${button}<//>`;
}
