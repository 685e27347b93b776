// What is watched: when it was checked, what was new, and each digest.
// @ts-check
import * as api from "./api.js";
import {Fold, Note, Quote} from "./components.js";
import {address, byline, Nothing, Problem, title, useAction, useLoaded} from "./parts.js";
import {Icon} from "./shapes.js";
import {html, useEffect} from "./vendor/preact.js";
import {WatchThis} from "./watch_this.js";
import {V} from "./watch_words.js";
import {called, counted, W} from "./words.js";

const AGAIN = 2000;
const PLACES = {library: W.start.mine.toLowerCase(), ...W.start.sourceNames, ...W.start.moreSources};
const KINDS = /** @type {const} */ (["retracted", "new", "published", "notice"]);

/** @param {{run: string}} props `run` is one to be watched */
export function Watches({run}) {
  const [found, error, again] = useLoaded(() => api.get("/citeloom/watches").catch((failed) => {
    if (failed.status === 404) return {away: true};
    throw failed;
  }), [run]);
  const watches = /** @type {any[]} */ (found?.watches ?? []);
  useEffect(() => {
    if (!watches.some((one) => one.busy)) return;
    const timer = setTimeout(again, AGAIN);
    return () => clearTimeout(timer);
  }, [found]);
  return html`<div class="hello"><h1>${V.title}</h1><p class="dim">${V.lead}</p></div>
    <${Problem} text=${error} />
    ${found?.away && html`<${Nothing}>${V.away}<//>`}
    ${found?.watches && html`
      ${run && html`<${WatchThis} key=${run} thread=${run} done=${() => { location.hash = "#/watch"; }} />`}
      <${Note} icon="ask"><p>${V.who}</p><${Fold} summary=${html`<span class="small">${V.how}</span>`}><p class="small">${V.cron}</p><pre tabindex="0">${V.line}</pre><p class="small">${V.elsewhere}</p><//><//>
      ${!watches.length && !run && html`<${Nothing}>${V.none} <a href="#/history">${V.runs}</a><//>`}
      <ul class="watches">${watches.map((one) => html`<${OneWatch} key=${one.name} watch=${one} again=${again} />`)}</ul>`}`;
}

/** @param {{watch: any, again: () => void}} props */
function OneWatch({watch, again}) {
  const place = `/citeloom/watches/${encodeURIComponent(watch.name)}`;
  const [check, starting, error] = useAction(async () => (await api.post(`${place}/check`, {}), again()));
  const [remove, removing, failed] = useAction(async () => {
    if (!confirm(V.stopSure)) return;
    await api.remove(place);
    again();
  });
  const due = watch.next && Date.parse(watch.next) <= Date.now();
  const limit = watch.max_usd != null ? `${V.most} ${watch.max_usd.toFixed(2)} ${V.usdUnit}` : watch.max_calls != null ? `${V.most} ${counted(watch.max_calls, "call")} ${V.calls}` : "";
  const [newest] = watch.digests ?? [];
  return html`<li class="card"><div class="watch-head"><div><h2>${watch.name}</h2><p class="dim small" dir="auto">${title(watch.subject)}</p></div>
      <div class="watch-do">${!watch.damaged && html`<button type="button" disabled=${starting || watch.busy} onClick=${() => check()}>${watch.busy ? V.checking : V.check}</button>`}
        <button type="button" class="quiet" disabled=${removing || watch.busy} aria-label=${`${V.stop}: ${watch.name}`} onClick=${() => remove()}>${V.stop}</button></div></div>
    ${!watch.damaged && html`<p class="meta small dim"><span>${V.days[/** @type {keyof typeof V.days} */ (watch.every)] ?? `${V.other} ${counted(watch.every, "day")}`} ${V.sources} ${watch.sources.map((/** @type {string} */ name) => called(PLACES, name)).join(", ")}</span><span>${limit}</span>
      <span>${V.last}: ${watch.last ? day(watch.last) : V.never}</span><span>${due ? V.due : `${V.next} ${day(watch.next)}`}</span>${watch.run && html`<a href=${`#/run/${watch.run}`}>${V.from}</a>`}</p>`}
    <p role="status" class="small">${watch.busy && html`<span class="state working"><${Icon} name="busy" kind="spin" />${V.checking}</span> ${watch.checking && html`<a href=${`#/run/${watch.checking}/live`}>${V.progress}</a>`}`}
      ${!watch.busy && watch.last && !(newest && Date.parse(newest.at) === Date.parse(watch.last)) && V.nothing}</p>
    <${Problem} text=${error || failed || watch.problem} />
    ${(watch.digests ?? []).map((/** @type {any} */ one) => html`<${Fold} key=${one.number} summary=${html`<span><strong>${one.title}</strong> <span class="dim small">${V.digest} ${one.number}, ${day(one.at)}</span></span>`} open=${one === newest} kind="digest"><${Digest} check=${one} /><//>`)}</li>`;
}

/** @param {string} at */
const day = (at) => new Date(at).toLocaleDateString(undefined, {dateStyle: "medium"});

/** @param {{check: any}} props */
function Digest({check}) {
  return html`<p class="small dim">${V.searched} ${Object.keys(check.searched).join(", ") || "–"}${check.after ? `, ${V.since} ${check.after} ${V.on}` : ""}.</p>
    ${Object.entries(check.failed).map(([name, why]) => html`<${Note} kind="warn" icon="failed">${V.failed} ${name} (${why}). ${V.failedNext}<//>`)}
    ${check.unasked.map((/** @type {string} */ line) => html`<${Note} kind="warn" icon="failed">${V.undone} ${line}.<//>`)}
    ${KINDS.map((kind) => ({kind, items: check.items.filter((/** @type {any} */ item) => item.kind === kind)})).filter(({items}) => items.length).map(({kind, items}) => html`
      <h3 class="digest-kind">${V.kinds[kind]}</h3><ul class="digest-items">${items.map((/** @type {any} */ item) => html`<${Item} item=${item} check=${check} />`)}</ul>`)}
    ${check.untold > 0 && html`<p>${check.untold} ${V.untold} <a href=${`#/run/${check.run}/papers`}>${V.untoldSee}</a></p>`}`;
}

/** @param {{item: any, check: any}} props */
function Item({item, check}) {
  const link = address(item.paper);
  const placed = item.placed?.sentence ? item.placed : null;
  return html`<li><p class="strong" dir="auto">${link ? html`<a href=${link} target="_blank" rel="noreferrer noopener">${item.paper.title}</a>` : item.paper.title}</p><p class="small dim">${byline(item.paper)}</p>
    ${item.kind !== "new" ? html`<p>${item.detail.charAt(0).toUpperCase() + item.detail.slice(1)}.</p>`
      : html`<p class="small">${V.relevance}: <span class="num">${Math.round(item.score)}</span> ${V.of100}, ${item.judged ? `${V.judged} ${check.mind}` : V.unjudged} (${V.bar}: ${Math.round(check.bar)}).</p>`}
    ${placed && html`<p class="small">${V.changes[/** @type {keyof typeof V.changes} */ (placed.change)]} ${placed.change !== "none" && html`${V.sentence} ${placed.sentence} ${V.section} <em dir="auto">${placed.sentence_text}</em>`}</p>
      ${placed.says && html`<p class="small">${V.it} ${placed.says}</p>`}${placed.words && html`<${Quote} quote=${placed.words} />`}`}</li>`;
}
