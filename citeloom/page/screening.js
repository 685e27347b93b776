// One screening: its state, its stage and the name of who screens, and its views.
// @ts-check
import * as api from "./api.js";
import {Segment} from "./components.js";
import {Problem, useAction, useLoaded} from "./parts.js";
import {ProtocolForm} from "./screen.js";
import {Conflicts} from "./screen_conflicts.js";
import {Decide} from "./screen_decide.js";
import {Progress} from "./screen_progress.js";
import {AddRecords} from "./screen_records.js";
import {S} from "./screen_words.js";
import {Icon} from "./shapes.js";
import {html, useEffect, useState} from "./vendor/preact.js";
import {counted, W} from "./words.js";

/** @typedef {keyof typeof S.tabs} Tab */
/** @typedef {{name: string, by: string, stage: string, state: any, again: () => void}} Shown what each view is given */

const WHO = "citeloom-screener";
const AGAIN = 2000;

/** @param {{name: string, tab: string}} props */
export function Screening({name, tab}) {
  const [by, setBy] = useState(localStorage.getItem(WHO) ?? "");
  const [stage, setStage] = useState("title_abstract");
  // Each view loads the current state first: other people may have decided since.
  const [state, error, again] = useLoaded(async () => ({...await api.get(`/citeloom/screenings/${name}?${new URLSearchParams({by, stage})}`), tab}), [name, by, stage, tab]);
  useEffect(() => {
    if (!state?.model.busy) return;
    const timer = setTimeout(again, AGAIN);
    return () => clearTimeout(timer);
  }, [state]);
  if (state?.by !== by || state.stage !== stage || state.tab !== tab) return html`<h1>${name}</h1><${Problem} text=${error} />${!error && html`<p class="dim" role="status">${W.run.status.loading}</p>`}`;
  const shown = tab in S.tabs ? /** @type {Tab} */ (tab) : state.papers ? "decide" : "protocol";
  const conflicts = state.conflicts[stage] ?? 0;
  const given = {name, by, stage, state, again};
  return html`<div class="screening-head"><div><p class="eyebrow"><a href="#/screen">${S.all}</a> · ${name}</p><h1 dir="auto">${state.protocol.question}</h1></div>
      ${state.protocol.stages.length > 1 && html`<${Segment} label=${S.stage} options=${S.stages} value=${stage} choose=${setStage} />`}</div>
    <nav class="tabs screening-tabs" aria-label=${S.views}>${/** @type {Tab[]} */ (Object.keys(S.tabs)).map((one) => html`<a href=${`#/screen/${name}/${one}`} aria-current=${one === shown ? "page" : null}>${S.tabs[one]}${
      one === "conflicts" && conflicts > 0 ? html`<span class="n">${conflicts}</span>` : ""}</a>`)}</nav>
    <${Problem} text=${error || (shown === "progress" ? "" : state.model.problem)} />
    ${["decide", "conflicts"].includes(shown) && !by ? html`<${Who} tell=${(/** @type {string} */ who) => (localStorage.setItem(WHO, who), setBy(who))} />`
      : shown === "decide" ? (state.papers ? html`<${Decide} key=${`${by} ${stage}`} ...${given} rename=${() => setBy("")} />` : html`<${AddRecords} name=${name} again=${again} empty=${true} />`)
      : shown === "conflicts" ? html`<${Conflicts} key=${stage} ...${given} />` : ""}
    ${shown === "progress" && html`<${Progress} ...${given} />`}
    ${shown === "protocol" && html`<${Protocol} ...${given} />`}
    ${shown === "files" && html`<${Files} name=${name} />`}`;
}

/** @param {{tell: (name: string) => void}} props */
function Who({tell}) {
  const [who, setWho] = useState("");
  return html`<form class="card who" onSubmit=${(/** @type {Event} */ event) => (event.preventDefault(), tell(who.trim()))}>
    <label class="field">${S.you}<input required maxlength="100" pattern=".*\\S.*" autocomplete="name" value=${who} onInput=${(/** @type {any} */ event) => setWho(event.target.value)} /></label>
    <button class="main">${S.start}</button><p class="dim small">${S.youHint}</p></form>`;
}

/** @param {Shown} props */
function Protocol({name, state, again}) {
  const [saved, setSaved] = useState(false);
  const [save, busy, error] = useAction(async (/** @type {import("./screen.js").Protocol} */ protocol) => {
    await api.put(`/citeloom/screenings/${name}`, protocol);
    setSaved(true);
    again();
  });
  const [remove, removing, failed] = useAction(async () => {
    if (!confirm(`${S.deleteSure} “${name}” ${S.deleteWith} ${counted(state.papers, "paper")} ${S.and} ${counted(state.decisions, "decision")} ${S.deleteAll}`)) return;
    await api.remove(`/citeloom/screenings/${name}`);
    location.hash = "#/screen";
  });
  const sources = Object.entries(state.flow.identified);
  return html`<${AddRecords} name=${name} again=${again} empty=${!state.papers} />
    ${sources.length > 0 && html`<section class="gap" aria-labelledby="sources"><h2 id="sources">${S.sources}</h2><dl class="est narrow">${sources.map(([source, number]) => html`<div><dt>${source}</dt><dd class="num">${number}</dd></div>`)}</dl></section>`}
    <section class="card gap" aria-labelledby="protocol"><h2 id="protocol">${S.protocol}</h2>
      <p class="dim small">${state.decisions ? S.dated : S.free} ${S.begun} ${day(state.begun)}${state.amended.length ? `, ${S.amended} ${state.amended.map(day).join(", ")}` : ""}.</p>
      <${ProtocolForm} protocol=${state.protocol} go=${S.save} busy=${busy} save=${save} />
      <p role="status" class="small">${saved ? S.saved : ""}</p><${Problem} text=${error} /></section>
    <p class="gap"><button type="button" class="quiet" disabled=${removing || state.model.busy} onClick=${() => remove()}>${S.delete}</button></p><${Problem} text=${failed} />`;
}

/** @param {string} at */
const day = (at) => at.slice(0, 10);

/** @param {{name: string}} props */
function Files({name}) {
  const [save, busy, error] = useAction((/** @type {string} */ file) => api.download(`/citeloom/screenings/${name}/files/${file}`, file));
  return html`<h2 class="hide">${S.tabs.files}</h2><${Problem} text=${error} /><ul class="files">${Object.entries(S.files).map(([file, words]) => html`<li>
    <button type="button" class="tiny" disabled=${busy} onClick=${() => save(file)} aria-label=${`${S.saveFile} ${file}`}><${Icon} name="down" size=${12} />${S.saveFile}</button>
    <span><strong>${file}</strong> <span class="dim">${words}</span></span></li>`)}</ul>`;
}
