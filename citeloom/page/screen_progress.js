// How far a screening is: numbers, recall, agreement, the PRISMA diagram, and the model's turn with its cost.
// @ts-check
import * as api from "./api.js";
import {Estimate} from "./estimate.js";
import {Problem, useAction, useLoaded} from "./parts.js";
import {Recall} from "./screen_decide.js";
import {S} from "./screen_words.js";
import {Icon} from "./shapes.js";
import {html, useState} from "./vendor/preact.js";
import {counted} from "./words.js";

/** @param {import("./screening.js").Shown} props */
export function Progress({name, by, stage, state, again}) {
  const flow = state.flow;
  const stamp = JSON.stringify(flow);
  const [picture, unseen] = useLoaded(() => api.address(`/citeloom/screenings/${name}/files/prisma.svg`), [name, stamp]);
  const full = state.protocol.stages.length > 1;
  const rows = Object.entries(S.flows).filter(([field]) => full || !["sought", "not_retrieved", "assessed", "not_assessed"].includes(field));
  return html`<div class="progress-grid"><div>
    <${Turn} name=${name} stage=${stage} state=${state} again=${again} />
    <section class="gap" aria-labelledby="agreement"><h2 id="agreement">${S.agreement}</h2>
      ${state.agreement.length ? html`<ul class="reports">${state.agreement.map((/** @type {any} */ one) => html`<li>${one.first}, ${one.second} (${S.stages[/** @type {keyof typeof S.stages} */ (one.stage)]}):
        <span class="num">${Math.round(100 * one.agreement)} %</span> ${S.of} ${counted(one.papers, "record")} ${S.alike}. ${one.kappa === null ? S.noKappa : html`${S.kappa} <strong class="num">${one.kappa.toFixed(2)}</strong> (${one.low.toFixed(2)} to ${one.high.toFixed(2)}).`}</li>`)}</ul>`
        : html`<p class="dim">${S.noAgreement}</p>`}</section>
    ${state.recall && html`<section class="gap" aria-label=${by}><h2>${by}</h2><${Recall} recall=${state.recall} /></section>`}
    <section class="gap" aria-labelledby="flow"><h2 id="flow">${S.flow}</h2><dl class="est narrow">${rows.map(([field, words]) => html`<div><dt>${words}</dt><dd class="num">${flow[field]}</dd></div>`)}</dl></section></div>
    <div><h2>${S.prisma}</h2><${Problem} text=${unseen} />
      ${picture ? html`<div class="prisma" tabindex="0" role="region" aria-label=${S.prisma}><img src=${picture} alt=${`${S.prisma}: ${rows.map(([field, words]) => `${words} ${flow[field]}`).join(", ")}`} /></div>` : html`<p class="dim">${S.drawing}</p>`}</div></div>`;
}

/** The model as a screener: what it may cost, and its start. @param {{name: string, stage: string, state: any, again: () => void}} props */
function Turn({name, stage, state, again}) {
  const {model} = state;
  const [twice, setTwice] = useState(false);
  const place = `/citeloom/screenings/${name}`;
  const wanted = Boolean(model.name) && !model.busy;
  const [found, unpriced] = useLoaded(async () => (wanted ? api.get(`${place}/estimate?${new URLSearchParams({stage, twice: String(twice)})}`) : null), [name, stage, twice, wanted, model.left]);
  const [go, going, error] = useAction(async () => (await api.post(`${place}/model`, {stage, twice}), again()));
  const [stop, stopping, failed] = useAction(async () => (await api.remove(`${place}/model`), again()));
  const tokens = found?.input_tokens && `${found.input_tokens.low.toLocaleString()} to ${(found.input_tokens.high + found.output_tokens.high).toLocaleString()}`;
  return html`<section class="card model-turn" aria-labelledby="turn"><h2 id="turn">${S.turn.title}</h2><p class="dim small">${S.turn.lead}</p>
    ${!model.name && html`<p>${S.turn.none}</p>`}
    ${model.busy && html`<p class="state working" role="status"><${Icon} name="busy" kind="spin" />${S.turn.busy} ${model.left} ${S.recall.left}</p>
      <p><button type="button" disabled=${stopping} onClick=${() => stop()}>${S.turn.stop}</button></p>`}
    ${wanted && found && (found.papers ? html`<p>${counted(found.papers, "record")} ${S.turn.left}, ${model.name}</p>
      <${Estimate} estimate=${found} /><p class="small dim">${S.turn.tokens}: <span class="num">${tokens}</span></p>
      <label class="tick"><input type="checkbox" checked=${twice} onChange=${() => setTwice(!twice)} /> ${S.turn.twice}</label>
      <p><button type="button" class="main" disabled=${going} onClick=${() => go()}>${S.turn.go}</button></p>` : html`<p>${S.turn.all}</p>`)}
    <${Problem} text=${error || failed || unpriced || model.problem} /></section>`;
}
