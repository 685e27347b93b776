// What a run has done so far, as the steps of a story: from its events while one watches, from its results later.
// @ts-check
import {counted, W} from "./words.js";

/** The stages of each step, in their order. @type {Record<string, string[]>} */
const STAGES = {
  read: ["read_input", "take_papers", "take_references", "take_sources", "take_columns", "generate_queries", "cut_claims", "plan_search"],
  search: ["search_source", "merge_records", "screen_papers", "expand_citations", "search_passages", "resolve_references", "resolve_works"],
  judge: ["shortlist_papers", "judge_papers", "weigh_links", "reflect_on_sufficiency", "check_retractions", "select_papers", "choose_nearest", "compare_claim"],
  cover: ["estimate_completeness"],
  fill: ["fill_rows"],
  write: ["plan_section", "read_papers", "read_stack_paper", "summarize_paragraphs", "judge_relevance", "synthesize_answer", "align_lines", "merge_references", "write"],
  check: ["full_texts", "check"],
};
/** What each graph's runs go through. @type {Record<string, string[]>} */
const STEPS = {
  review: ["read", "search", "judge", "cover", "write", "check"], find: ["read", "search", "judge", "cover"], novelty: ["read", "search", "judge", "cover"], write: ["read", "write", "check"],
  revise: ["write", "check"], verify: ["read", "search", "check"], references: ["read", "search"], synthesize: ["read", "search", "write"], table: ["read", "fill"],
};
/** The step that asks a question. @type {Record<string, string>} */
const ASKS = {cost: "read", queries: "read", papers: "judge", plan: "write", text: "check"};
/** Steps that a bar suits, and the stage that it shows. @type {Record<string, string[]>} */
const BARS = {search: ["search_source", "expand_citations", "resolve_references", "resolve_works"], judge: ["judge_papers"], fill: ["fill_rows"], write: ["read_papers", "write", "judge_relevance", "summarize_paragraphs"], check: ["full_texts", "check"]};
/** A rate says something from here on, in seconds. */
const ENOUGH = 10;

/** @typedef {{name: string, state: "ok" | "on" | "todo", seconds: number, stages: import("./run.js").Stage[], failures: any[]}} Step */

/** @param {import("./run.js").Run} run @returns {Step[]} */
export function story(run) {
  const names = STEPS[run.graph] ?? ["read", "search", "write", "check"];
  const stepOf = (/** @type {string} */ stage) => names.find((name) => STAGES[name].includes(stage));
  const last = run.stages.at(-1);
  const now = run.question ? ASKS[run.question.kind] ?? names[0] : (last && stepOf(last.stage)) ?? names[0];
  const ended = run.status === "completed", none = keptNothing(run);
  const failures = run.values.failures?.length ? run.values.failures : run.failures;
  return names.map((name) => {
    const stages = run.stages.filter((item) => STAGES[name].includes(item.stage));
    const begun = stages.length > 0 || (run.stages.length === 0 && names.indexOf(name) < names.indexOf(now));
    return {
      name, stages, seconds: stages.reduce((sum, item) => sum + item.seconds, 0),
      state: ended ? none && ["write", "check"].includes(name) ? "todo" : "ok" : name === now ? "on" : begun ? "ok" : "todo",
      failures: failures.filter((/** @type {any} */ item) => (stepOf(item.stage) ?? names.at(-1)) === name),
    };
  });
}

/** Whether a search ended without a paper. @param {import("./run.js").Run} run */
export const keptNothing = (run) => run.status === "completed" && run.values.stop?.stage === "select_papers" && !run.values.counts?.included;

/** The stage whose count tells how far a step is. @param {Step} step */
export const counting = (step) => BARS[step.name]?.map((stage) => step.stages.find((item) => item.stage === stage)).filter((item) => item && item.total > 1).at(-1);

/** Whether a run works without a model; until it says so itself, as the server does. @param {import("./run.js").Run} run @param {boolean | null} model */
export const isPlain = (run, model) => (run.values.mind ? run.values.mind === "extractive" : model === false);

/**
 * What the page calls a step: what it does depends on the graph, and on whether there is a model.
 * @template {"names" | "todo" | "on" | "ok"} K
 * @param {K} kind @param {string} name @param {import("./run.js").Run} run @param {boolean | null} model @returns {(typeof W.story)[K]["judge"]}
 */
export function stepWords(kind, name, run, model) {
  const words = /** @type {any} */ (W.story);
  if (name === "search" && ["verify", "references", "synthesize"].includes(run.graph)) return words.lookUp[kind].search;
  const other = run.graph === "synthesize" ? words.synthesis : isPlain(run, model) ? words.plain : {};
  return other[kind]?.[name] ?? words[kind][name];
}

/** Seconds that a stage still needs, where its pace is known. @param {import("./run.js").Stage | undefined} stage */
export function left(stage) {
  if (!stage?.done || stage.done >= stage.total) return 0;
  const took = stage.at - stage.from;
  return took < ENOUGH ? 0 : (took / stage.done) * (stage.total - stage.done);
}

/** What each source gave: records and searches, or why nothing. @param {import("./run.js").Run} run @param {any[]} failures */
export function given(run, failures) {
  /** @type {Map<string, {name: string, records: number, searches: number, failed: number, cause: string, remedy: string}>} */
  const sources = new Map();
  const of = (/** @type {string} */ name) => {
    if (!sources.has(name)) sources.set(name, {name, records: 0, searches: 0, failed: 0, cause: "", remedy: ""});
    return /** @type {any} */ (sources.get(name));
  };
  for (const item of run.values.search_log?.length ? run.values.search_log : run.log) {
    const source = of(item.source.split(":")[0]);
    source.records += item.returned;
    source.searches += 1;
  }
  for (const {stage, subject, cause, remedy} of failures) {
    if (stage === "search_source") Object.assign(of(subject.split(":")[0]), {failed: of(subject.split(":")[0]).failed + 1, cause, remedy});
  }
  return [...sources.values()];
}

/** @param {string} name @param {import("./run.js").Run} run */
export const sourceName = (name, run) => (name === "library"
  ? `${W.start.library} “${run.searched?.library ?? run.values.request?.library ?? "starter"}”` : {...W.start.sourceNames, ...W.start.moreSources}[/** @type {"openalex"} */ (name)] ?? name);

/** Papers found, judged and relevant ones, as far as they are known. @param {import("./run.js").Run} run @param {boolean} [plain] @returns {[string, number][]} */
export function funnel(run, plain = false) {
  const counts = run.values.counts ?? {};
  const at = (/** @type {string} */ stage) => run.stages.find((item) => item.stage === stage)?.done ?? 0;
  const numbers = {
    papers: counts.screened ?? at("merge_records"), judged: counts.assessed ?? at("weigh_links"),
    relevant: counts.included !== undefined ? counts.included : run.relevant,
  };
  return [[W.story.papers, numbers.papers], [plain ? W.story.ranked : W.story.judged, numbers.judged],
    [counts.included !== undefined ? W.story.kept : W.story.relevant, numbers.relevant]];
}

/** The line that a finished step folds into. @param {Step} step @param {import("./run.js").Run} run @param {boolean} [plain] @returns {string} */
export function gist(step, run, plain = false) {
  const {values} = run;
  const note = (/** @type {string} */ stage) => step.stages.find((item) => item.stage === stage)?.note ?? "";
  // The themes of an annotated list are no sentences of it.
  const sentences = (values.sentences ?? []).filter((/** @type {any} */ item) => !plain || item.citations.length);
  const kept = (values.papers ?? []).filter((/** @type {any} */ item) => item.selected).length;
  /** @type {Record<string, string>} */
  const told = {
    judge: kept || keptNothing(run) ? `${counted(kept, "paper")} ${W.run.kept}, ${values.counts?.assessed ?? 0} ${plain ? W.story.ranked.toLowerCase() : W.run.counts.assessed}` : note("select_papers"),
    cover: values.completeness?.told || note("estimate_completeness"),
    write: sentences.length ? `${counted(sentences.length, "sentence")}, ${counted(values.references?.length ?? 0, "paper")} ${W.run.cited}` : note("plan_section"),
    check: values.audit?.citations ? `${values.audit.supported} ${W.story.of} ${counted(values.audit.citations, "citation")} ${W.story.supported}` : "",
  };
  return told[step.name] ?? step.stages.at(-1)?.note ?? "";
}
