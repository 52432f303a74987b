/** Longest names that are compared letter by letter. */
const comparedLength = 64;

/** The one of `names` most likely meant by `name`, compared by `keyOf`; undefined if none is close. */
export function nearestName(
  name: string,
  names: readonly string[],
  keyOf: (name: string) => string = (word) => word.toLowerCase(),
): string | undefined {
  const key = keyOf(name).slice(0, comparedLength);
  let nearest: string | undefined;
  let least = Math.ceil(key.length / 3) + 1;
  for (const candidate of names) {
    const distance = editDistance(key, keyOf(candidate));
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

/** Leading letters that identify a word with another ending: FAILED and FAILURE. */
const stemLength = 4;

/** As `nearestName`, for words: also finds a word with another ending, if only one of `words` starts the same. */
export function nearestWord(word: string, words: readonly string[]): string | undefined {
  const stem = word.slice(0, stemLength).toLowerCase();
  const [alike, ...others] = words.filter((one) => one.toLowerCase().startsWith(stem));
  const isKnown = stem.length === stemLength && others.length === 0;
  return nearestName(word, words) ?? (isKnown ? alike : undefined);
}

/** The number of letters to insert, delete, replace or swap with the next one to turn `one` into `other`. */
function editDistance(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, column) => column);
  let twoAbove = above;
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = (above[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1);
      const changed = Math.min((above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const swapped = row > 1 && column > 1 && isSwapped ? (twoAbove[column - 2] ?? 0) + 1 : replaced;
      current.push(Math.min(replaced, changed, swapped));
    }
    twoAbove = above;
    above = current;
  }
  return above[other.length] ?? 0;
}
