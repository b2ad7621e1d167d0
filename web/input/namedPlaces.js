// @ts-check
/** @typedef {import("./placeText.js").Place} Place */
/** @typedef {[name: string, latitude: number, longitude: number, zoom: number]} Row */

/** Maximum number of places that a search offers. */
const most = 5;

/** Returns a text in lower case and without accents, so that "zurich" finds "Zürich". */
function folded(text) {
  return text.normalize("NFD").replace(/\p{Mn}/gu, "").toLowerCase();
}

/**
 * Returns the places whose name begins with a text, then those with a later word that does. Both keep the order of
 * `rows`, which begins with the most important ones. `rows` is the content of places.json. A text of less than two
 * letters finds nothing.
 *
 * @param {Row[]} rows
 * @param {string} text
 * @returns {Place[]}
 */
export function placesNamed(rows, text) {
  const wanted = folded(text.trim());
  if (wanted.length < 2) return [];
  const [first, later] = [[], []];
  for (const row of rows) {
    const name = folded(row[0]);
    if (name.startsWith(wanted)) first.push(row);
    else if (name.includes(` ${wanted}`) || name.includes(`-${wanted}`)) later.push(row);
    if (first.length === most) break;
  }
  return [...first, ...later].slice(0, most)
    .map(([name, latitude, longitude, zoom]) => ({ label: name, latitude, longitude, zoom }));
}
