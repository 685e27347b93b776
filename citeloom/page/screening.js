// One screening: its state, its stage and the name of who screens, and its views.
// @ts-check
import * as api from "./api.js";
import {Segment} from "./components.js";
import {Problem, useAction, useLoaded} from "./parts.js";
import {ProtocolForm} from "./screen.js";
import {Conflicts} from "./screen_conflicts.js";
import {Decide} from "./screen_decide.js";
import {Progress} from "./screen_progress.js";
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
  const sources = Object.entries(state.flow.identified);
  return html`<${AddRecords} name=${name} again=${again} empty=${!state.papers} />
    ${sources.length > 0 && html`<section class="gap" aria-labelledby="sources"><h2 id="sources">${S.sources}</h2><dl class="est narrow">${sources.map(([source, number]) => html`<div><dt>${source}</dt><dd class="num">${number}</dd></div>`)}</dl></section>`}
    <section class="card gap" aria-labelledby="protocol"><h2 id="protocol">${S.protocol}</h2>
      <p class="dim small">${state.decisions ? S.dated : S.free} ${S.begun} ${day(state.begun)}${state.amended.length ? `, ${S.amended} ${state.amended.map(day).join(", ")}` : ""}.</p>
      <${ProtocolForm} protocol=${state.protocol} go=${S.save} busy=${busy} save=${save} />
      <p role="status" class="small">${saved ? S.saved : ""}</p><${Problem} text=${error} /></section>`;
}

/** @param {string} at */
const day = (at) => at.slice(0, 10);

/** Records from a file. @param {{name: string, again: () => void, empty: boolean}} props */
function AddRecords({name, again, empty}) {
  const [file, setFile] = useState(/** @type {File | null} */ (null));
  const [told, setTold] = useState(/** @type {any} */ (null));
  const [add, busy, error] = useAction(async () => {
    if (!file) return;
    setTold(await api.upload(`/citeloom/screenings/${name}/papers?${new URLSearchParams({name: file.name})}`, file));
    again();
  });
  return html`<form class="card add-files" onSubmit=${(/** @type {Event} */ event) => (event.preventDefault(), add())}>
    <h2>${S.addTitle}</h2>${empty && html`<p class="dim">${S.noRecords}</p>`}
    <div class="add"><label class="field">${S.file}<input type="file" accept=".ris,.nbib,.bib,.bibtex,.enw,.csv,.json,.jsonl" onChange=${(/** @type {any} */ event) => setFile(event.target.files[0] ?? null)} /></label>
      <button class="main" disabled=${busy || !file}>${busy ? S.adding : S.add}</button></div>
    <p role="status">${told && `${told.source}: ${counted(told.new, "record")} ${S.added.fresh}, ${counted(told.duplicates, "duplicate")}${told.again ? `, ${counted(told.again, "record")} ${S.added.again}` : ""}.`}</p>
    ${told?.faults.length > 0 && html`<p class="small">${S.added.faults}</p><ul class="notes small dim">${told.faults.slice(0, 20).map((/** @type {string} */ text) => html`<li>${text}</li>`)}</ul>`}
    <${Problem} text=${error} /></form>`;
}

/** @param {{name: string}} props */
function Files({name}) {
  const [save, busy, error] = useAction((/** @type {string} */ file) => api.download(`/citeloom/screenings/${name}/files/${file}`, file));
  return html`<h2 class="hide">${S.tabs.files}</h2><${Problem} text=${error} /><ul class="files">${Object.entries(S.files).map(([file, words]) => html`<li>
    <button type="button" class="tiny" disabled=${busy} onClick=${() => save(file)} aria-label=${`${S.saveFile} ${file}`}><${Icon} name="down" size=${12} />${S.saveFile}</button>
    <span><strong>${file}</strong> <span class="dim">${words}</span></span></li>`)}</ul>`;
}
