// The text: each sentence with its evidence, and what a person may do to it.
// @ts-check
import * as api from "./api.js";
import {difference} from "./diff.js";
import {Evidence, Verdict, worst} from "./evidence.js";
import {Lines, Nothing, Out, Problem, Sentence, useAction, useLoaded} from "./parts.js";
import {Card} from "./question.js";
import {read} from "./run.js";
import {html, useState} from "./vendor/preact.js";
import {W} from "./words.js";

/** @typedef {import("./run.js").Run} Run */

const MARKER = /\{(P\d+)\}/g;

/** Sentences by paragraph. @param {any[]} sentences @returns {any[][]} */
export function paragraphs(sentences) {
  /** @type {Map<number, any[]>} */
  const found = new Map();
  for (const item of sentences) found.set(item.paragraph, [...(found.get(item.paragraph) ?? []), item]);
  return [...found.values()];
}

/** The text as lines that cite the n-th paper as [n], which `revise` takes. @param {any[]} sentences */
export function lined(sentences) {
  const keys = [...new Set(sentences.flatMap((item) => [...item.marked.matchAll(MARKER)].map((found) => found[1])))];
  const line = (/** @type {any} */ item) =>
    item.marked.replace(MARKER, (/** @type {string} */ _, /** @type {string} */ name) => `[${keys.indexOf(name) + 1}]`);
  return paragraphs(sentences).map((part) => part.map(line).join("\n")).join("\n\n");
}

/** @param {{run: Run}} props */
export function Text({run}) {
  const sentences = /** @type {any[]} */ (run.values.sentences ?? []);
  const [at, setAt] = useState(0);
  const [edited, setEdited] = useState(/** @type {{kind: "text" | "plan", lines: string[]} | null} */ (null));
  const [told, setTold] = useState("");
  const [ready] = useLoaded(() => api.get("/citeloom/ready").catch(() => null), []);
  const paid = ready?.parts?.find((/** @type {any} */ part) => part.name === "llm")?.state === "ready";
  const [revise, busy, error] = useAction(async (/** @type {Record<string, string>} */ change) => {
    const settings = {...run.settings, review_cost: undefined};
    const thread = await api.start("revise", {section: run.values.run, ...change}, settings,
      {title: run.title, parent: run.thread});
    location.hash = `#/run/${thread}/text`;
  });
  if (!sentences.length) return html`<${Nothing}>${W.text.none}<//>`;
  const chosen = sentences.find((item) => item.number === at);
  if (edited) {
    const papers = /** @type {any[]} */ (edited.kind === "plan" ? run.values.plan_papers : []);
    return html`<p class="hint">${edited.kind === "plan" ? W.text.planRows : W.text.rows}</p>
      <${Lines} lines=${edited.lines} label=${edited.kind === "text" ? W.text.edit : W.text.plan}
        change=${(/** @type {string[]} */ lines) => setEdited({...edited, lines})} />
      ${papers.length > 0 && html`<h2 class="minor">${W.question.listed}</h2>
        <ol class="cards">${papers.map((card) => html`<${Card} card=${card} />`)}</ol>`}
      <${Problem} text=${error} />
      <button class="main" disabled=${busy} onClick=${() => revise({[edited.kind]: edited.lines.join("\n")})}>
        ${edited.kind === "text" ? W.text.check : W.text.again}</button>
      <button onClick=${() => setEdited(null)}>${W.text.cancel}</button>`;
  }
  const choose = (/** @type {number} */ number) => {
    setAt(number);
    // In one column the evidence stands below the text.
    if (matchMedia("(max-width: 44rem)").matches) setTimeout(() => document.querySelector("aside")?.scrollIntoView());
  };
  return html`
    ${run.parent && html`<${Changes} parent=${run.parent} text=${run.values.related_work} />`}
    <div class="bar">
      <button onClick=${() => setEdited({kind: "text", lines: lined(sentences).split("\n")})}>${W.text.edit}</button>
      ${run.values.plan_text && html`<button onClick=${() => setEdited({kind: "plan", lines: run.values.plan_text.split("\n")})}>${W.text.plan}</button>`}
      <form class="inline" onSubmit=${(/** @type {Event} */ event) => (event.preventDefault(), revise({instruction: told}))}>
        <label>${W.text.ask}<input required placeholder=${paid ? W.text.askHint : W.text.askFree} value=${told}
          onInput=${(/** @type {any} */ event) => setTold(event.target.value)} /></label>
        <button disabled=${busy}>${W.text.send}</button>
      </form>
    </div>
    <${Problem} text=${error} />
    <${Verdict} audit=${run.values.audit} />
    <div class="columns text">
      <article>
        ${paragraphs(sentences).map((part) => html`<${Paragraph} part=${part} at=${at} choose=${choose} values=${run.values} />`)}
        <h2>${W.text.references}</h2>
        <ol class="references">${(run.values.references ?? []).map((/** @type {any} */ item) =>
          html`<li value=${item.number} dir="auto">${item.entry || item.paper.title} <${Out} paper=${item.paper} /></li>`)}</ol>
      </article>
      <aside aria-label=${W.text.evidence}>
        <h2>${W.text.evidence}</h2>
        <div role="status">${chosen ? html`<${Evidence} sentence=${chosen} values=${run.values} />` : html`<${Nothing}>${W.text.choose}<//>`}</div>
        ${chosen && html`<p>
          <button disabled=${busy} onClick=${() => revise({text: lined(sentences.filter((item) => item !== chosen))})}>${W.text.remove}</button>${" "}
          ${paid && html`<button disabled=${busy} onClick=${() => revise({instruction: `Say sentence ${chosen.number} shorter: “${chosen.text}”`})}>${W.text.shorter}</button>`}</p>`}
      </aside>
    </div>`;
}

/** @param {{part: any[], at: number, choose: (at: number) => void, values: any}} props */
function Paragraph({part, at, choose, values}) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    const cited = new Set(part.flatMap((item) => item.citations.map((/** @type {any} */ one) => one.paper)));
    const listed = (values.references ?? []).filter((/** @type {any} */ item) => cited.has(item.paper.id));
    const list = listed.map((/** @type {any} */ item) => `[${item.number}] ${item.entry || item.paper.title}`);
    await navigator.clipboard.writeText([part.map((item) => item.text).join(" "), ...list].join("\n\n"));
    setCopied(true);
  };
  return html`<p dir="auto">${part.map((item) => html`<${Sentence} kind=${worst(item)} chosen=${item.number === at}
      choose=${() => choose(item.number)}>${item.text}<//> `)}
    <button class="small" title=${W.text.copyAll} onClick=${copy}>${copied ? W.text.copied : W.text.copy}</button></p>`;
}

/** @param {{parent: string, text: string}} props */
function Changes({parent, text}) {
  const [before] = useLoaded(async () => (await read(parent)).values.related_work ?? "", [parent]);
  if (!before || before === text) return null;
  return html`<details class="changes"><summary>${W.text.diff}</summary>
    <p dir="auto">${difference(before, text).map(({text: words, kind}) =>
      kind === "same" ? words : kind === "gone" ? html`<del>${words}</del>` : html`<ins>${words}</ins>`)}</p></details>`;
}
