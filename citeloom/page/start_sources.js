// Where a run searches, and what each place needs.
// @ts-check
import * as api from "./api.js";
import {useLoaded} from "./parts.js";
import {html} from "./vendor/preact.js";
import {counted, W} from "./words.js";

export const SOURCES = {...W.start.sourceNames, ...W.start.moreSources};

/** @param {{sources: string[], library: string, put: (change: any) => void}} props */
export function Where({sources, library, put}) {
  const [found] = useLoaded(() => api.get("/citeloom/libraries"), []);
  const [has] = useLoaded(() => api.get("/citeloom/sources"), []);
  const tick = (/** @type {string} */ name) => (/** @type {any} */ event) =>
    put({sources: event.target.checked ? ["library", ...Object.keys(SOURCES)].filter((one) => one === name || sources.includes(one)) : sources.filter((one) => one !== name)});
  return html`<fieldset class="where-set"><legend><h2>${W.start.where}</h2></legend>
    <div class="places-grid">
      <div class="src"><input type="checkbox" id="src-library" checked=${sources.includes("library")} onChange=${tick("library")} />
        <span><label for="src-library"><strong>${W.start.mine}</strong></label><select aria-label=${W.start.library} onChange=${(/** @type {any} */ event) => put({library: event.target.value})}>
          ${(found?.libraries ?? [{name: "starter"}]).map((/** @type {any} */ item) =>
            html`<option value=${item.name} selected=${item.name === library}>${item.name}${item.papers === undefined ? "" : `, ${counted(item.papers, "paper")}`}</option>`)}</select></span></div>
      ${Object.entries(SOURCES).map(([name, words]) => {
        const off = name === "google" && has && !has.keys.google;
        const slow = name === "semantic_scholar" && has && !has.keys.semantic_scholar;
        return html`<label class=${`src ${off ? "off" : ""}`}><input type="checkbox" disabled=${off} checked=${sources.includes(name)} onChange=${tick(name)} />
          <span><strong>${words}</strong><span class="dim small">${off ? W.start.needsKey : slow ? W.start.slow : W.start.needs[/** @type {keyof typeof W.start.needs} */ (name)]}</span></span></label>`;
      })}
    </div>
    ${sources.length === 1 && sources[0] === "library" && library === "starter" && html`<p class="dim small">${W.start.starter} ${W.start.elsewhere}</p>`}</fieldset>`;
}
