// @ts-check
/**
 * Texts as they stand inside a string of each language, without its quotation marks: what could end the string or begin an
 * expression in it is escaped. They have no line breaks and no control characters (`oneLine`).
 */

const escaped = (pattern) => (text) => text.replace(pattern, "\\$&");

/** Between quotation marks. A string is not to end the script of a page that it is copied into. */
export const inScript = (text) => escaped(/[\\"]/g)(text).replaceAll("</", "<\\/");
/** Between backticks. */
export const inTemplate = (text) => escaped(/[\\`]|\$(?=\{)/g)(text).replaceAll("</", "<\\/");
export const inSwift = escaped(/[\\"]/g);
export const inObjectiveC = escaped(/[\\"]/g);
/** In the format of `stringWithFormat:`. */
export const inFormat = (text) => inObjectiveC(text).replaceAll("%", "%%");
export const inKotlin = escaped(/[\\"$]/g);
/** Between single quotation marks, like all strings of Dart here. */
export const inDart = escaped(/[\\'$]/g);
export const inPython = escaped(/[\\"]/g);
/** Between single quotation marks, where a shell knows no escapes. */
export const inShell = (text) => text.replaceAll("'", "'\\''");

const references = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** In text and in attributes of XML and HTML. */
export const inMarkup = (text) => text.replace(/[&<>"']/g, (found) => references[found]);

/** A text as one line, without what would show it in another order than it is read in. */
export function oneLine(text) {
  return text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, " ").replace(/\p{Bidi_Control}/gu, "").trim();
}
