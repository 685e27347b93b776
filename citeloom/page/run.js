// A run as the page sees it: what its thread has, and what its stream tells while it works.
// @ts-check
import * as api from "./api.js";
import {useCallback, useEffect, useRef, useState} from "./vendor/preact.js";

/**
 * @typedef {{stage: string, title: string, done: number, total: number, note: string, from: number, at: number, seconds: number}} Stage since when, until when (s), and seconds in all
 * @typedef {{paper: any, score: number, why: string, quote: any, rank: number, move: number | null}} Best a paper and the places it rose; null for a new one
 * @typedef {"loading" | "working" | "input_required" | "completed" | "failed" | "cancelled"} Status
 * @typedef {{
 *   thread: string, graph: string, title: string, parent: string, status: Status, values: any, question: any, asked: string | null,
 *   stages: Stage[], best: Best[], queries: any[], log: any[], rounds: any[], failures: any[], rows: any[], calls: number, usd: number, relevant: number,
 *   problem: string, settings: Record<string, unknown>, stream: string, searched: any, can_resume: boolean, started: string, updated: string,
 * }} Run
 */

/** @param {string} thread @returns {Run} */
const empty = (thread) => ({
  thread, graph: "", title: "", parent: "", status: "loading", values: {}, question: null, asked: null, stages: [],
  best: [], queries: [], log: [], rounds: [], failures: [], rows: [], calls: 0, usd: 0, relevant: 0, problem: "", settings: {}, stream: "", searched: {}, can_resume: false, started: "", updated: "",
});

/**
 * Read a run as it stands.
 * @param {string} thread
 * @returns {Promise<Run>}
 */
export async function read(thread) {
  const run = await api.get(`/citeloom/runs/${thread}`);
  return {...empty(thread), ...run, queries: run.values.queries ?? []};
}

/** What a run took stays for a reload of its tab. @param {string} thread */
const timesOf = (thread) => `citeloom-stages:${thread}`;

/** The stages that this tab watched. @param {string} thread @returns {Stage[]} */
const remembered = (thread) => JSON.parse(sessionStorage.getItem(timesOf(thread)) ?? "[]");

/** What one watched stays when a run is read anew. @param {Run} before @param {Run} now @returns {Run} */
const watched = (before, now) => ({
  ...now, stages: before.stages, best: before.best, log: before.log, rounds: before.rounds, failures: before.failures, calls: before.calls,
  usd: before.usd, relevant: before.relevant, queries: now.queries.length ? now.queries : before.queries,
});

/**
 * Take in what a stream tells.
 * @param {Run} run
 * @param {{event: string, data: any}} told
 * @returns {Run}
 */
export function taken(run, {event, data}) {
  if (event.startsWith("custom") && data?.stage) {
    const [before] = run.stages.filter((item) => item.stage === data.stage);
    const at = data.at ?? 0;
    // A round that begins anew has a pace of its own.
    const anew = !before || before.done >= before.total || data.total !== before.total;
    // The time since the last event is of the step that ends with this one; where this one begins, of the one before.
    const last = run.stages.at(-1);
    const passed = last ? Math.max(0, at - last.at) : 0;
    const mine = data.done > 0 || last?.stage === data.stage;
    const {papers: _, row, ...told} = data;
    const stage = {note: "", title: data.stage, ...told, at, from: anew ? at : before.from, seconds: (before?.seconds ?? 0) + (mine ? passed : 0)};
    const others = run.stages.filter((item) => item !== before).map((item) => (!mine && item === last ? {...item, seconds: item.seconds + passed} : item));
    return {
      ...run, stages: [...others, stage], best: data.papers ? risen(run.best, data.papers) : run.best,
      rows: row ? [...run.rows.filter((one) => one.paper !== row.paper), row] : run.rows,
      calls: data.calls ?? run.calls, usd: data.usd ?? run.usd, relevant: data.relevant ?? run.relevant,
    };
  }
  if (event.startsWith("updates") && data) {
    let next = run;
    for (const update of Object.values(data)) {
      if (Array.isArray(update?.queries) && update.queries.length) next = {...next, queries: update.queries};
      for (const [name, kept] of /** @type {const} */ ([["search_log", "log"], ["rounds", "rounds"], ["failures", "failures"]])) {
        // A graph that ends repeats what its steps told.
        if (Array.isArray(update?.[name]) && !("papers" in update) && !("related_work" in update)) next = {...next, [kept]: [...next[kept], ...update[name]]};
      }
    }
    return next;
  }
  return run;
}

/** The best papers with their moves. @param {Best[]} before @param {any[]} papers @returns {Best[]} */
const risen = (before, papers) => papers.map((item, place) => {
  const was = before.find((one) => one.paper.id === item.paper.id);
  return {...item, rank: place + 1, move: was ? was.rank - place - 1 : before.length ? null : 0};
});

/** Wait for the end of a run and return it. @param {string} thread @param {(data: any) => void} [tell] @returns {Promise<Run>} */
export async function ended(thread, tell) {
  let run = await read(thread);
  while (run.status === "working") {
    for await (const {data} of api.follow(thread, run.stream, new AbortController().signal)) tell?.(data);
    run = await read(thread);
  }
  return run;
}

/**
 * Follow a thread for as long as it is shown.
 * @param {string} thread
 * @returns {[Run, () => void]} the run, and what reads it anew
 */
export function useRun(thread) {
  const [run, setRun] = useState(empty(thread));
  const [times, setTimes] = useState(0);
  // How much of a stream was taken in already: it is told from its beginning each time.
  const heard = useRef(/** @type {{stream: string, events: number}} */ ({stream: "", events: 0}));
  useEffect(() => {
    const stop = new AbortController();
    const watch = async () => {
      let now = await read(thread);
      if (stop.signal.aborted) return;
      setRun((/** @type {Run} */ before) => (before.thread === thread && before.stages.length ? watched(before, now) : {...now, stages: now.status === "working" ? [] : remembered(thread)}));
      while (now.status === "working" && !stop.signal.aborted) {
        if (heard.current.stream !== now.stream) heard.current = {stream: now.stream, events: 0};
        let number = 0;
        for await (const told of api.follow(thread, now.stream, stop.signal)) {
          number += 1;
          if (number <= heard.current.events) continue;
          heard.current.events = number;
          setRun((/** @type {Run} */ before) => taken(before, told));
        }
        if (stop.signal.aborted) return;
        now = await read(thread);
        if (now.status === "working") await new Promise((resolve) => setTimeout(resolve, 500));
        else setRun((/** @type {Run} */ before) => {
          sessionStorage.setItem(timesOf(thread), JSON.stringify(before.stages));
          return watched(before, now);
        });
      }
    };
    watch().catch((error) => {
      if (!stop.signal.aborted) setRun({...empty(thread), status: "failed", problem: error.message});
    });
    return () => stop.abort();
  }, [thread, times]);
  return [run, useCallback(() => setTimes((/** @type {number} */ n) => n + 1), [])];
}

/**
 * Answer the question that is shown, and no other.
 * @param {Run} run @param {{action: string, text: string}} answer
 */
export const answer = (run, answer) => change(run, "answer", {asked: run.asked, answer});

/**
 * Resume a run, cancel it, or let it finish now with what it has.
 * @param {Run} run @param {"answer" | "resume" | "cancel" | "finish"} verb @param {object} [given]
 */
export const change = (run, verb, given = {}) => api.post(`/citeloom/runs/${run.thread}/${verb}`, given);
