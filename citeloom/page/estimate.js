// What a run may take: before it starts, and where it asks whether it is worth it.
// @ts-check
import * as api from "./api.js";
import {Fold} from "./components.js";
import {html, useEffect, useState} from "./vendor/preact.js";
import {W} from "./words.js";

const PAUSE = 700;

/** The estimate of what a form says, made anew when one stops typing. @param {string} graph @param {any} input @param {any} settings @param {boolean} wanted */
export function useEstimate(graph, input, settings, wanted) {
  const [found, setFound] = useState(/** @type {any} */ (null));
  const asked = JSON.stringify({graph, input, settings});
  useEffect(() => {
    if (!wanted) return setFound(null);
    const timer = setTimeout(() => api.post("/citeloom/estimate", JSON.parse(asked)).then(setFound, () => setFound(null)), PAUSE);
    return () => clearTimeout(timer);
  }, [asked, wanted]);
  return found;
}

/** The longest and dearest that a run may be, in a sentence. @param {any} estimate */
export const lengths = (estimate) => `${W.estimate.upTo} ${Math.max(1, Math.ceil(estimate.minutes?.high ?? 1))} min${estimate.usd ? `, ${estimate.usd.high.toFixed(2)} USD` : ""}.`;

/** @param {{estimate: any}} props */
export function Estimate({estimate}) {
  const span = (/** @type {any} */ range, /** @type {number} */ digits, /** @type {string} */ unit) => {
    if (!range) return W.estimate.unknown;
    const [low, high] = [range.low.toFixed(digits), range.high.toFixed(digits)];
    return `${low === high ? low : Number(low) ? `${low} ${W.estimate.to} ${high}` : `${W.estimate.upTo} ${high}`} ${unit}`;
  };
  return html`<dl class="est">
    <div><dt>${W.estimate.minutes}</dt><dd>${span(estimate.minutes, 0, "min")}</dd></div>
    <div><dt>${W.estimate.usd}</dt><dd>${span(estimate.usd, 2, "USD")}</dd></div>
    <div><dt>${W.estimate.calls}</dt><dd>${span(estimate.calls, 0, "")}</dd></div>
  </dl>
  ${estimate.notes.length > 0 && html`<${Fold} summary=${html`<span class="small">${W.estimate.why}</span>`}><ul class="dim small notes">${estimate.notes.map((/** @type {string} */ text) => html`<li>${text}</li>`)}</ul><//>`}`;
}
