// @ts-check
/** Units of times, the longest first: their texts and their seconds. */
const units = /** @type {const} */ ([["d", 86_400], ["h", 3600], ["min", 60]]);

/** A space at which no line breaks, between a number and its unit. */
const space = "\u00a0";

const sizes = ["B", "KiB", "MiB", "GiB", "TiB"];

/**
 * Numbers and times for people to read, in the form of the reader's language. The words around them stay English.
 * Code, URLs and inputs use plain numbers with a dot instead.
 */
export class LocalText {
  #locale;
  #timeZone;
  #formats = new Map();

  /**
   * Both parts default to the browser's.
   *
   * @param {string} [locale]
   * @param {string} [timeZone]
   */
  constructor(locale = globalThis.navigator?.language, timeZone = undefined) {
    [this.#locale, this.#timeZone] = [locale, timeZone];
  }

  /** Returns a number with at most `digits` decimals. */
  number(value, digits = 0) {
    return this.#numbers({ maximumFractionDigits: digits }).format(value);
  }

  /** Returns a number of bytes, such as "4.1 KiB". */
  size(bytes) {
    const power = Math.min(Math.max(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), 0), sizes.length - 1);
    const value = bytes / 1024 ** power;
    return `${this.number(value, power === 0 || value >= 99.95 ? 0 : 1)}${space}${sizes[power]}`;
  }

  /** Returns a time such as "5 min". */
  duration(seconds) {
    const [unit, length] = units.find(([, least]) => seconds >= 2 * least) ?? /** @type {const} */ (["s", 1]);
    return `${this.number(seconds / length)}${space}${unit}`;
  }

  /** Returns a part of one, in percent. */
  percent(part, digits = 0) {
    return this.#numbers({ style: "percent", maximumFractionDigits: digits }).format(part);
  }

  /**
   * Returns a moment, with its date unless it lies on the day of `now`. Both are milliseconds since 1970.
   *
   * @param {number} time
   * @param {number} [now]
   * @param {"short" | "medium"} [timeStyle] without and with seconds
   */
  moment(time, now = Date.now(), timeStyle = "medium") {
    const day = this.#times({ dateStyle: "medium" });
    const clock = this.#times({ timeStyle }).format(time);
    return day.format(time) === day.format(now) ? clock : `${day.format(time)}, ${clock}`;
  }

  /** @param {Intl.NumberFormatOptions} options */
  #numbers(options) {
    return this.#format(`n${JSON.stringify(options)}`, () => new Intl.NumberFormat(this.#locale, options));
  }

  /** @param {Intl.DateTimeFormatOptions} options */
  #times(options) {
    const make = () => new Intl.DateTimeFormat(this.#locale, { ...options, timeZone: this.#timeZone });
    return this.#format(`t${JSON.stringify(options)}`, make);
  }

  /**
   * Making a format is slow, so each is made once.
   *
   * @template Format
   * @param {string} key
   * @param {() => Format} make
   * @returns {Format}
   */
  #format(key, make) {
    if (!this.#formats.has(key)) this.#formats.set(key, make());
    return this.#formats.get(key);
  }
}

/** The texts of the browser's language. */
export const local = new LocalText();
