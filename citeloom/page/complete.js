// How complete a search is: as a picture what is kept and what is likely missing, or the counts where nothing is estimated.
// @ts-check
import {html} from "./vendor/preact.js";
import {W} from "./words.js";

/** @param {{found: any}} props */
export function Complete({found}) {
  if (!found?.told) return null;
  const most = Math.max(found.estimate, found.high ?? 0, 1);
  const share = (/** @type {number} */ count) => Math.max(0, Math.min(100, (100 * count) / most));
  return html`<details class="complete">
    <summary>${W.complete.title} ${found.estimate && html`<span class="dim">${Math.round(100 * (found.share ?? 0))} % ${W.complete.share}</span>`}</summary>
    ${found.estimate && html`<svg viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label=${found.told}>
      <rect class="most" width=${share(found.estimate)} height="6" />
      <rect class="kept" width=${share(found.kept)} height="6" />
      <line class="low" x1=${share(found.low)} x2=${share(found.low)} y1="0" y2="6" />
      <line class="low" x1=${share(found.high)} x2=${share(found.high)} y1="0" y2="6" />
    </svg>`}
    <p>${found.told}</p>
    <ul class="dim">${(found.caveats ?? []).map((/** @type {string} */ text) => html`<li>${text}</li>`)}</ul>
  </details>`;
}
