// A run as the page sees it: what its thread has, and what its stream tells while it works.
// @ts-check
import * as api from "./api.js";
import {useCallback, useEffect, useState} from "./vendor/preact.js";

/**
 * @typedef {"loading" | "working" | "input_required" | "completed" | "failed" | "cancelled"} Status
 * @typedef {{
 *   thread: string, graph: string, title: string, parent: string, status: Status, values: any, question: any, asked: string | null,
 *   stages: {stage: string, title: string, done: number, total: number, note: string}[], cards: any[], queries: any[],
 *   problem: string, settings: Record<string, unknown>, stream: string, searched: any, can_resume: boolean, started: string, updated: string,
 * }} Run
 */

/** @param {string} thread @returns {Run} */
const empty = (thread) => ({
  thread, graph: "", title: "", parent: "", status: "loading", values: {}, question: null, asked: null, stages: [],
  cards: [], queries: [], problem: "", settings: {}, stream: "", searched: {}, can_resume: false, started: "", updated: "",
});

/**
 * Read a run as it stands.
 * @param {string} thread
 * @returns {Promise<Run>}
 */
export async function read(thread) {
  const run = await api.get(`/citeloom/runs/${thread}`);
  return {...empty(thread), ...run, cards: run.values.cards ?? [], queries: run.values.queries ?? []};
}

/**
 * Take in what a stream tells.
 * @param {Run} run
 * @param {{event: string, data: any}} told
 * @returns {Run}
 */
export function taken(run, {event, data}) {
  if (event.startsWith("custom") && data?.stage) {
    const others = run.stages.filter((item) => item.stage !== data.stage);
    return {...run, stages: [...others, {note: "", title: data.stage, ...data}]};
  }
  if (event.startsWith("updates") && data) {
    let next = run;
    for (const update of Object.values(data)) {
      if (Array.isArray(update?.cards)) next = {...next, cards: update.cards};
      if (Array.isArray(update?.queries)) next = {...next, queries: update.queries};
    }
    return next;
  }
  return run;
}

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
  useEffect(() => {
    const stop = new AbortController();
    const watch = async () => {
      let now = await read(thread);
      if (stop.signal.aborted) return;
      setRun((/** @type {Run} */ before) => (before.thread === thread && now.status === "working"
        ? {...now, stages: before.stages, cards: before.cards, queries: before.queries} : now));
      while (now.status === "working" && !stop.signal.aborted) {
        for await (const told of api.follow(thread, now.stream, stop.signal)) {
          setRun((/** @type {Run} */ before) => taken(before, told));
        }
        if (stop.signal.aborted) return;
        now = await read(thread);
        if (now.status === "working") await new Promise((resolve) => setTimeout(resolve, 500));
        else setRun((/** @type {Run} */ before) => ({...now, stages: before.stages}));
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
