// @ts-check
/** @typedef {{ id: string, name: string }} Named */

/**
 * Returns the layer whose id or name is most like `text`, or null if none is close. One letter in three may differ. A
 * name that begins with the text, or the other way round, is close too.
 *
 * @template {Named} Layer
 * @param {string} text
 * @param {Iterable<Layer>} layers
 * @returns {Layer | null}
 */
export function nearestLayer(text, layers) {
  const wanted = text.toLowerCase();
  let [best, least] = [/** @type {Layer | null} */ (null), Infinity];
  for (const layer of layers) {
    for (const word of [layer.id, layer.name.toLowerCase()]) {
      const steps = distance(wanted, word);
      const isClose = steps <= Math.max(1, Math.floor(Math.max(wanted.length, word.length) / 3));
      const isPart = Math.min(wanted.length, word.length) >= 3 && (word.startsWith(wanted) || wanted.startsWith(word));
      if ((isClose || isPart) && steps < least) [best, least] = [layer, steps];
    }
  }
  return best;
}

/** Returns how many letters must be added, removed, replaced, or exchanged with their neighbour to make one word the other. */
function distance(first, second) {
  const rows = [Array.from({ length: second.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= first.length; row += 1) {
    const [above, line] = [rows[row - 1], [row]];
    for (let at = 1; at <= second.length; at += 1) {
      const isSame = first[row - 1] === second[at - 1];
      line[at] = Math.min(above[at] + 1, line[at - 1] + 1, above[at - 1] + (isSame ? 0 : 1));
      const isExchanged = row > 1 && at > 1 && first[row - 1] === second[at - 2] && first[row - 2] === second[at - 1];
      if (isExchanged) line[at] = Math.min(line[at], rows[row - 2][at - 2] + 1);
    }
    rows.push(line);
  }
  return rows[first.length][second.length];
}

/**
 * Returns the layers of an address that the server does not have: their ids in a sentence, and the layers that the user
 * perhaps means. Returns null if the server has all layers.
 *
 * @template {Named} Layer
 * @param {string[]} ids
 * @param {Map<string, Layer>} entries
 */
export function unknownLayers(ids, entries) {
  const unknown = [...new Set(ids)].filter((id) => !entries.has(id));
  if (unknown.length === 0) return null;
  const near = [...new Set(unknown.map((id) => nearestLayer(id, entries.values())).filter((layer) => layer !== null))];
  const shown = unknown.slice(0, 3).map((id) => `"${id}"`);
  const names = unknown.length > 3 ? shown.join(", ") : oneOf(shown);
  const more = unknown.length > 3 ? ` and ${unknown.length - 3} more` : "";
  const [plural, hint] = [unknown.length === 1 ? "" : "s", oneOf(near.map(({ id }) => `"${id}"`))];
  const text = `The server has no layer${plural} ${names}${more}, which the page's address names.`;
  return { text: hint ? `${text} Did you mean ${hint}?` : text, near };
}

/** Joins words as in `"a", "b" or "c"`. */
function oneOf(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
