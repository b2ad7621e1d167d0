// @ts-check
/** @typedef {{ name: string, labels: Record<string, string>, value: number }} Sample */

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+-?\d+)?\s*$/;
const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"\s*,?\s*/y;

/**
 * Reads the text format of Prometheus (0.0.4). Returns its samples in order. Comments, and lines that are no sample, are
 * left out.
 *
 * @param {string} text
 * @returns {Sample[]}
 */
export function readMetrics(text) {
  const samples = [];
  for (const each of text.split("\n")) {
    const match = each.startsWith("#") ? null : line.exec(each);
    const labels = match && labelsOf(match[2] ?? "");
    if (!labels) continue;
    const value = numberOf(match[3]);
    if (value !== null) samples.push({ name: match[1], labels, value });
  }
  return samples;
}

/**
 * Returns the labels of a sample by name, or null if the text is malformed.
 *
 * @param {string} text
 */
function labelsOf(text) {
  /** @type {Record<string, string>} */
  const labels = {};
  label.lastIndex = 0;
  while (label.lastIndex < text.length) {
    const match = label.exec(text);
    if (!match) return null;
    labels[match[1]] = match[2].replace(/\\(.)/g, (_, letter) => (letter === "n" ? "\n" : letter));
  }
  return labels;
}

/** Returns the number of a sample's text, or null if it is none. */
function numberOf(text) {
  const special = { "+Inf": Infinity, "-Inf": -Infinity, Inf: Infinity, NaN: Number.NaN };
  if (text in special) return special[text];
  const value = Number(text);
  return Number.isNaN(value) ? null : value;
}

/** The samples of one answer of `/metrics`, to be asked by name and labels. */
export class Metrics {
  #byName = new Map();

  /** @param {Sample[]} samples */
  constructor(samples) {
    for (const sample of samples) {
      if (!this.#byName.has(sample.name)) this.#byName.set(sample.name, []);
      this.#byName.get(sample.name).push(sample);
    }
  }

  /**
   * Returns the samples of a name that have all of these labels.
   *
   * @param {string} name
   * @param {Record<string, string>} [labels]
   * @returns {Sample[]}
   */
  all(name, labels = {}) {
    const wanted = Object.entries(labels);
    return (this.#byName.get(name) ?? []).filter((sample) => wanted.every(([key, value]) => sample.labels[key] === value));
  }

  /**
   * Returns the sum of the samples of a name that have all of these labels, or null if there are none.
   *
   * @param {string} name
   * @param {Record<string, string>} [labels]
   */
  sum(name, labels = {}) {
    const found = this.all(name, labels);
    return found.length === 0 ? null : found.reduce((total, { value }) => total + value, 0);
  }
}
