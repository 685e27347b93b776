// What is to be checked: a text, a file, or only a list of references.
// @ts-check
import * as api from "./api.js";
import {Fold} from "./components.js";
import {base64} from "./libraries.js";
import {Problem, title, useAction, useLoaded} from "./parts.js";
import {Icon} from "./shapes.js";
import {html, useState} from "./vendor/preact.js";
import {counted, W} from "./words.js";

/** Bytes of a Word file that the server keeps for the export; a larger one has to be chosen again. */
const KEPT = 8_000_000;
const PLAIN = /\.(txt|md|markdown|tex|rst|text)$/i;
/** Only these can tell whether a work exists. */
const SOURCES = {...W.start.sourceNames, crossref: "Crossref"};

/** @param {{kind: string}} props */
export const Check = ({kind}) => (kind === "references" ? html`<${List} />` : html`<${CheckText} />`);

/** What can be checked, one being shown. @param {{chosen: "text" | "references", title: string, lead: string}} props */
const Top = ({chosen, title, lead}) => html`<div class="hello"><h1>${title}</h1><p class="dim">${lead}</p></div>
  <nav class="tabs kinds" aria-label=${W.check.kinds}>
    <a href="#/check" aria-current=${chosen === "text" ? "page" : null}>${W.check.kindText}</a>
    <a href="#/check/references" aria-current=${chosen === "references" ? "page" : null}>${W.check.kindReferences}</a></nav>`;

/** @param {{label: string, hint: string, chosen: string[], change: (names: string[]) => void}} props */
const Sources = ({label, hint, chosen, change}) => html`<fieldset><legend class="strong">${label}</legend>
  <div class="ticks">${Object.entries(SOURCES).map(([name, words]) => html`<label class="tick"><input type="checkbox" checked=${chosen.includes(name)}
    onChange=${(/** @type {any} */ event) => change(event.target.checked ? [...chosen, name] : chosen.filter((item) => item !== name))} /> ${words}</label>`)}</div>
  <p class="dim small">${hint}</p></fieldset>`;

/** A box to paste into or to drop a file on. @param {{label: string, file: string, accept: string, text: string, required: boolean, put: (text: string) => void, take: (file: File | undefined) => void, named?: string}} props */
const Paste = ({label, file, accept, text, required, put, take, named = ""}) => html`<div class="card paste"
    onDragOver=${(/** @type {DragEvent} */ event) => event.preventDefault()} onDrop=${(/** @type {DragEvent} */ event) => (event.preventDefault(), take(event.dataTransfer?.files[0]))}>
  <textarea rows="9" aria-label=${label} placeholder=${label} required=${required} value=${text} onInput=${(/** @type {any} */ event) => put(event.target.value)}></textarea>
  <div class="paste-do"><label class="button tiny file"><${Icon} name="page" />${W.papers.addFile}<input type="file" class="hide" accept=${accept} onChange=${(/** @type {any} */ event) => take(event.target.files[0])} /></label>
    <span class=${named ? "small strong" : "dim small"} role="status" dir="auto">${named || file}</span></div></div>`;

function CheckText() {
  const [text, setText] = useState("");
  const [name, setName] = useState("");
  const [word, setWord] = useState(/** @type {File | null} */ (null));
  const [papers, setPapers] = useState("");
  const [library, setLibrary] = useState("starter");
  const [sources, setSources] = useState(/** @type {string[]} */ ([]));
  const [found] = useLoaded(() => api.get("/citeloom/libraries"), []);
  const [take, reading, unread] = useAction(async (/** @type {File | undefined} */ file) => {
    if (!file) return;
    setText(PLAIN.test(file.name) ? await file.text() : (await api.upload(`/citeloom/draft?part=all&name=${encodeURIComponent(file.name)}`, file)).text);
    setName(file.name);
    setWord(/\.docx$/i.test(file.name) && file.size <= KEPT ? file : null);
  });
  const [go, busy, error] = useAction(async () => {
    const ids = papers.split("\n").map((line) => line.trim()).filter(Boolean);
    const input = {text, papers: ids, library, sources: ["library", ...sources]};
    const thread = await api.start("verify", input, {}, {title: `${W.check.run}: ${name || title(text)}`});
    await api.keep(thread, "given", {text, name});
    if (word) await api.keep(thread, "file", await base64(word));
    location.hash = `#/run/${thread}/live`;
  });
  return html`<form class="check-form" onSubmit=${(/** @type {Event} */ event) => (event.preventDefault(), go())}>
    <${Top} chosen="text" title=${W.check.title} lead=${W.check.lead} />
    <${Paste} label=${W.check.text} file=${W.check.file} accept=".txt,.md,.tex,.docx,.pdf,.html" text=${text} required=${true} put=${setText} take=${take}
      named=${reading ? W.check.reading : name} />
    <label class="field">${W.start.library}<select onChange=${(/** @type {any} */ event) => setLibrary(event.target.value)}>
      ${(found?.libraries ?? [{name: library}]).map((/** @type {any} */ item) => html`<option value=${item.name} selected=${item.name === library}>${item.name}${
        item.papers === undefined ? "" : ` (${counted(item.papers, "paper")})`}</option>`)}</select></label>
    <${Sources} label=${W.start.sources} hint=${W.check.sourcesHint} chosen=${sources} change=${setSources} />
    <${Fold} summary=${W.check.papers}><textarea rows="3" aria-label=${W.check.papers} value=${papers} onInput=${(/** @type {any} */ event) => setPapers(event.target.value)}></textarea><//>
    <${Problem} text=${unread || error} />
    <p><button class="main big" disabled=${busy || reading}>${busy ? W.start.going : W.check.go}</button></p>
  </form>`;
}

function List() {
  const [text, setText] = useState("");
  const [file, setFile] = useState(/** @type {File | null} */ (null));
  const [sources, setSources] = useState(/** @type {string[]} */ ([]));
  const [go, busy, error] = useAction(async () => {
    const uploads = file ? [{name: file.name, content: await base64(file), encoding: "base64"}] : [];
    const about = {title: `${W.references.run}: ${title(text) || (file?.name ?? "")}`};
    location.hash = `#/run/${await api.start("references", {text, uploads, sources}, {}, about)}/live`;
  });
  return html`<form class="check-form" onSubmit=${(/** @type {Event} */ event) => (event.preventDefault(), go())}>
    <${Top} chosen="references" title=${W.references.title} lead=${W.references.lead} />
    <${Paste} label=${W.references.text} file=${W.references.file} accept=".pdf,.docx,.html,.htm,.xml,.tex,.bbl,.md,.txt" text=${text} required=${!file}
      put=${setText} take=${(/** @type {File | undefined} */ one) => setFile(one ?? null)} named=${file?.name} />
    <${Sources} label=${W.references.sources} hint=${W.references.sourcesHint} chosen=${sources} change=${setSources} />
    <${Problem} text=${error} />
    <p><button class="main big" disabled=${busy}>${busy ? W.start.going : W.references.go}</button></p>
  </form>`;
}
