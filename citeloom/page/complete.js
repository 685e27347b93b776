// How complete a search is: as a picture what is kept and what is likely missing, or the counts where nothing is estimated.
// @ts-check
import {Fold} from "./components.js";
import {html} from "./vendor/preact.js";
import {W} from "./words.js";

/** @param {{found: any}} props */
export function Complete({found}) {
  if (!found?.told) return null;
  const caveats = html`<ul class="dim dots">${(found.caveats ?? []).map((/** @type {string} */ text) => html`<li>${text}</li>`)}</ul>`;
  if (!found.estimate) return html`<section class="cover" aria-label=${W.complete.title}><${Fold} kind="small" summary=${html`<span class="dim">${found.told}</span>`}>${caveats}<//></section>`;
  const percent = (/** @type {number} */ part) => Math.round(100 * part);
  const range = found.share_low != null && found.share_high != null ? `(${percent(found.share_low)} ${W.complete.to} ${percent(found.share_high)} %)` : "";
  return html`<section class="cover" aria-label=${W.complete.title}>
    <p><strong>${W.complete.about} ${percent(found.share ?? 0)} % ${W.complete.share}</strong> <span class="dim">${range}</span></p>
    <svg class="cover-bar" viewBox="0 0 100 12" preserveAspectRatio="none" role="img" aria-label=${found.told}>
      <rect class="all" y="3" width="100" height="6" rx="3" />
      ${range && html`<rect class="range" x=${percent(found.share_low)} y="3" width=${Math.max(1, percent(found.share_high) - percent(found.share_low))} height="6" />`}
      <rect class="best" x=${Math.max(0, percent(found.share ?? 0) - 1)} width="2" height="12" /></svg>
    <${Fold} kind="small" summary=${html`<span class="dim">${found.told.replace(/^[^.]*\. /, "")}</span>`}>${caveats}<//>
  </section>`;
}
