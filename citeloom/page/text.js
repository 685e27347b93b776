// The text: its sentences with their verdicts, the evidence beside them, and what a person may do to it.
// @ts-check
import * as api from "./api.js";
import {Change, Editor, lined} from "./change.js";
import {Chip, Fold, isAnnotation, Note, Panel} from "./components.js";
import {difference} from "./diff.js";
import {Evidence, judged, worst} from "./evidence.js";
import {Letters, useKeys} from "./keys.js";
import {useModel} from "./model.js";
import {Nothing, Out, Problem, useAction, useLoaded} from "./parts.js";
import {read} from "./run.js";
import {paragraphs, reveal, Sentence, tally} from "./sentences.js";
import {Icon, Verdict} from "./shapes.js";
import {html, useState} from "./vendor/preact.js";
import {useVersions, Versions} from "./versions.js";
import {counted, W} from "./words.js";

/** @typedef {import("./run.js").Run} Run */

/** @param {{run: Run}} props */
export function Text({run}) {
  const sentences = /** @type {any[]} */ (run.values.sentences ?? []);
  const [at, setAt] = useState(0);
  const [open, setOpen] = useState(false);
  const [only, setOnly] = useState("");
  const [marked, setMarked] = useState(false);
  const [edited, setEdited] = useState(/** @type {import("./change.js").Edited | null} */ (null));
  const versions = useVersions(run);
  const model = useModel();
  const [before] = useLoaded(async () => (run.parent ? (await read(run.parent)).values.related_work ?? "" : ""), [run.parent]);
  const [revise, busy, error] = useAction(async (/** @type {Record<string, string>} */ change, /** @type {string} */ told) => {
    const settings = {...run.settings, review_cost: undefined};
    const thread = await api.start("revise", {section: run.values.run, ...change}, settings, {title: run.title, parent: run.thread, change: told});
    location.hash = `#/run/${thread}/text`;
  });
  const listed = run.values.mind === "extractive";
  // A theme above its paragraph is no sentence.
  const leads = new Set(listed ? paragraphs(sentences).filter((part) => part.length > 1 && !part[0].citations.length).map(([lead]) => lead) : []);
  const walk = sentences.filter((item) => !leads.has(item));
  const chosen = sentences.find((item) => item.number === at) ?? attention(sentences);
  const choose = (/** @type {number} */ number) => {
    // A second Enter goes on into the evidence.
    if (open && number === chosen?.number) return /** @type {HTMLElement | null} */ (document.querySelector(".panel-body"))?.focus();
    setAt(number);
    setOpen(true);
    setTimeout(() => reveal(number));
  };
  const step = (/** @type {number} */ by) => {
    const place = leads.has(chosen) ? walk.findIndex((item) => item.number > chosen.number) + Math.min(by, 0) : walk.indexOf(chosen) + by;
    if (walk[place]) choose(walk[place].number);
  };
  const focus = () => /** @type {HTMLElement | null} */ (document.querySelector(`[data-s="${chosen?.number}"]`))?.focus({preventScroll: true});
  useKeys({j: () => step(1), k: () => step(-1), Escape: () => { if (open) (setOpen(false), focus()); }});
  // What a working run holds is a draft that nobody has checked yet.
  if (run.status === "working" && !run.values.audit) return html`<${Note} kind="ask" icon="busy"><p>${W.text.working} <a href=${`#/run/${run.thread}/live`}>${W.run.tabs.live}</a></p><//>`;
  if (!sentences.length) return html`<${Nothing}>${run.values.stop?.cause ?? W.text.none}<//>`;
  if (edited) {
    return html`<${Editor} edited=${edited} change=${setEdited} papers=${run.values.plan_papers ?? []} busy=${busy} error=${error}
      save=${(/** @type {any} */ change) => revise(change, W.text.made[edited.kind])} cancel=${() => setEdited(null)} />`;
  }
  const audit = run.values.audit;
  const quotes = sentences.flatMap(judged).flatMap((item) => item.quote ?? []), noted = quotes.filter(isAnnotation).length;
  return html`
    ${audit && !audit.passed && html`<${Note} kind="warn" icon="failed"><p class="strong">${W.text.notPassed}</p>
      <ul>${audit.reasons.map((/** @type {string} */ text) => html`<li dir="auto">${text}</li>`)}</ul><//>`}
    <div class="text-bar strip">
      <div class="chips" role="group" aria-label=${W.text.filter}>${tally(sentences).map(([kind, count]) => html`<${Chip} pressed=${only === kind}
        toggle=${() => setOnly(only === kind ? "" : kind)}><${Verdict} verdict=${kind}>${count} ${W.text.tags[/** @type {keyof typeof W.text.tags} */ (kind)]}<//><//>`)}</div>
      <div class="text-tools">
        ${run.values.plan_text && html`<button type="button" onClick=${() => setEdited({kind: "plan", lines: run.values.plan_text.split("\n")})}>${W.text.plan}</button>`}
        <button type="button" onClick=${() => setEdited({kind: "text", lines: lined(sentences).split("\n"), at: lined(sentences.slice(0, sentences.indexOf(chosen) + 1), sentences).split("\n").length})}>${W.text.edit}</button>
        ${versions && html`<${Versions} run=${run} versions=${versions} />`}
        ${before && before !== run.values.related_work && html`<${Chip} pressed=${marked} toggle=${() => setMarked(!marked)}>${W.text.diff}<//>`}
      </div>
    </div>
    <div class="text-grid">
      <article aria-label=${W.text.section}>
        ${listed && html`<h2 class="lede">${W.text.annotated}</h2>${noted > 0 && html`<p class="dim small sans">${noted === quotes.length ? W.text.annotations : W.text.someAnnotations}</p>`}`}
        ${marked ? html`<p class="changes" dir="auto"><${Changes} before=${before} text=${run.values.related_work} /></p>`
          : paragraphs(sentences).map((part) => html`<p dir="auto">${part.map((item) => html`<${Sentence} key=${item.number} item=${item} lead=${leads.has(item)}
            chosen=${item === chosen} choose=${() => choose(item.number)} faint=${only && only !== worst(item)} />`)}</p>`)}
        ${audit?.passed && html`<${Fold} summary=${W.text.passed[Number(audit.supported < audit.citations)].replace("{}", `${audit.supported} ${W.story.of} ${counted(audit.citations, "citation")}`)} kind="audit"><ul>${audit.notes.map((/** @type {string} */ note) => html`<li dir="auto">${note}</li>`)}</ul><//>`}
        <h2>${W.text.references}</h2>
        <ol class="refs references">${(run.values.references ?? []).map((/** @type {any} */ item) => html`<li><span class="num dim">[${item.number}]</span>
          <span dir="auto">${item.entry || item.paper.title} <${Out} paper=${item.paper} /></span></li>`)}</ol>
        <${Letters}>${W.text.letters}<//>
      </article>
      <${Panel} label=${W.text.evidence} title=${chosen ? leads.has(chosen) ? W.papers.theme : `${W.text.sentence} ${walk.indexOf(chosen) + 1} ${W.page.of} ${walk.length}` : W.text.evidence}
        open=${open} close=${() => (setOpen(false), setTimeout(focus))}
        tools=${html`<button type="button" class="quiet icon tiny" aria-label=${W.text.previous} onClick=${() => step(-1)}><${Icon} name="left" size=${14} /></button>
          <button type="button" class="quiet icon tiny" aria-label=${W.text.next} onClick=${() => step(1)}><${Icon} name="right" size=${14} /></button>`}
        foot=${html`<${Change} run=${run} sentences=${sentences} chosen=${chosen} model=${model} busy=${busy} error=${error} revise=${revise}
          next=${(versions?.length ?? 0) + 1} />`}>
        ${chosen && html`<${Evidence} key=${chosen.number} sentence=${chosen} values=${run.values} />`}
      <//>
    </div>`;
}

/** The sentence to look at first: one that is not fine, or else one that cites. @param {any[]} sentences */
const attention = (sentences) =>
  sentences.find((item) => !["", "own", "supported"].includes(worst(item))) ?? sentences.find((item) => item.citations.length) ?? sentences[0];

/** @param {{before: string, text: string}} props */
function Changes({before, text}) {
  const parts = difference(before, text);
  const count = (/** @type {string} */ kind) => parts.filter((part) => part.kind === kind).reduce((sum, part) => sum + part.text.split(" ").filter(Boolean).length, 0);
  return html`<span class="dim small changed">${counted(count("new"), "word")} ${W.text.added}, ${counted(count("gone"), "word")} ${W.text.removed}</span>
    ${parts.map(({text: words, kind}) => (kind === "same" ? words : kind === "gone" ? html`<del>${words}</del>` : html`<ins>${words}</ins>`))}`;
}
