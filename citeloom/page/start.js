// A new review: what it is about, where to look, and what to be asked.
// @ts-check
import * as api from "./api.js";
import {Estimate, useEstimate} from "./estimate.js";
import {Problem, useAction, useLoaded} from "./parts.js";
import {html, useState} from "./vendor/preact.js";
import {counted, W} from "./words.js";

/** A DOI, an arXiv id, or the address of one; the server knows better. */
const ID = /^(https?:\/\/\S+|(doi:\s*)?10\.\d{4,9}\/\S+|(arxiv:\s*)?(\d{4}\.\d{4,5}|[a-z-]+(\.[a-z]{2})?\/\d{7})(v\d+)?)$/i;
const TEXT = /\.(txt|md|markdown|tex|rst|text)$/i;

export function Start() {
  const [form, setForm] = useState({
    text: "", library: "starter", sources: /** @type {string[]} */ ([]), before: "", after: "", keep: "", cite: "", must: "",
    graph: "review", usd: "", asking: /** @type {string[]} */ ([]),
  });
  const [found] = useLoaded(() => api.get("/citeloom/libraries"), []);
  const [ready] = useLoaded(() => api.get("/citeloom/ready").catch(() => null), []);
  const [dropped, setDropped] = useState("");
  const put = (/** @type {string} */ name) => (/** @type {any} */ event) =>
    setForm({...form, [name]: event.target.value});
  const tick = (/** @type {"sources" | "asking"} */ name, /** @type {string} */ value) => (/** @type {any} */ event) =>
    setForm({...form, [name]: event.target.checked ? [...form[name], value] : form[name].filter((item) => item !== value)});

  const whole = (/** @type {string} */ text) => (text ? Number(text) : undefined);
  const input = {
    text: form.text, library: form.library || undefined, before: form.before || undefined, after: form.after || undefined,
    keep: whole(form.keep), sources: form.sources.length ? [...(form.library ? ["library"] : []), ...form.sources] : undefined,
    must_include: form.must.split("\n").map((line) => line.trim()).filter(Boolean),
    ...(form.graph === "review" ? {cite: whole(form.cite)} : {}),
  };
  const settings = {
    ...Object.fromEntries(form.asking.map((name) => [name, "on"])), ...(form.usd ? {max_usd: Number(form.usd)} : {}),
  };
  const enough = ID.test(form.text.trim()) || form.text.trim().split(/\s+/).length >= 3;
  const paid = ready?.parts?.find((/** @type {any} */ part) => part.name === "llm")?.state === "ready";
  const estimate = useEstimate(form.graph, input, settings, paid && enough);
  const [go, busy, error] = useAction(async () => {
    if (!enough) throw new Error(W.start.short);
    const thread = await api.start(form.graph, input, settings, {title: title(form.text)});
    location.hash = `#/run/${thread}/live`;
  });
  const submit = (/** @type {Event} */ event) => (event.preventDefault(), go());
  const take = async (/** @type {File | undefined} */ file) => {
    if (!file) return;
    setDropped("");
    try {
      const read = TEXT.test(file.name) || file.type.startsWith("text/") ? {text: plain(await file.text()), title: ""}
        : await api.upload(`/citeloom/draft?name=${encodeURIComponent(file.name)}`, file);
      setForm({...form, text: [read.title && `# ${read.title}`, read.text].filter(Boolean).join("\n\n")});
    } catch (caught) {
      setDropped(caught instanceof Error ? caught.message : String(caught));
    }
  };
  const asked = Object.entries(W.start.asking).filter(([name]) => form.graph === "review" || !/plan|text/.test(name));
  return html`<form class="start" onSubmit=${submit}
      onDragOver=${(/** @type {DragEvent} */ event) => event.preventDefault()}
      onDrop=${(/** @type {DragEvent} */ event) => (event.preventDefault(), take(event.dataTransfer?.files[0]))}>
    <h1>${W.start.title}</h1>
    <p class="lead">${W.tagline}</p>
    <label>${W.start.text}
      <textarea rows="9" required value=${form.text} onInput=${put("text")} aria-describedby="hint"></textarea></label>
    <p class="hint" id="hint">${W.start.hint}</p>
    <label class="file">${W.start.drop}
      <input type="file" accept=".txt,.md,.tex,.pdf,.docx,.html,.xml" onChange=${(/** @type {any} */ event) => take(event.target.files[0])} /></label>
    <${Problem} text=${dropped} />
    <div class="fields">
      <label>${W.start.library}
        <select onChange=${put("library")}>
          ${(found?.libraries ?? [{name: "starter"}]).map((/** @type {any} */ item) =>
            html`<option value=${item.name} selected=${item.name === form.library}>${item.name}${item.papers === undefined ? "" : ` (${counted(item.papers, "paper")})`}</option>`)}
        </select></label>
      <label>${W.start.graph}
        <select value=${form.graph} onChange=${put("graph")}>
          ${Object.entries(W.start.graphs).map(([name, words]) => html`<option value=${name}>${words}</option>`)}
        </select></label>
      <label>${W.start.before}<input type="date" value=${form.before} onInput=${put("before")} /></label>
    </div>
    <details>
      <summary>${W.start.more}</summary>
      <fieldset><legend>${W.start.sources}</legend>
        ${Object.entries(W.start.sourceNames).map(([name, words]) => html`<label class="tick">
          <input type="checkbox" checked=${form.sources.includes(name)} onChange=${tick("sources", name)} /> ${words}</label>`)}
        <p class="hint">${W.start.sourcesHint}</p>
      </fieldset>
      <fieldset><legend>${W.start.ask}</legend>
        ${asked.map(([name, words]) => html`<label class="tick">
          <input type="checkbox" checked=${form.asking.includes(name)} onChange=${tick("asking", name)} /> ${words}</label>`)}
      </fieldset>
      <div class="fields">
        <label>${W.start.after}<input type="date" value=${form.after} onInput=${put("after")} /></label>
        <label>${W.start.keep}<input type="number" min="1" max="500" value=${form.keep} onInput=${put("keep")} /></label>
        <label>${W.start.cite}<input type="number" min="1" max="100" value=${form.cite} onInput=${put("cite")} /></label>
        <label>${W.start.budget}<input type="number" min="0" step="0.01" value=${form.usd} onInput=${put("usd")} /></label>
      </div>
      <label>${W.start.must}<textarea rows="2" value=${form.must} onInput=${put("must")}></textarea></label>
    </details>
    ${ready && !estimate && html`<p class="hint">${paid ? W.start.paid : W.start.free}</p>`}
    ${estimate && html`<section class="card" aria-label=${W.estimate.title}><h2>${W.estimate.title}</h2><${Estimate} estimate=${estimate} /></section>`}
    <${Problem} text=${error} />
    <button class="main" disabled=${busy}>${busy ? W.start.going : W.start.go}</button>
  </form>`;
}

/** The first line, or the first words. @param {string} text */
export function title(text) {
  const line = text.trim().split("\n")[0].replace(/^#+\s*/, "");
  return line.length > 90 ? `${line.slice(0, 88)}…` : line;
}

/** LaTeX without its commands, as far as an abstract needs it; other text as it is. @param {string} text */
function plain(text) {
  const abstract = /\\begin\{abstract\}([\s\S]*?)\\end\{abstract\}/.exec(text);
  return (abstract ? abstract[1] : text).trim();
}
