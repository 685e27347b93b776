// A place to start: what to do, what it is about, where to search, what it takes.
// @ts-check
import * as api from "./api.js";
import {Fold, Segment} from "./components.js";
import {useEstimate} from "./estimate.js";
import {RecentRuns} from "./history.js";
import {Methods} from "./methods.js";
import {useModel} from "./model.js";
import {Problem, title, useAction, useLoaded} from "./parts.js";
import {Icon} from "./shapes.js";
import {Before} from "./start_price.js";
import {Where} from "./start_sources.js";
import {read} from "./run.js";
import {html, useEffect, useState} from "./vendor/preact.js";
import {W} from "./words.js";

/** A DOI, an arXiv id, or the address of one; the server knows better. */
const ID = /^(https?:\/\/\S+|(doi:\s*)?10\.\d{4,9}\/\S+|(arxiv:\s*)?(\d{4}\.\d{4,5}|[a-z-]+(\.[a-z]{2})?\/\d{7})(v\d+)?)$/i;
const TEXT = /\.(txt|md|markdown|tex|rst|text)$/i;
const ICONS = {start: "page", ask: "ask", check: "done"};

/**
 * @typedef {{
 *   text: string, library: string, sources: string[], before: string, after: string, keep: string, cite: string, must: string, plan: string,
 *   graph: "review" | "find" | "novelty", usd: string, asking: string[], methods: Record<string, Record<string, unknown>>,
 * }} Form
 */

/** @type {Form} */
const EMPTY = {text: "", library: "starter", sources: ["library"], before: "", after: "", keep: "", cite: "", must: "", plan: "", graph: "review", usd: "", asking: [], methods: {}};

/** @param {{at: string}} props `at` is "model" where one comes to connect a model, or a run whose search is to be changed */
export function Start({at}) {
  const [form, setForm] = useState(EMPTY);
  const [dropped, setDropped] = useState("");
  const [reading, setReading] = useState("");
  const model = useModel();
  useEffect(() => {
    if (at && at !== "model") read(at).then((run) => setForm(refilled(run)), (caught) => setDropped(caught.message));
  }, [at]);
  const [table] = useLoaded(() => api.get("/citeloom/methods"), []);
  const put = (/** @type {Partial<Form>} */ change) => setForm((/** @type {Form} */ before) => ({...before, ...change}));
  const typed = (/** @type {keyof Form} */ name) => (/** @type {any} */ event) => put({[name]: event.target.value});
  const {input, settings} = asked(form);
  const enough = ID.test(form.text.trim()) || form.text.trim().split(/\s+/).length >= 3;
  const estimate = useEstimate(form.graph, input, settings, model === true && enough);
  const [go, busy, error] = useAction(async () => {
    if (!enough) throw new Error(W.start.short);
    if (!form.sources.length) throw new Error(W.start.nowhere);
    location.hash = `#/run/${await api.start(form.graph, input, settings, {title: title(form.text)})}/live`;
  });
  const take = async (/** @type {File | undefined} */ file) => {
    if (!file) return;
    setDropped("");
    setReading(file.name);
    try {
      const read = TEXT.test(file.name) || file.type.startsWith("text/") ? {text: plain(await file.text()), title: ""}
        : await api.upload(`/citeloom/draft?name=${encodeURIComponent(file.name)}`, file);
      put({text: [read.title && `# ${read.title}`, read.text].filter(Boolean).join("\n\n")});
    } catch (caught) {
      setDropped(caught instanceof Error ? caught.message : String(caught));
    } finally {
      setReading("");
    }
  };
  const number = (/** @type {"keep" | "cite"} */ name, /** @type {number} */ most) => html`<label class="field">${W.start[name]}
    <input type="number" min="1" max=${most} placeholder=${W.start.usual[name]} value=${form[name]} onInput=${typed(name)} /></label>`;
  return html`<div class="start-view">
    <div class="hello"><h1>${W.start.title}</h1><p class="dim">${W.start.lead}</p></div>
    <nav class="ways" aria-label=${W.start.what}>${Object.entries(W.start.ways).map(([name, way]) => [name, name === "start" && model === false ? {...way, ...W.start.free} : way]).map((/** @type {any} */ [name, way]) => html`<a class="way" href=${`#/${name}`} aria-current=${name === "start" ? "page" : null}>
      <span class="w-icon"><${Icon} name=${ICONS[/** @type {keyof typeof ICONS} */ (name)]} size=${18} /></span>
      <span class="w-text"><strong>${way.name}</strong><span class="w-what">${way.what}</span><span class="w-time dim">${way.time}</span></span></a>`)}</nav>
    <form class="start-grid" onSubmit=${(/** @type {Event} */ event) => (event.preventDefault(), go())}
        onDragOver=${(/** @type {DragEvent} */ event) => event.preventDefault()}
        onDrop=${(/** @type {DragEvent} */ event) => (event.preventDefault(), take(event.dataTransfer?.files[0]))}>
      <div class="start-form">
        <div class="card paste">
          <textarea rows="8" required aria-label=${W.start.text} placeholder=${W.start.hint} value=${form.text} onInput=${typed("text")}></textarea>
          <div class="paste-do"><label class="button tiny file"><${Icon} name="page" />${W.start.drop}
              <input type="file" class="hide" accept=".txt,.md,.tex,.pdf,.docx,.html,.xml" onChange=${(/** @type {any} */ event) => take(event.target.files[0])} /></label>
            <span class=${reading ? "small state" : "dim small late"} role="status" dir="auto">${reading ? html`<${Icon} name="busy" kind="spin" /> ${W.start.reading} ${reading} …` : W.start.dropHint}</span>
            <button type="button" class="tiny quiet" onClick=${() => put({text: W.start.sample})}>${W.start.example}</button></div>
        </div>
        <${Problem} text=${dropped} />
        <${Where} sources=${form.sources} library=${form.library} put=${put} />
        <div class="two">
          ${number("keep", 500)}
          ${form.graph === "review" && number("cite", 200)}
          <label class="field">${W.start.after}<input type="date" value=${form.after} onInput=${typed("after")} /></label>
          <label class="field">${W.start.before}<input type="date" value=${form.before} onInput=${typed("before")} /></label>
        </div>
        <div class="result"><span class="dim small">${W.start.graph}</span>
          <${Segment} label=${W.start.graph} options=${W.start.graphs} value=${form.graph} choose=${(/** @type {Form["graph"]} */ graph) => put({graph})} /></div>
        <${Fold} kind="card fold" summary=${html`<h2>${W.start.must}</h2><span class="dim small">${W.start.mustHint}</span>`}>
          <textarea rows="3" aria-label=${W.start.must} value=${form.must} onInput=${typed("must")}></textarea><//>
        ${form.graph === "review" && html`<${Fold} kind="card fold" summary=${html`<h2>${W.start.plan}</h2><span class="dim small">${W.start.planHint}</span>`}>
          <textarea rows="4" aria-label=${W.start.plan} placeholder=${W.start.planExample} value=${form.plan} onInput=${typed("plan")}></textarea><//>`}
        <${Methods} steps=${table?.steps ?? []} graph=${form.graph} model=${model} chosen=${form.methods} choose=${(/** @type {Form["methods"]} */ methods) => put({methods})} />
      </div>
      <${Before} form=${form} put=${put} model=${model} estimate=${estimate} busy=${busy} reading=${Boolean(reading)} error=${error} at=${at} />
    </form>
    <${RecentRuns} />
  </div>`;
}

/** The form of an earlier run, to change it. @param {import("./run.js").Run} run @returns {Form} */
function refilled({graph, searched}) {
  const given = Object.fromEntries(Object.keys(EMPTY).filter((name) => searched[name]).map((name) => [name, typeof searched[name] === "number" ? String(searched[name]) : searched[name]]));
  return {...EMPTY, ...given, must: (searched.must_include ?? []).join("\n"), graph: graph === "find" || graph === "novelty" ? graph : "review"};
}

/** What a form asks of the server. @param {Form} form */
function asked(form) {
  const whole = (/** @type {string} */ text) => (text ? Number(text) : undefined);
  const input = {
    text: form.text, library: form.library || undefined, before: form.before || undefined, after: form.after || undefined,
    keep: whole(form.keep), sources: form.sources, must_include: form.must.split("\n").map((line) => line.trim()).filter(Boolean),
    ...(form.graph === "review" ? {cite: whole(form.cite), plan: form.plan.trim() || undefined} : {}),
  };
  const methods = Object.entries(form.methods).filter(([step]) => form.graph === "review" || step !== "write").map(([, sets]) => sets);
  const settings = {
    ...Object.assign({}, ...methods), ...Object.fromEntries(form.asking.map((name) => [name, "on"])), ...(form.usd ? {max_usd: Number(form.usd)} : {}),
  };
  return {input, settings};
}

/** LaTeX without its commands, as far as an abstract needs it; other text as it is. @param {string} text */
function plain(text) {
  const abstract = /\\begin\{abstract\}([\s\S]*?)\\end\{abstract\}/.exec(text);
  return (abstract ? abstract[1] : text).trim();
}
