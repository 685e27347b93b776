// How far a run is: its steps, what each source gave, what it asks, the best papers so far.
// @ts-check
import {Fold, isAnnotation, Note, Quote} from "./components.js";
import {useModel} from "./model.js";
import {byline, Nothing} from "./parts.js";
import {Question} from "./question.js";
import {lasting} from "./run_view.js";
import {Icon} from "./shapes.js";
import {counting, funnel, gist, given, isPlain, keptNothing, left, sourceName, stepWords, story} from "./story_of.js";
import {html, useEffect, useState} from "./vendor/preact.js";
import {called, counted, W} from "./words.js";

const BEST = 8;

/** @param {{run: import("./run.js").Run, again: () => void}} props */
export function RunStory({run, again}) {
  const steps = story(run);
  const model = useModel();
  const known = run.graph !== "references" && run.graph !== "verify" && run.graph !== "synthesize";
  return html`<div class="progress">
    <ol class="steps" aria-label=${W.story.steps}>${steps.map(({name, state}) => html`<li class=${state} aria-current=${state === "on" ? "step" : null}><span>${stepWords("names", name, run, model)}</span></li>`)}</ol>
    <${Spent} run=${run} />
    ${run.question && html`<div class="run-do"><a class="button main" href="#question" onClick=${toQuestion}>${W.story.one}</a></div>`}
    <div class=${known ? "story-grid" : ""}>
      <section aria-label=${W.story.label}><h2 class="hide">${W.story.label}</h2>
        ${run.status === "working" && !run.stages.length && html`<p class="dim" role="status">${W.story.begins}</p>`}
        <ol class="story">${steps.map((step) => html`<${StepOf} key=${step.name} step=${step} run=${run} model=${model} again=${again} />`)}</ol>
        ${Object.values(run.values.counts ?? {}).some(Boolean) && html`<${Fold} summary=${W.story.all}><dl class="est">${Object.entries(run.values.counts).filter(([, count]) => count > 0)
          .map(([name, count]) => html`<div><dt>${called(W.run.counts, name)}</dt><dd class="num">${count}</dd></div>`)}</dl><//>`}
      </section>
      ${known && html`<${Rising} run=${run} plain=${isPlain(run, model)} />`}
    </div></div>`;
}

/** The question stands in the step that asks it. @param {Event} event */
function toQuestion(event) {
  event.preventDefault();
  document.getElementById("question")?.scrollIntoView({block: "center"});
}

/** Time and money until now. @param {{run: import("./run.js").Run}} props */
function Spent({run}) {
  const [now, setNow] = useState(Date.now());
  const works = run.status === "working";
  useEffect(() => {
    if (!works) return;
    const clock = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(clock);
  }, [works]);
  const asked = (run.values.usage ?? []).filter((/** @type {any} */ item) => item.input_tokens);
  const sum = (/** @type {string} */ name) => asked.reduce((/** @type {number} */ all, /** @type {any} */ item) => all + (item[name] ?? 0), 0);
  const [calls, usd] = [Math.max(run.calls, sum("calls")), Math.max(run.usd, sum("usd"))];
  const most = Number(run.settings.max_usd ?? 0);
  const told = [works && run.started && lasting(now - Date.parse(run.started)), calls && counted(calls, "call"),
    usd && `${usd.toFixed(2)}${most ? ` ${W.story.of} ${most.toFixed(2)}` : ""} USD`].filter(Boolean);
  return told.length ? html`<p class="spent dim small num">${told.map((text) => html`<span>${text}</span>`)}</p>` : null;
}

/** @param {{step: import("./story_of.js").Step, run: import("./run.js").Run, model: boolean | null, again: () => void}} props */
function StepOf({step, run, model, again}) {
  const {name} = step;
  const bar = counting(step);
  const queries = name === "read" && run.queries.length > 0;
  const sources = name === "search" && step.state !== "todo" ? given(run, step.failures) : [];
  const open = step.state === "on";
  const halted = open && ["failed", "cancelled"].includes(run.status);
  const [title, todo] = stepWords("todo", name, run, model);
  const line = step.state === "ok" ? gist(step, run, isPlain(run, model)) : open ? step.stages.at(-1)?.note ?? "" : todo;
  // What ended the run stands above its steps.
  const failures = step.failures.filter((item) => (item.stage !== "search_source" || !sources.length) && item.cause !== run.values.stop?.cause);
  return html`<li class=${step.state}>
    <h3>${step.state === "todo" ? title : stepWords(open ? "on" : "ok", name, run, model)}${step.seconds >= 1 && html` <span class="dim num">${lasting(step.seconds * 1000)}</span>`}</h3>
    ${name === "read" && run.searched.text?.length > run.title.length && html`<${Fold} summary=${W.text.yours}><p class="given" dir="auto">${run.searched.text}</p><//>`}
    ${queries ? html`<${Fold} open=${false} summary=${`${run.queries.length} ${W.story.queries[run.queries.length === 1 ? 0 : 1]}, ${W.story.from}`}>
        <ul class="queries">${run.queries.map((query) => html`<li dir="auto"><code>${query.facet === "whole" ? `${query.text.slice(0, 60)} …` : query.text}</code><span class="dim">${query.reason ?? ""}</span></li>`)}</ul><//>`
      : line && !sources.length && html`<p class="dim" dir="auto">${line}</p>`}
    ${sources.length > 0 && html`<${Gave} sources=${sources} run=${run} />`}
    ${open && bar && bar.done < bar.total && html`<div class="prog"><span class="strong num">${bar.done} ${W.story.of} ${bar.total}</span>
      <svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label=${`${bar.title}: ${bar.done} ${W.story.of} ${bar.total}`}><rect width=${(100 * bar.done) / bar.total} height="6" /></svg>
      <span class="dim small num">${left(bar) > 0 && run.status === "working" ? `${W.story.about} ${lasting(left(bar) * 1000)} ${W.story.left}` : ""}</span></div>`}
    ${failures.length > 0 && html`<${Note} kind="warn" icon="failed">${failures.map((item) => html`<${Failure} failure=${item} run=${run} />`)}<//>`}
    ${halted && html`<${Note} kind="warn" icon=${run.status === "failed" ? "failed" : "paused"}><strong>${W.story.stopped}.</strong><//>`}
    ${open && run.question && html`<${Question} key=${run.question.kind + (run.question.error ?? "") + run.question.proposal} run=${run} again=${again} />`}
    ${name === "check" && step.state === "ok" && run.values.sentences?.length > 0 && html`<p><a class="button main" href=${`#/run/${run.thread}/${run.graph === "verify" ? "checked" : "text"}`}>${run.graph === "verify" ? W.story.openFindings : isPlain(run, model) ? W.story.openList : W.story.open}</a></p>`}
  </li>`;
}

/** What was not done: its consequence first, its cause on demand. @param {{failure: any, run: import("./run.js").Run}} props */
function Failure({failure: {subject, cause, remedy}, run}) {
  const about = html`<strong>${sourceName(subject, run)}</strong>`;
  return remedy ? html`<${Fold} kind="why" summary=${html`<span class="small" dir="auto">${about}: ${remedy}</span>`}><p class="dim small" dir="auto">${cause}</p><//>`
    : html`<p class="small" dir="auto">${about}: ${cause}</p>`;
}

/** @param {{sources: ReturnType<typeof given>, run: import("./run.js").Run}} props */
function Gave({sources, run}) {
  const rounds = run.values.rounds?.length ? run.values.rounds : run.rounds;
  const linked = rounds.filter((/** @type {any} */ item) => item.followed);
  const sum = (/** @type {string} */ name) => linked.reduce((/** @type {number} */ all, /** @type {any} */ item) => all + item[name], 0);
  const silent = sources.filter((item) => item.failed);
  return html`<ul class="gave">${sources.map((item) => html`<li class=${item.failed ? "off" : ""}><span>${sourceName(item.name, run)}</span>
      ${item.searches > 0 && html`<span class="num"><strong>${item.records}</strong> ${W.run.counts.identified.replace(" found", "")}</span>`}
      ${item.failed > 0 ? html`<span class="verdict small not_in_source"><${Icon} name="failed" size=${14} />${item.searches ? `${item.failed} ${W.story.partly}` : W.story.silent}</span>`
        : html`<span class="dim num small">${item.searches} ${W.story.searches[item.searches === 1 ? 0 : 1]}</span>`}</li>`)}
    ${linked.length > 0 && html`<li><span>${W.story.links}</span><span class="num"><strong>${sum("reached")}</strong> ${W.story.fresh} ${W.nouns.paper[Number(sum("reached") !== 1)]}</span><span class="dim num small">${sum("followed")} ${W.story.followed}</span></li>`}</ul>
    ${silent.map((item) => html`<${Fold} kind="why" summary=${html`<span class="small">${sourceName(item.name, run)}: ${W.story.goes}</span>`}><p class="dim small" dir="auto">${item.cause}</p><//>`)}`;
}

/** The best papers so far, or those that were kept, with why and the quote. @param {{run: import("./run.js").Run, plain: boolean}} props */
function Rising({run, plain}) {
  const ended = run.status === "completed", none = keptNothing(run);
  const kept = (run.values.papers ?? []).filter((/** @type {any} */ item) => (item.selected || none) && item.paper);
  const best = /** @type {import("./run.js").Best[]} */ (kept.length ? kept.slice(0, BEST).map((/** @type {any} */ item) => ({
    paper: item.paper, score: item.score, why: item.debate?.arguments_for?.[0]?.claim ?? "", quote: item.debate?.arguments_for?.[0]?.quote ?? null,
    rank: item.rank, move: run.best.find((one) => one.paper.id === item.paper.id)?.move ?? 0,
  })) : run.best.slice(0, BEST));
  const numbers = funnel(run, plain);
  const judged = kept.length > 0 || run.relevant > 0 || best.some((item) => item.quote);
  const quotes = run.values.mind === "extractive" || best.every((item) => item.why === best[0]?.why);
  const noted = best.some((item) => item.quote && isAnnotation(item.quote));
  return html`<section class="rise" aria-labelledby="best" aria-live="polite">
    <div class="rise-top"><h2 id="best">${none ? W.story.closest : ended && kept.length ? W.run.tabs.papers : W.story.best}</h2>
      ${kept.length > best.length && html`<a href=${`#/run/${run.thread}/papers`}>${counted(kept.length, "paper")}</a>`}</div>
    ${numbers.some(([, count]) => count) && html`<dl class="funnel">${numbers.map(([name, count]) => html`<div><dt>${name}</dt><dd class="num">${count || (ended ? 0 : "–")}</dd></div>`)}</dl>`}
    ${!best.length && html`<${Nothing}>${W.story.waits}<//>`}
    ${best.length > 0 && !judged && html`<p class="note small">${plain ? W.story.unranked : W.story.promising}</p>`}
    ${noted && html`<p class="small dim"><span class="noted-key">${W.papers.key}</span></p>`}
    <ol class="rising">${best.map((item) => html`<li key=${item.paper.id}><div class="rank"><span class="num strong">${item.rank}</span>${!ended && html`<${Move} places=${item.move} />`}</div>
      <div><h3 dir="auto">${item.paper.title}</h3>
        <p class="dim small" dir="auto">${[byline(item.paper), judged && item.score != null && `${W.papers.score} ${Math.round(item.score)}`].filter(Boolean).join(" · ")}</p>
        ${item.why && !quotes && html`<p class="because" dir="auto">${item.why}</p>`}
        ${item.quote && html`<${Quote} quote=${item.quote} told=${noted} />`}</div></li>`)}</ol>
  </section>`;
}

/** How many places a paper rose or fell. @param {{places: number | null}} props */
const Move = ({places}) => (places === null ? html`<span class="move fresh">${W.story.new}</span>`
  : places ? html`<span class=${`move ${places > 0 ? "up" : "down"}`}><span class=${places > 0 ? "" : "flip"}><${Icon} name="up" size=${11} /></span>${Math.abs(places)}<span class="hide"> ${places > 0 ? W.story.up : W.story.down}</span></span>`
    : null);
