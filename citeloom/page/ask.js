// Questions to a library: a conversation, each answer with its passages in place.
// @ts-check
import * as api from "./api.js";
import {PageOf} from "./page_of.js";
import {Nothing, Out, Problem, Sentence, useLoaded, whose} from "./parts.js";
import {ended} from "./run.js";
import {html, useEffect, useState} from "./vendor/preact.js";
import {Listen, Speak, useSpeech} from "./voice.js";
import {W} from "./words.js";

/** @typedef {{question: string, run: import("./run.js").Run | null, said?: string}} Turn */

/** @param {{library: string, conversation: string}} props */
export function Ask({library: named, conversation}) {
  const [found] = useLoaded(() => api.get("/citeloom/libraries"), []);
  const [library, setLibrary] = useState(named || "starter");
  const [question, setQuestion] = useState("");
  const [thread, setThread] = useState(conversation);
  const [turns, setTurns] = useState(/** @type {Turn[]} */ ([]));
  const [error, setError] = useState("");
  const speech = useSpeech();
  const busy = turns.at(-1)?.run === null && !turns.at(-1)?.said;
  useEffect(() => {
    if (conversation) ended(conversation).then((run) => setTurns(said(run)), (caught) => setError(caught.message));
  }, [conversation]);
  const ask = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const input = {question, library};
    setError("");
    setTurns([...turns, {question, run: null}]);
    setQuestion("");
    try {
      const on = thread || (await api.start("ask", input, {}, {title: question}));
      if (thread) await api.go(thread, "ask", {}, {input});
      else history.replaceState(null, "", `#/ask/${library}/${on}`);  // a reload comes back to it
      setThread(on);
      const run = await ended(on);
      setTurns([...turns, {question, run}]);
    } catch (caught) {
      setTurns(turns);
      setQuestion(question);
      setError(caught instanceof Error ? caught.message : String(caught));
    }
  };
  const anew = () => {
    history.replaceState(null, "", `#/ask/${library}`);
    setThread("");
    setTurns([]);
  };
  return html`<h1>${W.ask.title}</h1>
    <div role="log" aria-label=${W.ask.answers}>${turns.length ? turns.map((turn) => html`<${Told} turn=${turn} library=${library} speaks=${speech.speaks} fail=${setError} />`)
      : html`<${Nothing}>${W.ask.none}<//>`}</div>
    <${Problem} text=${error} />
    <form class="bar" onSubmit=${ask}>
      <label>${W.start.library}<select disabled=${Boolean(thread)}
          onChange=${(/** @type {any} */ event) => setLibrary(event.target.value)}>
        ${(found?.libraries ?? [{name: library}]).map((/** @type {any} */ item) => html`<option value=${item.name} selected=${item.name === library}>${item.name}</option>`)}</select></label>
      <label class="grow">${W.ask.question}<input required value=${question}
        onInput=${(/** @type {any} */ event) => setQuestion(event.target.value)} /></label>
      <button class="main" disabled=${busy}>${busy ? W.ask.asking : W.ask.send}</button>
      ${speech.hears && html`<${Listen} take=${setQuestion} fail=${setError} />`}
      ${thread && html`<button type="button" onClick=${anew}>${W.ask.new}</button>`}
    </form>`;
}

/** The turns of a conversation that was had before: of the last one all, of the others what was said. @param {import("./run.js").Run} run @returns {Turn[]} */
function said(run) {
  /** @type {Turn[]} */
  const turns = [];
  for (const {type, content} of run.values.messages ?? []) {
    if (type === "human") turns.push({question: String(content), run: null});
    else if (turns.length) turns[turns.length - 1].said = String(content);
  }
  return turns.length ? turns.with(-1, {question: turns[turns.length - 1].question, run}) : [];
}

/** @param {{turn: Turn, library: string, speaks: boolean, fail: (text: string) => void}} props */
function Told({turn, library, speaks, fail}) {
  const [open, setOpen] = useState(0);
  const values = turn.run?.values ?? {};
  const passages = new Map((values.passages ?? []).map((/** @type {any} */ item) => [item.id, item]));
  const papers = new Map((values.cited ?? []).map((/** @type {any} */ item) => [item.id, item]));
  const claims = (values.claims ?? []).filter((/** @type {any} */ claim) =>
    (values.sentences ?? []).find((/** @type {any} */ item) => item.number === open)?.claims.includes(claim.number));
  return html`<section class="turn">
    <h2 dir="auto">${turn.question}</h2>
    ${turn.run === null && !turn.said ? html`<p class="dim" role="status">${W.ask.asking}</p>` : null}
    ${values.sentences?.length ? html`<p dir="auto">${values.sentences.map((/** @type {any} */ item) => html`<${Sentence} kind=${item.verdict}
        chosen=${item.number === open} choose=${() => setOpen(item.number === open ? 0 : item.number)}>${item.text} [${item.claims.join(", ")}]<//> `)}</p>`
      : html`<p dir="auto">${turn.said ?? values.stop?.cause ?? values.answer ?? turn.run?.problem ?? ""}</p>`}
    ${values.mind === "extractive" && html`<p class="hint embedded">${W.run.embedded}</p>`}
    ${speaks && values.answer && html`<${Speak} text=${values.answer} fail=${fail} />`}
    ${claims.map((/** @type {any} */ claim) => {
      const passage = passages.get(claim.passage), paper = papers.get(claim.paper);
      return html`<div class="evidence" key=${claim.number}>
        <p dir="auto">[${claim.number}] ${paper?.title} <${Out} paper=${paper ?? {}} /></p>
        <p class="dim" dir="auto">${[...(passage?.section ?? []), passage?.page && `p. ${passage.page}`].filter(Boolean).join(" › ")}</p>
        <blockquote dir="auto">${passage ? html`${passage.text.slice(0, claim.quote.start)}<mark>${claim.quote.text}</mark>${passage.text.slice(claim.quote.end)}` : claim.quote.text}
          <div class="dim">${whose(claim.quote)}</div></blockquote>
        ${passage?.page && html`<${PageOf} library=${library} paper=${claim.paper} quote=${claim.quote.text} page=${passage.page} />`}
      </div>`;
    })}
  </section>`;
}
