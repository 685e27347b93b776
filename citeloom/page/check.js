// A checked text: each finding opens at its sentence, with the nearest passages side by side and a fix.
// @ts-check
import * as api from "./api.js";
import {useKept} from "./choices.js";
import {Note, Quote} from "./components.js";
import {because, judged, Quotes, worst} from "./evidence.js";
import {Letters, useKeys} from "./keys.js";
import {download, fits, mended} from "./mend.js";
import {base64} from "./libraries.js";
import {Nothing, Problem, useAction, useLoaded} from "./parts.js";
import {ReferenceRows, saidOf, useFixes, wordsOf} from "./references.js";
import {PageOf} from "./page_of.js";
import {paragraphs, reveal, Sentence, tally} from "./sentences.js";
import {Icon, Shape, tone, Verdict} from "./shapes.js";
import {html, useState} from "./vendor/preact.js";
import {called, counted, W} from "./words.js";

/** What a person chose for a finding. @typedef {import("./mend.js").Fix & {ignored?: boolean}} Choice */

/** Parts that are a paper's own words, which a text may quote. */
const OWN_WORDS = new Set(["passage", "abstract", "title"]);
const FINE = new Set(["", "own", "supported"]);

/** @param {{run: import("./run.js").Run}} props */
export function Checked({run}) {
  const uncited = new Map((run.values.audit?.uncited_claims ?? []).map((/** @type {any} */ item) => [item.sentence, item]));
  const sentences = /** @type {any[]} */ (run.values.sentences ?? []).map((/** @type {any} */ item) => (uncited.has(item.number) ? {...item, uncited: uncited.get(item.number)} : item));
  const found = sentences.filter((item) => item.uncited || !FINE.has(worst(item)));
  const [at, setAt] = useState(/** @type {number | null} */ (null));
  const [given] = useLoaded(() => api.kept(run.thread, "given"), [run.thread]);
  const [chosen, put, unkept] = useKept(run.thread, "mended", /** @type {Record<string, Choice>} */ ({}));
  const [fixed, fix, undo, unfixed] = useFixes(run.thread);
  const [unmade, setUnmade] = useState(/** @type {string[]} */ ([]));
  const [again, setAgain] = useState(false);
  const [save, saving, unsaved] = useAction(async (/** @type {import("./mend.js").Fix[]} */ fixes, /** @type {string} */ text, /** @type {File | null} */ file = null) => {
    const name = given?.name ?? "";
    if (!/\.docx$/i.test(name)) return download(mendedName(name), mended(text, fixes));
    const content = file ? await base64(file) : await api.kept(run.thread, "file");
    setAgain(!content);
    if (!content) return;
    const [made, left] = await api.mendedWord(name, content, fixes);
    setUnmade(left.map((place) => fixes[place].from));
    download(`corrected-${name}`, made);
  });
  const open = at ?? found[0]?.number ?? 0;
  const show = (/** @type {number} */ number) => {
    setAt(number === open ? 0 : number);
    if (number !== open) setTimeout(() => reveal(number));
  };
  const step = (/** @type {number} */ by) => {
    const next = by > 0 ? found.find((item) => item.number > open) ?? found[0] : found.findLast((item) => item.number < open) ?? found.at(-1);
    if (!next) return;
    setAt(next.number);
    setTimeout(() => {
      reveal(next.number);
      /** @type {HTMLElement | null} */ (document.querySelector(`[data-s="${next.number}"]`))?.focus({preventScroll: true});
    });
  };
  useKeys({n: () => step(1), p: () => step(-1), Escape: () => setAt(0)});
  if (!sentences.length) return html`<${Nothing}>${run.values.stop?.cause ?? W.check.none}<//>`;
  const entries = /** @type {any[]} */ (run.values.entries ?? []);
  const text = given?.text ?? [...(run.values.body ?? []), "# References", ...entries.map((item) => item.raw)].join("\n\n");
  const rows = (run.values.audit?.checked_references ?? []).map((/** @type {any} */ item, /** @type {number} */ place) => {
    const entry = entries.find((one) => one.label === item.key) ?? entries[place];
    const against = (run.values.audit?.references ?? []).filter((/** @type {any} */ one) => one.key === item.key);
    return {id: `r${place}`, number: `[${item.key || place + 1}]`, printed: entry?.raw ?? "", title: item.title || entry?.raw || item.key, outcome: item.outcome, wrong: item.wrong, record: item,
      said: [...against.filter((/** @type {any} */ one) => one.cause !== "metadata_error").map((/** @type {any} */ one) => `${called(W.text.causes, one.cause)}: ${one.detail}`), ...saidOf(item)]};
  });
  const titles = new Map(entries.map((item, place) => [item.paper, run.values.audit?.checked_references?.[place]?.title ?? item.raw]));
  const doubtful = rows.filter((/** @type {any} */ row) => !["confirmed", "not_asked"].includes(row.outcome) && !fixed[row.id]);
  const fixes = [...Object.values(chosen).filter((one) => !one.ignored && one.from),
    ...rows.filter((/** @type {any} */ row) => fixed[row.id]).map((/** @type {any} */ row) => ({from: row.printed, to: fixed[row.id]}))];
  const decide = (/** @type {any} */ item, /** @type {Choice | null} */ choice) => put((before) => {
    const {[`s${item.number}`]: _, ...rest} = before;
    return choice ? {...rest, [`s${item.number}`]: choice} : rest;
  });
  const props = {run, text, titles, close: () => setAt(0), decide};
  return html`
    <div class="text-bar strip">
      <ul class="chips tally" aria-label=${W.check.verdicts}>${tally(sentences).map(([kind, count]) => html`<li class="chip"><${Verdict} verdict=${kind}>${count} ${
        W.text.tags[/** @type {keyof typeof W.text.tags} */ (kind)]}<//></li>`)}
        ${uncited.size > 0 && html`<li class="chip"><${Verdict} verdict="own">${uncited.size} ${W.check.uncited}<//></li>`}</ul>
      <div class="text-tools">
        ${found.length > 0 && html`<button type="button" onClick=${() => step(-1)}><${Icon} name="left" size=${14} /> <span class="wide-only">${W.check.previous}</span></button>
          <button type="button" onClick=${() => step(1)}><span class="wide-only">${W.check.next}</span> <${Icon} name="right" size=${14} /></button>`}
        <button type="button" class="main" disabled=${!fixes.length || saving} onClick=${() => save(fixes, text)}>
          <span>${W.run.tabs.take} <span class="wide-only">${W.check.export}</span>${fixes.length > 0 && ` (${counted(fixes.length, "fix")})`}</span></button>
      </div>
    </div>
    <${Problem} text=${unkept || unfixed || unsaved} />
    ${again && html`<${Note} kind="ask"><label class="file">${W.check.again} <input type="file" accept=".docx"
      onChange=${(/** @type {any} */ event) => event.target.files[0] && save(fixes, text, event.target.files[0])} /></label><//>`}
    ${unmade.length > 0 && html`<${Note} kind="warn" icon="failed"><p role="status">${W.check.unmade.replace("{}", counted(unmade.length, "fix"))}</p>
      <ul class="dots">${unmade.map((words) => html`<li dir="auto">${words}</li>`)}</ul><//>`}
    <div class="check-grid"><div>
      <article class="checked" aria-label=${W.check.yours}>
        ${paragraphs(sentences).flatMap((part) => pieces(part, open).map((piece) => (Array.isArray(piece)
          ? html`<p dir="auto">${piece.map((item) => html`<${Sentence} key=${item.number} item=${item} chosen=${item.number === open} expands=${true}
            faint=${Boolean(chosen[`s${item.number}`])} choose=${() => show(item.number)} />`)}</p>`
          : html`<${Peek} key=${piece.number} item=${piece} choice=${chosen[`s${piece.number}`]} ...${props} />`)))}
        <${Letters}>${W.check.letters}<//>
      </article>
      ${rows.length > 0 && html`<section id="references" aria-labelledby="ref-h"><${ReferenceRows} rows=${rows} fixed=${fixed} fix=${fix} undo=${undo} /></section>`}
      ${(run.values.audit?.notes ?? []).map((/** @type {string} */ note) => html`<p class="dim small" dir="auto">${note}</p>`)}
    </div>
    <nav class="rail" aria-label=${W.check.findings}><h2>${found.length ? counted(found.length, "finding") : W.check.clean}</h2>
      <ol>${found.map((item) => html`<li><button type="button" class="quiet" aria-current=${item.number === open ? "true" : null} onClick=${() => show(item.number)}>
        <span class=${`verdict ${tone(worst(item))}`}><${Shape} verdict=${worst(item) || "own"} /></span><span dir="auto">${item.text}
        <span class="hide">${W.text.support[/** @type {keyof typeof W.text.support} */ (worst(item))] ?? W.check.uncited}</span></span></button></li>`)}</ol>
      ${doubtful.length > 0 && html`<h3>${W.text.references}</h3><ol>${doubtful.map((/** @type {any} */ row) => html`<li><button type="button" class="quiet"
        onClick=${() => document.getElementById(`ref-${row.id}`)?.scrollIntoView({block: "center"})}><span class=${`verdict ${tone(row.outcome)}`}><${Shape} verdict=${row.outcome} /></span>
        <span>${row.number} ${wordsOf(row)}</span></button></li>`)}</ol>`}</nav></div>`;
}

/** A paragraph, cut after the sentence that is open. @param {any[]} part @param {number} open @returns {any[]} */
function pieces(part, open) {
  const at = part.findIndex((item) => item.number === open);
  return at < 0 ? [part] : [part.slice(0, at + 1), part[at], ...(at + 1 < part.length ? [part.slice(at + 1)] : [])];
}

/** What the corrected text is saved as. @param {string} name */
const mendedName = (name) => (/\.(md|tex|txt|markdown)$/i.test(name) ? `corrected-${name}` : `corrected-${name.replace(/\.\w+$/, "") || "text"}.md`);

/**
 * A finding opened in the text.
 * @param {{item: any, choice: Choice | undefined, run: import("./run.js").Run, text: string, titles: Map<string, string>, close: () => void, decide: (item: any, choice: Choice | null) => void}} props
 */
function Peek({item, choice, run, text, titles, close, decide}) {
  const library = run.values.request?.library || "starter";
  const kind = worst(item);
  const verdicts = judged(item);
  const can = fits(text, {from: item.text, to: ""});
  const label = W.text.support[/** @type {keyof typeof W.text.support} */ (kind)] ?? W.text.without;
  return html`<section class=${`peek ${tone(kind)}`} aria-label=${`${W.check.finding}: ${label}`}>
    <div class="peek-top"><${Verdict} verdict=${kind || "own"}>${label}<//>
      <span class="peek-why" dir="auto">${item.uncited?.why ?? (verdicts.length === 1 ? because(verdicts[0]) : "")}</span>
      <button type="button" class="quiet icon tiny" aria-label=${W.check.close} onClick=${close}><${Icon} name="close" size=${14} /></button></div>
    ${verdicts.map((one) => {
      const quotes = [one.quote, ...(one.further ?? [])].filter(Boolean);
      const near = quotes.length ? quotes : one.nearest ?? [];
      const title = `${run.values.labels?.[one.key] ?? ""} ${titles.get(one.paper) ?? ""}`.trim();
      return html`<div class="peek-source" key=${one.key}>
        <p dir="auto"><span class="strong">${title}</span>${" "}${verdicts.length > 1 && html`<${Verdict} verdict=${one.verdict} /> ${because(one)}`}</p>
        ${!quotes.length && near.length > 0 && html`<p class="dim small">${W.check.nearest}</p>`}
        <div class="passages">${near.slice(0, 2).map((/** @type {any} */ quote) => html`<div class="passage"><${Quote} quote=${quote} where=${quote.place} />
          ${quote.part === "passage" && html`<${PageOf} key=${quote.text} library=${library} paper=${one.paper} quote=${quote.text} />`}
          ${can && OWN_WORDS.has(quote.part) && html`<button type="button" class="tiny" onClick=${() => decide(item, {from: item.text, to: `“${quote.text}” ${run.values.labels?.[one.key] ?? ""}.`})}>${W.check.quoteIt}</button>`}</div>`)}</div>
        ${near.length > 2 && html`<details class="more"><summary>${W.check.further} (${near.length - 2})</summary><${Quotes} quotes=${near.slice(2)} library=${library} paper=${one.paper} /></details>`}
        ${!near.length && html`<p class="dim small">${W.check.nothing}</p>`}
        ${one.unread && html`<p class="dim small" dir="auto">${W.check.unread} ${one.unread}</p>`}
        ${one.alarms?.map((/** @type {string} */ words) => html`<p class="small" dir="auto">${words}</p>`)}
        ${one.better && html`<p class="small" dir="auto">${W.check.better} ${one.better}</p>`}
      </div>`;
    })}
    <div class="peek-do">
      ${choice ? html`<p dir="auto">${choice.ignored ? W.check.ignored : choice.to ? html`${W.check.becomes} <ins>${choice.to}</ins>` : W.check.gone}</p>
          <button type="button" onClick=${() => decide(item, null)}>${W.references.undo}</button>`
        : html`${can && html`<button type="button" onClick=${() => decide(item, {from: item.text, to: ""})}>${W.check.removeIt}</button>`}
          <button type="button" class="quiet" onClick=${() => decide(item, {from: "", to: "", ignored: true})}>${W.check.ignore}</button>
          ${!can && html`<span class="dim small">${W.check.yourself}</span>`}`}
    </div>
  </section>`;
}
