// Screenings for systematic reviews: the list of them, and a new one with its protocol.
// @ts-check
import * as api from "./api.js";
import {Nothing, Problem, useAction, useLoaded} from "./parts.js";
import {S} from "./screen_words.js";
import {Screening} from "./screening.js";
import {html, useState} from "./vendor/preact.js";

/** @typedef {{question: string, include: string[], exclude: string[], screeners: number, stages: string[]}} Protocol */

/** @type {Protocol} */
const EMPTY = {question: "", include: [], exclude: [], screeners: 2, stages: ["title_abstract", "full_text"]};

/** @param {{name: string, tab: string}} props */
export const Screen = ({name, tab}) => (name ? html`<${Screening} key=${name} name=${name} tab=${tab} />` : html`<${All} />`);

function All() {
  const [found, error] = useLoaded(() => api.get("/citeloom/screenings"), []);
  const [name, setName] = useState("");
  const [begin, busy, failed] = useAction(async (/** @type {Protocol} */ protocol) => {
    await api.post(`/citeloom/screenings/${encodeURIComponent(name)}`, protocol);
    location.hash = `#/screen/${name}/protocol`;
  });
  const screenings = /** @type {any[]} */ (found?.screenings ?? []);
  return html`<div class="hello"><h1>${S.title}</h1><p class="dim">${S.lead}</p></div>
    <${Problem} text=${error} />
    ${found && !screenings.length && html`<${Nothing}>${S.none}<//>`}
    ${screenings.length > 0 && html`<h2 class="hide">${S.yours}</h2><ul class="names">${screenings.map((one) => html`<li class="card"><a href=${`#/screen/${one.name}`}>${one.name}</a>
      <span class="dim small" dir="auto">${one.question}</span></li>`)}</ul>`}
    <section class="card" aria-labelledby="begin"><h2 id="begin">${S.begin}</h2>
      <${ProtocolForm} protocol=${EMPTY} go=${S.go} busy=${busy} save=${begin}>
        <label class="field">${S.name}<input required pattern="[a-z0-9][a-z0-9_\\-]{0,63}" title=${S.nameHint} placeholder=${S.nameHint} value=${name}
          onInput=${(/** @type {any} */ event) => setName(event.target.value)} /></label><//>
      <${Problem} text=${failed} /></section>`;
}

/** @param {string} text */
const lines = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);

/** The protocol to write or to change. @param {{protocol: Protocol, go: string, busy: boolean, save: (protocol: Protocol) => void, children?: any}} props */
export function ProtocolForm({protocol, go, busy, save, children}) {
  const [form, setForm] = useState({...protocol, include: protocol.include.join("\n"), exclude: protocol.exclude.join("\n")});
  const put = (/** @type {string} */ field) => (/** @type {any} */ event) => setForm({...form, [field]: event.target.value});
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    save({...form, include: lines(form.include), exclude: lines(form.exclude), screeners: Number(form.screeners)});
  };
  const abstracts = form.stages.length === 1;
  return html`<form class="protocol" onSubmit=${submit}>${children}
    <label class="field">${S.question}<input required maxlength="2000" value=${form.question} onInput=${put("question")} /></label>
    <div class="criteria-two"><label class="field">${S.include}<textarea rows="4" placeholder=${S.includeHint} value=${form.include} onInput=${put("include")}></textarea></label>
      <label class="field">${S.exclude}<textarea rows="4" placeholder=${S.excludeHint} value=${form.exclude} onInput=${put("exclude")}></textarea></label></div>
    <div class="protocol-do"><label class="field few">${S.screeners}<input type="number" min="1" max="5" value=${form.screeners} onInput=${put("screeners")} /></label>
      <label class="tick"><input type="checkbox" checked=${abstracts} onChange=${() => setForm({...form, stages: abstracts ? EMPTY.stages : ["title_abstract"]})} /> ${S.abstracts}</label>
      <button class="main" disabled=${busy || !(form.include + form.exclude).trim()}>${go}</button></div></form>`;
}
