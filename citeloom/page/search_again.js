// The same search again: to see what is new since, or with a paper that it did not find.
// @ts-check
import * as api from "./api.js";

/**
 * Search again as a run did.
 * @param {import("./run.js").Run} run
 * @param {string[]} also ids of papers to take in
 * @returns {Promise<string>} the thread
 */
export function searched(run, also) {
  const {cite: _, ...input} = run.searched;
  const must = [...(input.must_include ?? []), ...also];
  // What is new is not in the answers of earlier days.
  return api.start("find", {...input, must_include: must}, {...run.settings, refresh: true}, {title: run.title, parent: run.thread});
}

/**
 * Search for what a paper of a run is about, where the run searched; what the run has seen is not new.
 * @param {import("./run.js").Run} run
 * @param {any} paper
 * @returns {Promise<string>} the thread
 */
export function around(run, paper) {
  const {library, sources, before} = run.searched.text ? run.searched : run.values.request ?? {};
  const input = {text: `# ${paper.title}\n\n${paper.abstract}`, library, sources, before};
  return api.start("find", input, run.settings, {title: paper.title, parent: run.thread});
}
