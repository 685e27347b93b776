// What changed between two texts, word by word.
// @ts-check

/**
 * @param {string} before
 * @param {string} after
 * @returns {{text: string, kind: "same" | "gone" | "new"}[]}
 */
export function difference(before, after) {
  const a = before.split(/(?<=\s)/), b = after.split(/(?<=\s)/);
  // The longest common subsequence; texts here have some hundred words.
  const long = Array.from({length: a.length + 1}, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      long[i][j] = a[i].trim() === b[j].trim() ? long[i + 1][j + 1] + 1 : Math.max(long[i + 1][j], long[i][j + 1]);
    }
  }
  /** @type {{text: string, kind: "same" | "gone" | "new"}[]} */
  const found = [];
  const put = (/** @type {string} */ text, /** @type {"same" | "gone" | "new"} */ kind) => {
    const last = found.at(-1);
    if (last?.kind === kind) last.text += text;
    else found.push({text, kind});
  };
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i].trim() === b[j].trim()) {
      put(b[j], "same");
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && long[i + 1][j] >= long[i][j + 1])) put(a[i++], "gone");
    else put(b[j++], "new");
  }
  return found;
}
