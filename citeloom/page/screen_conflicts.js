// The records on which screeners disagree, with each screener's decision, and the form that settles them.
// @ts-check
import * as api from "./api.js";
import {Fold} from "./components.js";
import {byline, Nothing, Out, Problem, useAction, useLoaded} from "./parts.js";
import {Said} from "./screen_decide.js";
import {S} from "./screen_words.js";
import {html, useState} from "./vendor/preact.js";
import {W} from "./words.js";

/** @param {import("./screening.js").Shown} props */
export function Conflicts({name, by, stage, state, again}) {
  const [found, error, reload] = useLoaded(() => api.get(`/citeloom/screenings/${name}/conflicts?${new URLSearchParams({by, stage})}`), [name, stage]);
  const [settle, busy, failed] = useAction(async (/** @type {string} */ paper, /** @type {string} */ decision, /** @type {string} */ reason = "") => {
    await api.post(`/citeloom/screenings/${name}/decisions`, {by, stage, paper, decision, reason, kind: "resolution"});
    reload();
    again();
  });
  const conflicts = /** @type {any[]} */ (found?.conflicts ?? []);
  return html`<${Problem} text=${error || failed} />
    ${found && (conflicts.length ? html`<p class="dim">${S.conflictsLead}</p>` : html`<${Nothing}>${S.conflictsNone}<//>`)}
    <ul class="conflicts">${conflicts.map(({paper, said}) => html`<li class="card" key=${paper.id}><h2 dir="auto">${paper.title}</h2><p class="dim small">${byline(paper)} <${Out} paper=${paper} /></p>
      ${paper.abstract && html`<${Fold} summary=${html`<span class="small">${W.papers.abstract}</span>`}><p class="abstract" dir="auto">${paper.abstract}</p><//>`}
      <div class="voices">${said.map((/** @type {any} */ one) => html`<${Said} one=${one} />`)}</div>
      <${Settle} paper=${paper} criteria=${state.criteria} busy=${busy} settle=${settle} /></li>`)}</ul>`;
}

/** @param {{paper: any, criteria: Record<string, string>, busy: boolean, settle: (paper: string, decision: string, reason?: string) => void}} props */
function Settle({paper, criteria, busy, settle}) {
  const [reason, setReason] = useState("");
  return html`<div class="choices" role="group" aria-label=${`${S.settle}: ${paper.title}`}><button type="button" disabled=${busy} onClick=${() => settle(paper.id, "include")}>${S.choices.include}</button>
    <select aria-label=${S.reason} value=${reason} onChange=${(/** @type {any} */ event) => setReason(event.target.value)}><option value="">${S.choose}</option>
      ${Object.entries(criteria).map(([number, text]) => html`<option value=${number}>${number} ${text}</option>`)}</select>
    <button type="button" disabled=${busy || !reason} onClick=${() => settle(paper.id, "exclude", reason)}>${S.choices.exclude}</button></div>`;
}
