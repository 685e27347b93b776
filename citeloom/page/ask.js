// Questions to a library: a conversation, each answer with its passages in place.
// @ts-check
import * as api from "./api.js";
import {Nothing, Out, Problem, Sentence, useLoaded} from "./parts.js";
import {read} from "./run.js";
import {html, useState} from "./vendor/preact.js";
import {W} from "./words.js";

/** @typedef {{question: string, run: import("./run.js").Run | null}} Turn */

export function Ask() {
  const [found] = useLoaded(() => api.get("/citeloom/libraries"), []);
  const [library, setLibrary] = useState("starter");
  const [question, setQuestion] = useState("");
  const [thread, setThread] = useState("");
  const [turns, setTurns] = useState(/** @type {Turn[]} */ ([]));
  const [error, setError] = useState("");
  const busy = turns.at(-1)?.run === null;
  const ask = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const input = {question, library};
    setError("");
    setTurns([...turns, {question, run: null}]);
    setQuestion("");
    try {
      const on = thread || (await api.start("ask", input, {}, {title: question}));
      if (thread) await api.go(thread, "ask", {}, {input});
      setThread(on);
      let run = await read(on);
      while (run.status === "working") {
        for await (const _ of api.follow(on, run.run, new AbortController().signal)) { /* until it ends */ }
        run = await read(on);
      }
      setTurns([...turns, {question, run}]);
    } catch (caught) {
      setTurns(turns);
      setQuestion(question);
      setError(caught instanceof Error ? caught.message : String(caught));
    }
  };
  return html`<h1>${W.ask.title}</h1>
    <div role="log" aria-label=${W.ask.answers}>${turns.length ? turns.map((turn) => html`<${Told} turn=${turn} />`) : html`<${Nothing}>${W.ask.none}<//>`}</div>
    <${Problem} text=${error} />
    <form class="bar" onSubmit=${ask}>
      <label>${W.start.library}<select disabled=${Boolean(thread)}
          onChange=${(/** @type {any} */ event) => setLibrary(event.target.value)}>
        ${(found?.libraries ?? [{name: "starter"}]).map((/** @type {any} */ item) => html`<option value=${item.name} selected=${item.name === library}>${item.name}</option>`)}</select></label>
      <label class="grow">${W.ask.question}<input required value=${question}
        onInput=${(/** @type {any} */ event) => setQuestion(event.target.value)} /></label>
      <button class="main" disabled=${busy}>${busy ? W.ask.asking : W.ask.send}</button>
      ${thread && html`<button type="button" onClick=${() => (setThread(""), setTurns([]))}>${W.ask.new}</button>`}
    </form>`;
}

/** @param {{turn: Turn}} props */
function Told({turn}) {
  const [open, setOpen] = useState(0);
  const values = turn.run?.values ?? {};
  const passages = new Map((values.passages ?? []).map((/** @type {any} */ item) => [item.id, item]));
  const papers = new Map((values.cited ?? []).map((/** @type {any} */ item) => [item.id, item]));
  const claims = (values.claims ?? []).filter((/** @type {any} */ claim) =>
    (values.sentences ?? []).find((/** @type {any} */ item) => item.number === open)?.claims.includes(claim.number));
  return html`<section class="turn">
    <h2 dir="auto">${turn.question}</h2>
    ${turn.run === null ? html`<p class="dim" role="status">${W.ask.asking}</p>` : null}
    ${values.sentences?.length ? html`<p dir="auto">${values.sentences.map((/** @type {any} */ item) => html`<${Sentence} kind=${item.verdict}
        chosen=${item.number === open} choose=${() => setOpen(item.number === open ? 0 : item.number)}>${item.text} [${item.claims.join(", ")}]<//> `)}</p>`
      : html`<p dir="auto">${values.stop?.cause ?? values.answer ?? turn.run?.error ?? ""}</p>`}
    ${claims.map((/** @type {any} */ claim) => {
      const passage = passages.get(claim.passage), paper = papers.get(claim.paper);
      return html`<div class="evidence">
        <p dir="auto">[${claim.number}] ${paper?.title} <${Out} paper=${paper ?? {}} /></p>
        <p class="dim" dir="auto">${[...(passage?.section ?? []), passage?.page && `p. ${passage.page}`].filter(Boolean).join(" › ")}</p>
        <blockquote dir="auto">${passage ? html`${passage.text.slice(0, claim.quote.start)}<mark>${claim.quote.text}</mark>${passage.text.slice(claim.quote.end)}` : claim.quote.text}</blockquote>
      </div>`;
    })}
  </section>`;
}
