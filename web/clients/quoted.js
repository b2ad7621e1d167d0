// @ts-check
/**
 * Functions that escape a text for a string of each language, without its quotation marks. They escape everything that
 * could end the string or begin an expression in it. The texts must have no line breaks and no control characters
 * (`oneLine`).
 */

const escaped = (pattern) => (text) => text.replace(pattern, "\\$&");

/** For a string between quotation marks. The text must not end the script of a page that contains it. */
export const inScript = (text) => escaped(/[\\"]/g)(text).replaceAll("</", "<\\/");
/** For a string between backticks. */
export const inTemplate = (text) => escaped(/[\\`]|\$(?=\{)/g)(text).replaceAll("</", "<\\/");
export const inSwift = escaped(/[\\"]/g);
export const inObjectiveC = escaped(/[\\"]/g);
/** For the format of `stringWithFormat:`. */
export const inFormat = (text) => inObjectiveC(text).replaceAll("%", "%%");
export const inKotlin = escaped(/[\\"$]/g);
/** For a string between single quotation marks, like all strings of Dart here. */
export const inDart = escaped(/[\\'$]/g);
export const inPython = escaped(/[\\"]/g);
/** For a string between double quotation marks. */
export const inYAML = escaped(/[\\"]/g);
/**
 * Returns a JSON string, with quotation marks, for a value between backticks in an INI file of Grafana, which replaces
 * `$__env{…}`, `${…}` and `%(…)s` in values.
 */
export const inRawINI = (text) =>
  JSON.stringify(text).replace(/[`$%]/g, (found) => `\\u00${found.charCodeAt(0).toString(16)}`);
/** For a string between single quotation marks, in which a shell knows no escapes. */
export const inShell = (text) => text.replaceAll("'", "'\\''");

const references = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** For text and attributes of XML and HTML. */
export const inMarkup = (text) => text.replace(/[&<>"']/g, (found) => references[found]);

/** Returns a text as one line, without characters that change the direction of reading. */
export function oneLine(text) {
  return text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, " ").replace(/\p{Bidi_Control}/gu, "").trim();
}
