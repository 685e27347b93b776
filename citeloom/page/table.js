// The comparison of the cited papers, a quote behind each cell.
// @ts-check
import {Nothing} from "./parts.js";
import {html} from "./vendor/preact.js";
import {W} from "./words.js";

/** @param {{table: any}} props */
export function Table({table}) {
  const rows = table?.rows ?? [];
  if (!rows.length) return html`<${Nothing}>${W.table.none}<//>`;
  /** @type {(keyof typeof W.table.facets)[]} */
  const facets = table.facets.filter((/** @type {string} */ facet) => rows.some((/** @type {any} */ row) => row.cells[facet]));
  return html`<div class="wide" tabindex="0" role="region" aria-label=${W.run.tabs.table}><table>
    <thead><tr><th scope="col">${W.table.paper}</th>${facets.map((facet) => html`<th scope="col">${W.table.facets[facet] ?? facet}</th>`)}</tr></thead>
    <tbody>${rows.map((/** @type {any} */ row) => html`<tr>
      <th scope="row" dir="auto">${row.number ? `[${row.number}] ` : ""}${row.name}<div class="dim">${row.title}</div></th>
      ${facets.map((facet) => html`<td dir="auto">${row.cells[facet] && html`${row.cells[facet].text}
        ${row.cells[facet].quote.text !== row.cells[facet].text && html`<blockquote>“${row.cells[facet].quote.text}”</blockquote>`}`}</td>`)}
    </tr>`)}</tbody></table></div>`;
}
