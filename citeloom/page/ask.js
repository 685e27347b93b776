// Questions to a library: the conversation on the left, the passages and pages of an answer beside it.
// @ts-check
import * as api from "./api.js";
import {isAnnotation, Panel, Pop, Quote} from "./components.js";
import {useKeys} from "./keys.js";
import {PageOf} from "./page_of.js";
import {Nothing, Out, Problem, useLoaded} from "./parts.js";
import {ended} from "./run.js";
import {numbered, Sentence} from "./sentences.js";
import {Verdict} from "./shapes.js";
import {html, useEffect, useState} from "./vendor/preact.js";
import {Listen, Speak, useSpeech} from "./voice.js";
import {W} from "./words.js";

/** @typedef {{question: string, run: import("./run.js").Run | null, said?: string}} Turn */

const RECENT = 100;
/** Sentences of one answer, so that each sentence of a conversation has a number of its own. */
const MOST = 1000;

/** @param {{library: string, conversation: string}} props */
export function Ask({library: named, conversation}) {
  const [found] = useLoaded(() => api.get("/citeloom/libraries"), []);
  const [library, setLibrary] = useState(named || "starter");
  const [question, setQuestion] = useState("");
  const [thread, setThread] = useState(conversation);
  const [turns, setTurns] = useState(/** @type {Turn[]} */ ([]));
  const [error, setError] = useState("");
  const [at, setAt] = useState(0);
  const [open, setOpen] = useState(false);
  const [step, setStep] = useState("");
  const speech = useSpeech();
  const busy = turns.at(-1)?.run === null && !turns.at(-1)?.said;
  const [listed] = useLoaded(async () => ({of: library, threads: (await api.threads(RECENT)).filter((item) =>
    item.metadata?.citeloom_graph === "ask" && (item.metadata.searched?.library ?? "starter") === library)}), [library, thread]);
  const earlier = listed?.of === library ? listed.threads : [];
  /** Take an earlier conversation up, so that a question goes on in it. @param {string} on */
  const take = (on) => {
    setThread(on);
    setAt(0);
    ended(on).then((run) => setTurns(said(run)), (caught) => setError(caught.message));
  };
  useEffect(() => { if (conversation) take(conversation); }, [conversation]);
  // The last question stands in sight, and its answer below it.
  useEffect(() => { if (turns.length > 1) document.querySelector(".turn:last-child")?.scrollIntoView({block: "start"}); }, [turns]);
  useKeys({Escape: () => setOpen(false)});
  const ask = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const input = {question, library};
    setError("");
    setTurns([...turns, {question, run: null}]);
    setStep("");
    setQuestion("");
    try {
      const on = thread || (await api.start("ask", input, {}, {title: question}));
      if (thread) await api.go(thread, "ask", {}, {input});
      else history.replaceState(null, "", `#/ask/${library}/${on}`);  // a reload comes back to it
      setThread(on);
      const run = await ended(on, (data) => data?.title && setStep(data.title));
      setTurns([...turns, {question, run}]);
      setAt(0);
    } catch (caught) {
      setTurns(turns);
      setQuestion(question);
      setError(caught instanceof Error ? caught.message : String(caught));
    }
  };
  const anew = (/** @type {string} */ of) => {
    history.replaceState(null, "", `#/ask/${of}`);
    setLibrary(of);
    setThread("");
    setTurns([]);
    setAt(0);
  };
  // The first sentence of the last answer, until another one is chosen.
  const last = turns.findLastIndex((turn) => turn.run?.values.sentences?.length);
  const chosen = at || (last >= 0 ? last * MOST + turns[last].run?.values.sentences[0].number : 0);
  const values = turns[Math.floor(chosen / MOST)]?.run?.values ?? {};
  const sentence = (values.sentences ?? []).find((/** @type {any} */ item) => item.number === chosen % MOST);
  const choose = (/** @type {number} */ number) => (setAt(number), setOpen(true));
  return html`<div class="ask-top"><h1>${W.ask.title}</h1>
      <div class="text-tools">
        <label><span class="wide-only">${W.start.library}</span><select onChange=${(/** @type {any} */ event) => anew(event.target.value)}>
          ${(found?.libraries ?? [{name: library}]).map((/** @type {any} */ item) => html`<option value=${item.name} selected=${item.name === library}>${item.name}</option>`)}</select></label>
        ${earlier.length > 0 && html`<${Pop} label=${html`<span>${W.ask.earlier} <span class="wide-only">${W.ask.conversations}</span></span>`}><ul class="versions">${earlier.map((/** @type {any} */ item) => html`<li>
          <a href=${`#/ask/${library}/${item.thread_id}`} aria-current=${item.thread_id === thread ? "true" : null}><strong dir="auto">${item.metadata.title}</strong>
            <span class="dim">${new Date(item.updated_at).toLocaleString(undefined, {dateStyle: "medium", timeStyle: "short"})}</span></a></li>`)}</ul><//>`}
        ${thread && html`<button type="button" onClick=${() => anew(library)}><span>${W.ask.new} <span class="wide-only">${W.ask.conversation}</span></span></button>`}
      </div></div>
    <div class="text-grid">
      <div class="chat">
        <div role="log" aria-label=${W.ask.answers}>${turns.length ? turns.map((turn, place) => html`<${Told} turn=${turn} first=${place * MOST} chosen=${chosen} choose=${choose} step=${step}
            library=${library} speaks=${speech.speaks} fail=${setError} />`) : html`<${Nothing}>${W.ask.none} ${library === "starter" && html`${W.start.starter} <button type="button" class="tiny" onClick=${() => setQuestion(W.ask.sample)}>${W.start.example}</button>`}<//>`}</div>
        <${Problem} text=${error} />
        <form class="composer" onSubmit=${ask}>
          <input required aria-label=${W.ask.question} placeholder=${turns.length ? W.ask.continue : W.ask.question} value=${question}
            onInput=${(/** @type {any} */ event) => setQuestion(event.target.value)} />
          <button class="main" disabled=${busy}>${busy ? W.ask.asking : W.ask.send}</button>
          ${speech.hears && html`<${Listen} take=${setQuestion} fail=${setError} />`}
        </form>
      </div>
      ${last >= 0 && html`<${Panel} label=${W.text.evidence} title=${W.ask.passages} open=${open} close=${() => setOpen(false)}>
        ${sentence ? html`<${Claims} key=${chosen} sentence=${sentence} values=${values} library=${library} />` : html`<p class="dim">${W.ask.choose}</p>`}<//>`}
    </div>`;
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

/** @param {{turn: Turn, step: string, first: number, chosen: number, choose: (number: number) => void, library: string, speaks: boolean, fail: (text: string) => void}} props */
function Told({turn, step, first, chosen, choose, library, speaks, fail}) {
  const values = turn.run?.values ?? {};
  const nearest = values.nearest ?? [];
  // An answer is never blank: what a run without one says, and the passages to read on in.
  const words = turn.said ?? values.stop?.cause ?? (nearest.length ? W.ask.refused : values.answer) ?? turn.run?.problem ?? "";
  return html`<section class="turn">
    <h2 dir="auto">${turn.question}</h2>
    ${turn.run === null && !turn.said ? html`<p class="dim" role="status">${step ? `${step}…` : W.ask.asking}</p>` : null}
    ${values.sentences?.length ? html`<article><p dir="auto">${values.sentences.map((/** @type {any} */ item) => html`<${Sentence} chosen=${first + item.number === chosen}
        item=${{number: first + item.number, text: numbered(item.text, item.claims), citations: [], verdict: {verdict: item.verdict}}}
        choose=${() => choose(first + item.number)} />`)}</p></article>`
      : turn.run === null && !turn.said ? null : html`<p class="told" dir="auto">${words || W.ask.refused}</p>`}
    ${!values.sentences?.length && nearest.length > 0 && html`<h3>${W.ask.nearest}</h3>
      <div class="passages">${nearest.map((/** @type {any} */ item) => html`<div class="passage" key=${item.passage}>
        <p class="small" dir="auto"><span class="strong">${item.title}</span> <span class="dim">${item.citation}</span></p>
        <${Quote} quote=${{text: item.text, part: item.part ?? "passage", words_of: W.ask.ofPaper}} where=${item.part === "annotation" ? "" : item.place} />
        ${item.part === "passage" && html`<${PageOf} library=${library} paper=${item.paper} quote=${item.text} />`}</div>`)}</div>`}
    ${values.sentences?.length > 0 && values.missing?.length > 0 && html`<p class="dim small" dir="auto">${W.ask.missing} ${values.missing.join("; ")}</p>`}
    ${values.mind === "extractive" && html`<p class="dim small embedded">${W.run.embedded}</p>`}
    ${speaks && values.answer && html`<${Speak} text=${values.answer} fail=${fail} />`}
  </section>`;
}

/** The passages of a sentence, the words marked, and the page on which they stand. @param {{sentence: any, values: any, library: string}} props */
function Claims({sentence, values, library}) {
  const passages = new Map((values.passages ?? []).map((/** @type {any} */ item) => [item.id, item]));
  const papers = new Map((values.cited ?? []).map((/** @type {any} */ item) => [item.id, item]));
  const claims = (values.claims ?? []).filter((/** @type {any} */ claim) => sentence.claims.includes(claim.number));
  return html`<p class="small"><${Verdict} verdict=${sentence.verdict} />${" "}${sentence.verdict === "partly" ? W.ask.partly : ""}</p>${claims.map((/** @type {any} */ claim, /** @type {number} */ place) => {
    const passage = passages.get(claim.passage), paper = papers.get(claim.paper);
    return html`<section class="source" key=${claim.number}>
      <h3 dir="auto">[${claim.number}] ${paper?.title} <${Out} paper=${paper ?? {}} /></h3>
      ${passage?.page && html`<${PageOf} library=${library} paper=${claim.paper} quote=${claim.quote.text} page=${passage.page} open=${place === 0} />`}
      <${Quote} quote=${claim.quote} context=${passage?.text ?? ""} where=${isAnnotation(claim.quote) ? "" : [...(passage?.section ?? []), passage?.page && `${W.page.short} ${passage.page}`].filter(Boolean).join(" › ")} />
    </section>`;
  })}`;
}
