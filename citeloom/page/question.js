// What a run asks a person: cost, queries, papers, plan, text.
// @ts-check
import {Fold} from "./components.js";
import {Estimate} from "./estimate.js";
import {Lines, Problem, useAction} from "./parts.js";
import {planLine} from "./plan_line.js";
import * as runs from "./run.js";
import {Icon} from "./shapes.js";
import {html, useState} from "./vendor/preact.js";
import {W} from "./words.js";

/** @param {{run: runs.Run, again: () => void}} props */
export function Question({run, again}) {
  const question = run.question;
  const [lines, setLines] = useState(question.proposal ? question.proposal.split("\n") : []);
  const [go, busy, error] = useAction(async (/** @type {"go" | "stop"} */ how) => {
    const text = lines.join("\n");
    const edited = text.trim() !== (question.proposal ?? "").trim();
    const action = how === "stop" ? "stop" : edited ? "edit" : "accept";
    await runs.answer(run, {action, text: action === "edit" ? text : ""});
    again();
  });
  const title = W.question.title[/** @type {keyof typeof W.question.title} */ (question.kind)] ?? question.kind;
  return html`<section class="question" aria-labelledby="question">
    <p class="eyebrow"><${Icon} name="ask" size=${14} />${W.story.asks}</p>
    <h2 id="question">${title}</h2>
    ${question.error && html`<${Problem} text=${question.error} />`}
    ${question.why && html`<p>${question.why}.</p>`}
    <p class="dim small">${W.question.hints[/** @type {keyof typeof W.question.hints} */ (question.kind)] ?? question.instructions}</p>
    ${question.estimate ? html`<${Estimate} estimate=${question.estimate} />`
      : html`<${Lines} ...${question.kind === "plan" ? {draw: planLine(question.papers ?? []), more: W.plan.more} : {}} lines=${lines} change=${setLines} label=${title} />`}
    ${question.papers?.length > 0 && html`<${Fold} summary=${W.question.listed}><ol class="cards">${question.papers.map((/** @type {any} */ card) => html`<${Card} card=${card} />`)}</ol><//>`}
    <${Problem} text=${error} />
    <div class="q-do"><button class="main" disabled=${busy} onClick=${() => go("go")}>${W.question.go}</button>
      <button disabled=${busy} onClick=${() => go("stop")}>${W.question.stop}</button>
      <span class="dim small">${W.question.wait}</span></div>
  </section>`;
}

/** @param {{card: any}} props */
export const Card = ({card}) => html`<li value=${card.number}>
  <span dir="auto">${card.title}</span> <span class="dim">${[card.year, card.score != null && `${W.papers.score} ${Math.round(card.score)}`]
    .filter(Boolean).join(" · ")}</span>
  ${card.why && html`<div class="dim" dir="auto">${card.why}</div>`}
</li>`;
