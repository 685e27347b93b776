// The methods of the literature that a run can follow, by step; the server has the table.
// @ts-check
import {Fold} from "./components.js";
import {html} from "./vendor/preact.js";
import {W} from "./words.js";

const STEPS = {find: ["search", "queries", "rank"], novelty: ["search", "queries", "rank"], review: ["search", "queries", "rank", "write"]};

/** @param {{steps: any[], graph: "review" | "find" | "novelty", model: boolean | null, chosen: Record<string, any>, choose: (methods: Record<string, any>) => void}} props */
export function Methods({steps, graph, model, chosen, choose}) {
  const shown = steps.filter(({step}) => STEPS[graph].includes(step));
  if (!shown.length) return null;
  const is = (/** @type {string} */ step, /** @type {any} */ method) => JSON.stringify(chosen[step] ?? {}) === JSON.stringify(method.settings);
  const named = shown.flatMap(({step, methods}) => methods.filter((/** @type {any} */ one) => is(step, one) && one !== methods[0]).map((/** @type {any} */ one) => one.name));
  return html`<${Fold} kind="card fold" summary=${html`<h2>${W.start.methods}</h2><span class="dim small">${named.join(", ") || W.start.methodsHint}</span>`}>
    ${model === false && html`<p class="dim small">${graph === "review" ? W.start.methodsFree : W.start.methodsFreeFind}</p>`}
    <div class="methods">${shown.map(({step, title, methods}) => html`<fieldset><legend>${title}</legend>
      ${methods.map((/** @type {any} */ one) => {
        const lacks = one.model && model === false;
        return html`<label class="method"><input type="radio" name=${`method-${step}`} disabled=${lacks} checked=${is(step, one)} onChange=${() => choose({...chosen, [step]: one.settings})} />
          <span><strong>${one.name}</strong><span class="dim small">${one.when}${lacks ? ` ${W.start.needsModel}` : ""}</span>
            ${one.source && html`<span class="dim small origin">${one.source}</span>`}</span></label>`;
      })}</fieldset>`)}</div><//>`;
}
