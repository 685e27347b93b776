// A caller's libraries: what is in them, adding files, taking papers out.
// @ts-check
import * as api from "./api.js";
import {ApplyBar, Fold} from "./components.js";
import {byline, Nothing, Out, Problem, useAction, useLoaded} from "./parts.js";
import {AskEach} from "./library_table.js";
import {ended} from "./run.js";
import {Icon, Verdict} from "./shapes.js";
import {html, useState} from "./vendor/preact.js";
import {counted, W} from "./words.js";

/** @param {{name: string}} props */
export function Libraries({name}) {
  const [found, error, again] = useLoaded(() => api.get("/citeloom/libraries"), []);
  const libraries = /** @type {any[]} */ (found?.libraries ?? []);
  const shown = libraries.find((item) => item.name === name);
  return html`<div class="hello"><h1>${W.libraries.title}</h1><p class="dim">${W.libraries.lead}</p></div>
    <${Problem} text=${error} />
    <ul class="names">${libraries.map((item) => html`<li class="card"><a href=${`#/libraries/${item.name}`} aria-current=${item.name === name ? "page" : null}>${item.name}</a>
      <span class="num"><strong>${item.papers}</strong> ${counted(item.papers, "paper").replace(/^\S+ /, "")}</span>
      <span class="dim small num">${[item.documents && counted(item.documents, "document"), counted(item.passages, "passage")].filter(Boolean).join(", ")}</span>
      ${!item.yours && html`<span class="dim small">${W.libraries.shared}</span>`}</li>`)}</ul>
    <${Add} key=${name} name=${shown?.yours ? name : ""} open=${!shown} again=${again} />
    ${shown && html`<${Inside} key=${name} library=${shown} again=${again} />`}`;
}

/** Bytes of files in one request: with base64 they stay below a server's limit of 64 MB. */
const MOST = 40e6;

/** Part files into requests, in their order. @param {File[]} files @returns {File[][]} */
export const requests = (files) => files.reduce((/** @type {File[][]} */ parts, file) => {
  const last = parts.at(-1);
  if (last && last.reduce((size, one) => size + one.size, file.size) <= MOST) last.push(file);
  else parts.push([file]);
  return parts;
}, []);

/** @param {{name: string, open: boolean, again: () => void}} props */
function Add({name, open, again}) {
  const [to, setTo] = useState(name || "my-papers");
  const [files, setFiles] = useState(/** @type {File[]} */ ([]));
  const [values, setValues] = useState(/** @type {any} */ (null));
  const [progress, setProgress] = useState("");
  const [add, busy, error] = useAction(async () => {
    /** @type {any[]} */ const reports = [];
    for (const part of requests(files)) {
      const uploads = await Promise.all(part.map(async (file) => ({name: file.name, content: await base64(file), encoding: "base64"})));
      const thread = await api.start("ingest", {library: to, uploads}, {}, {title: `${W.libraries.add}: ${to}`});
      const run = await ended(thread, (data) => {
        if (data?.stage) setProgress(`${data.title ?? data.stage} ${data.done} / ${data.total} ${data.note ?? ""}`);
      });
      reports.push(...(run.values.reports ?? []));
      setValues({reports: [...reports]});
      setFiles((left) => left.filter((file) => !part.includes(file)));
      if (run.values.stop) throw new Error(run.values.stop.cause);
    }
    setProgress("");
    again();
  });
  const submit = (/** @type {Event} */ event) => (event.preventDefault(), add());
  return html`<${Fold} kind="card fold add-fold" open=${open} summary=${html`<h2>${W.libraries.add}</h2>`}><form class="add-files" onSubmit=${submit}
      onDragOver=${(/** @type {DragEvent} */ event) => event.preventDefault()}
      onDrop=${(/** @type {DragEvent} */ event) => (event.preventDefault(), setFiles([...(event.dataTransfer?.files ?? [])]))}>
    <div class="add">
      <label class="field">${W.libraries.files}<input type="file" multiple onChange=${(/** @type {any} */ event) => setFiles([...event.target.files])} /></label>
      <label class="field">${W.libraries.to}<input required pattern="[a-z0-9][a-z0-9_\\-]{0,63}" title=${W.libraries.name} value=${to}
        onInput=${(/** @type {any} */ event) => setTo(event.target.value)} /></label>
      <button class="main" disabled=${busy || !files.length}>${busy ? W.libraries.uploading : W.libraries.upload}</button>
    </div>
    <p class="dim small" role="status">${progress}</p>
    <${Problem} text=${error} />
    <ul class="reports">${(values?.reports ?? []).map((/** @type {any} */ item) => html`<li dir="auto"><${Verdict} verdict=${/** @type {Record<string, string>} */ ({failed: "not_in_source", partly: "partly"})[item.status] ?? "supported"}>${item.source}: ${item.status}<//>
      ${item.passages ? html`<span>${counted(item.passages, "passage")}</span>` : ""}
      <span class="dim small">${[item.cause, item.remedy, ...(item.unread ?? []).map((/** @type {any} */ part) => `${W.libraries.unread} ${part.where}: ${part.cause}`), ...(item.notes ?? [])].filter(Boolean).join("; ")}</span></li>`)}</ul>
    ${values && !busy && !name && html`<p><a class="button" href=${`#/libraries/${to}`}>${W.papers.open} ${to}</a> <a class="button" href=${`#/ask/${to}`}>${W.libraries.ask}</a></p>`}
  </form><//>`;
}

/** @param {{library: any, again: () => void}} props */
function Inside({library, again}) {
  const [part, setPart] = useState("");
  const [limit, setLimit] = useState(50);
  const [found, error, reload] = useLoaded(
    () => pages(library.name, part, limit), [library.name, part, limit],
  );
  const [remove, busy, failed] = useAction(async (/** @type {string} */ id) => {
    if (!confirm(W.libraries.sure)) return;
    await api.post(`/citeloom/libraries/${library.name}/remove`, {papers: [id]});
    reload();
    again();
  });
  const [destroy, destroying, undone] = useAction(async () => {
    if (!confirm(W.libraries.sureAll)) return;
    await api.remove(`/citeloom/libraries/${library.name}`);
    location.hash = "#/libraries";
    again();
  });
  const [ticked, setTicked] = useState(/** @type {string[]} */ ([]));
  const [question, setQuestion] = useState("");
  const [write, writing, unwritten] = useAction(async () => {
    const input = {question, library: library.name, papers: ticked};
    location.hash = `#/run/${await api.start("synthesize", input, {}, {title: question})}/live`;
  });
  const tick = (/** @type {string} */ id) => (/** @type {any} */ event) =>
    setTicked(event.target.checked ? [...ticked, id] : ticked.filter((item) => item !== id));
  return html`<section class="inside" aria-labelledby="library"><div class="rise-top"><h2 id="library">${library.name}</h2>
      <div class="text-tools"><a class="button" href=${`#/ask/${library.name}`}>${W.libraries.ask}</a>
        ${library.yours && html`<button class="quiet" disabled=${destroying} onClick=${() => destroy()}>${destroying ? W.libraries.deleting : W.libraries.delete}</button>`}</div></div>
    ${library.papers > 0 && html`<${Fold} summary=${W.cells.title}><${AskEach} key=${library.name} library=${library.name} papers=${library.papers} /><//>`}
    <div class="p-bar"><label class="p-find"><span class="hide">${W.libraries.find}</span><input type="search" placeholder=${W.libraries.find} value=${part} onInput=${(/** @type {any} */ event) => setPart(event.target.value)} /></label>
      ${!ticked.length && html`<span class="dim small">${W.synthesis.hint}</span>`}</div>
    <${Problem} text=${error || failed || undone || unwritten} />
    <ul class="papers">${(found?.papers ?? []).map((/** @type {any} */ paper) => html`<li dir="auto">
      <input type="checkbox" aria-label=${`${W.synthesis.tick}: ${paper.title}`} checked=${ticked.includes(paper.id)} onChange=${tick(paper.id)} />
      <div><strong>${paper.title}</strong><div class="dim small">${byline(paper)} <${Out} paper=${paper} /></div></div>
      ${library.yours && html`<button class="tiny quiet icon" disabled=${busy} onClick=${() => remove(paper.id)} title=${W.libraries.remove}
          aria-label=${`${W.libraries.remove} ${paper.title}`}><${Icon} name="close" size=${14} /></button>`}</li>`)}</ul>
    ${found && !found.papers.length && html`<${Nothing}>${W.libraries.none}<//>`}
    ${found && !part && found.total > found.papers.length && html`<p class="p-more"><button onClick=${() => setLimit(limit + 100)}>${W.libraries.more}</button></p>`}
    ${ticked.length > 0 && html`<form onSubmit=${(/** @type {Event} */ event) => (event.preventDefault(), write())}><${ApplyBar} label=${W.synthesis.title}
      actions=${html`<button class="main" disabled=${writing}>${W.synthesis.go}</button>`}>
      <label class="field">${W.synthesis.title} (${ticked.length}): ${W.synthesis.question}<input required value=${question}
        onInput=${(/** @type {any} */ event) => setQuestion(event.target.value)} /></label><//></form>`}</section>`;
}

/** @param {string} name @param {string} part @param {number} limit */
async function pages(name, part, limit) {
  const papers = [];
  let total = 0;
  do {
    const asked = new URLSearchParams({find: part, offset: String(papers.length), limit: String(Math.min(100, limit - papers.length))});
    const page = await api.get(`/citeloom/libraries/${name}/papers?${asked}`);
    papers.push(...page.papers);
    total = page.total;
    if (!page.papers.length) break;
  } while (papers.length < Math.min(limit, total));
  return {papers, total};
}

/** @param {File} file @returns {Promise<string>} */
export const base64 = (file) => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.onload = () => resolve(String(reader.result).split(",", 2)[1] ?? "");
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(file);
});
