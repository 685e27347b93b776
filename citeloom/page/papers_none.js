// A search that kept no paper: why, and what to do next.
// @ts-check
import * as api from "./api.js";
import {Problem, useAction} from "./parts.js";
import {html} from "./vendor/preact.js";
import {counted, W} from "./words.js";

/** Free sources of all fields, which a wider search asks. */
const FREE = ["library", "openalex", "semantic_scholar", "arxiv"];
/** What a search may leave papers out for, in the order in which it does. */
const OUT = /** @type {const} */ (["excluded_by_cutoff", "excluded_as_retracted", "excluded_by_request", "not_assessed", "excluded_by_debate", "excluded_by_number"]);

/** Why nothing was kept, in sentences. @param {import("./run.js").Run} run @returns {string[]} */
function reasons({problem, values: {counts = {}, failures = []}}) {
  const silent = new Set(failures.filter((/** @type {any} */ item) => item.stage === "search_source").map((/** @type {any} */ item) => item.subject.split(":")[0])).size;
  const out = OUT.filter((name) => counts[name]).map((name) => `${counts[name]} ${W.run.counts[name]}`);
  return [!counts.identified && problem ? "" : counts.identified ? `${W.papers.empty.found} ${counted(counts.screened ?? counts.identified, "paper")}: ${out.join(", ") || W.papers.empty.unkept}.` : W.papers.empty.nothing,
    silent ? W.papers.empty.silent.replace("{}", counted(silent, "source")) : ""].filter(Boolean);
}

/** @param {{run: import("./run.js").Run, seen: number, show: () => void}} props `seen` papers were found and not kept */
export function NoPapers({run, seen, show}) {
  const {searched} = run;
  const dated = Boolean(searched.before || searched.after), sources = /** @type {string[]} */ (searched.sources ?? ["library"]);
  const [again, busy, error] = useAction(async (/** @type {Record<string, unknown>} */ change) => {
    location.hash = `#/run/${await api.start(run.graph, {...searched, ...change}, run.settings, {title: run.title})}/live`;
  });
  if (run.status !== "completed") return html`<p class="nothing">${W.papers.none}</p>`;
  return html`<section class="card none-kept" aria-labelledby="none-kept"><h2 id="none-kept">${W.papers.empty.title}</h2>
    ${reasons(run).map((text) => html`<p>${text}</p>`)}
    <${Problem} text=${error} />
    <div class="card-do">
      ${seen > 0 && html`<button type="button" onClick=${show}>${W.papers.empty.seen} ${counted(seen, "paper")}</button>`}
      ${searched.text && html`${FREE.some((name) => !sources.includes(name)) && html`<button type="button" disabled=${busy} onClick=${() => again({sources: [...new Set([...sources, ...FREE])]})}>${W.papers.empty.wider}</button>`}
        ${dated && html`<button type="button" disabled=${busy} onClick=${() => again({before: undefined, after: undefined})}>${W.papers.empty.dates}</button>`}
        <a class="button" href=${`#/start/${run.thread}`}>${W.papers.empty.words}</a>`}</div>
    ${searched.text && html`<p class="dim small">${W.papers.empty.sent}</p>`}</section>`;
}
