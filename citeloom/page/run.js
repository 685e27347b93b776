// A run as the page sees it: what its thread has, and what its stream tells while it works.
// @ts-check
import * as api from "./api.js";
import {useCallback, useEffect, useState} from "./vendor/preact.js";

/**
 * @typedef {"loading" | "working" | "asking" | "done" | "stopped" | "failed"} Status
 * @typedef {{
 *   thread: string, graph: string, title: string, parent: string, status: Status, values: any, question: any, asked: string,
 *   stages: {stage: string, done: number, total: number, note: string}[], cards: any[], queries: any[],
 *   error: string, settings: Record<string, unknown>, run: string,
 *   searched: any,
 * }} Run
 */

/** @param {string} thread @returns {Run} */
const empty = (thread) => ({
  thread, graph: "", title: "", parent: "", status: "loading", values: {}, question: null, asked: "", stages: [],
  cards: [], queries: [], error: "", settings: {}, run: "", searched: {},
});

/**
 * Read a run as it stands.
 * @param {string} thread
 * @returns {Promise<Run>}
 */
export async function read(thread) {
  const [known, [last]] = await Promise.all([api.threadOf(thread), api.runsOf(thread)]);
  const about = known.metadata ?? {};
  const run = {
    ...empty(thread), graph: about.citeloom_graph ?? about.graph_id ?? "", title: about.title ?? "",
    parent: about.parent ?? "", settings: about.citeloom_settings ?? {}, run: last?.run_id ?? "",
    searched: about.searched ?? {},
  };
  if (known.status === "busy" || ["pending", "running"].includes(last?.status)) {
    return {...run, status: "working"};
  }
  const state = await api.stateOf(thread);
  const values = inner(state);
  const {id: asked = "", value: question = null} = (state.interrupts ?? []).at(0) ?? {};
  /** @type {Status} */
  let status = "done";
  if (about.cancelled) status = "stopped";
  else if (question) status = "asking";
  else if (["error", "timeout"].includes(last?.status)) status = "failed";
  else if (state.next?.length) status = "stopped";
  return {
    ...run, status, values, question: status === "asking" ? question : null, asked, cards: values.cards ?? [],
    queries: values.queries ?? [],
  };
}

/** What a state holds, with that of inner graphs that were stopped. @param {any} state @returns {any} */
function inner(state) {
  const tasks = (state?.tasks ?? []).map((/** @type {any} */ task) => (task.state ? inner(task.state) : {}));
  return Object.assign({}, state?.values ?? {}, ...tasks);
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
    return {...run, stages: [...others, {note: "", ...data}]};
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
    for await (const {data} of api.follow(thread, run.run, new AbortController().signal)) tell?.(data);
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
        for await (const told of api.follow(thread, now.run, stop.signal)) {
          setRun((/** @type {Run} */ before) => taken(before, told));
        }
        if (stop.signal.aborted) return;
        now = await read(thread);
        if (now.status === "working") await new Promise((resolve) => setTimeout(resolve, 500));
        else setRun((/** @type {Run} */ before) => ({...now, stages: before.stages}));
      }
    };
    watch().catch((error) => {
      if (!stop.signal.aborted) setRun({...empty(thread), status: "failed", error: error.message});
    });
    return () => stop.abort();
  }, [thread, times]);
  return [run, useCallback(() => setTimes((/** @type {number} */ n) => n + 1), [])];
}

/**
 * Answer the question that is shown, and no other.
 * @param {Run} run @param {{action: string, text: string}} answer
 */
export const answer = (run, answer) =>
  api.go(run.thread, run.graph, run.settings, {command: {resume: {[run.asked]: answer}}});

/** Let a run go on that was stopped or failed. @param {Run} run */
export async function resume(run) {
  await api.note(run.thread, {cancelled: false});
  const [state, [last]] = await Promise.all([api.stateOf(run.thread), api.runsOf(run.thread)]);
  if (state.interrupts?.length) return;
  // Before its first step what it was started with is kept with the run alone.
  const begun = Object.keys(state.values ?? {}).length > 0;
  await api.go(run.thread, run.graph, run.settings,
    begun ? {checkpoint: {}} : {input: last?.kwargs?.input ?? last?.input});
}
