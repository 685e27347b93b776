// Novelty: each claim of a text beside the earlier works that are nearest to it, with the words of both.
// @ts-check
import {Fold, isAnnotation, Note, Quote} from "./components.js";
import {byline, Nothing, Out} from "./parts.js";
import {Verdict} from "./shapes.js";
import {html} from "./vendor/preact.js";
import {counted, W} from "./words.js";

/** Works that stand open; the rest is folded. */
const FIRST = 3;
/** Papers not compared that are listed. */
const LISTED = 200;
/** The shape of what was found of a claim, and of a work beside it. @type {Record<string, string>} */
const SHAPES = {same: "contradicted", overlaps: "partly", differs: "own", not_found: "own", not_compared: "not_checked"};

/** How many works stand open: those that say something of the claim, else a few. @param {any} claim */
const first = (claim) => claim.nearest.filter((/** @type {any} */ work) => ["same", "overlaps"].includes(work.relation)).length || FIRST;

/** How many works are what to a claim. @param {Record<string, number>} counts */
const tally = (counts) => Object.entries(W.claims.relations).filter(([name]) => counts[name]).map(([name, words]) => `${counts[name]} ${words.toLowerCase()}`).join(", ");

/** @param {{run: import("./run.js").Run}} props */
export function Claims({run}) {
  const claims = /** @type {any[]} */ (run.values.claims ?? []);
  const rest = /** @type {any[]} */ (run.values.uncompared ?? []);
  if (!claims.length) return html`<${Nothing}>${W.claims.none}<//>`;
  const noted = claims.some((claim) => claim.nearest.some((/** @type {any} */ work) => work.paper_words && isAnnotation(work.paper_words)));
  return html`<div class="claims">
    <${Note}>${run.values.mind === "extractive" ? W.claims.embedded : W.claims.says}<//>
    ${noted && html`<p class="small dim"><span class="noted-key">${W.papers.key}</span></p>`}
    ${claims.map((claim) => html`<section class="card claim" aria-label=${`${W.claims.claim} ${claim.number}`}>
      <h2><span class="num dim">${claim.number}</span> <q dir="auto">${claim.claim}</q></h2>
      <p><${Verdict} verdict=${SHAPES[claim.found]}>${W.claims.found[/** @type {keyof typeof W.claims.found} */ (claim.found)]}<//>${" "}
        ${claim.found !== "not_compared" && html`<span class="dim small">${tally(claim.counts)}</span>`}</p>
      ${claim.nearest.slice(0, first(claim)).map((/** @type {any} */ work) => html`<${Work} key=${work.paper.id} work=${work} />`)}
      ${claim.nearest.length > first(claim) && html`<${Fold} summary=${`${claim.nearest.length - first(claim)} ${W.claims.more}`}>
        ${claim.nearest.slice(first(claim)).map((/** @type {any} */ work) => html`<${Work} key=${work.paper.id} work=${work} />`)}<//>`}
    </section>`)}
    ${rest.length > 0 && html`<${Fold} summary=${`${W.claims.rest}: ${counted(rest.length, "paper")}`}>
      <ul class="small">${rest.slice(0, LISTED).map((one) => html`<li key=${one.id}>${one.title} (${one.year ?? W.claims.undated}): ${one.why}</li>`)}</ul>
      ${rest.length > LISTED && html`<p class="dim small">${counted(rest.length - LISTED, "paper")} ${W.claims.inFile}</p>`}<//>`}
  </div>`;
}

/** @param {{work: any}} props */
function Work({work}) {
  const compared = work.relation !== "not_compared";
  return html`<div class="beside">
    <h3 dir="auto">${work.paper.title}</h3>
    <p class="dim small" dir="auto">${byline(work.paper)} <${Out} paper=${work.paper} /></p>
    ${compared && html`<p><${Verdict} verdict=${SHAPES[work.relation]}>${W.claims.relations[/** @type {keyof typeof W.claims.relations} */ (work.relation)]}<//></p>`}
    ${compared && work.claim_words && html`<p dir="auto"><strong>${W.claims.shares}</strong> <q>${work.claim_words.text}</q></p>`}
    ${work.missing_words && html`<p dir="auto"><strong>${W.claims.differs}</strong> <q>${work.missing_words.text}</q></p>`}
    ${work.why && html`<p class="dim small">${W.claims.not}: ${work.why}</p>`}
    <div class="pair">
      ${work.paper_words && html`<${Quote} quote=${work.paper_words} where=${work.paper_words.place} told=${true} />`}
    </div>
  </div>`;
}
