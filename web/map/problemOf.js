// @ts-check
/** Codes of problems that only say that there was another one before (docs/http.md, Statuses). */
const repeated = ["upstream-down", "backing-off"];

/**
 * Why a layer's tiles cannot be had, by the last answer: a text, or null where they can. A server that leaves a source alone for
 * a while says so, and no longer why: the reason before that stays in `layer.cause`.
 */
export function problemOf(layer, { kind, answer }) {
  const isLost = kind === "failed" || kind === "refused" || answer.status >= 400 || answer.status === 0;
  if (!isLost) {
    layer.cause = null;
    return null;
  }
  const text = answer.title ?? `The server answers ${answer.status}.`;
  if (!repeated.includes(answer.code)) layer.cause = text;
  return layer.cause ?? text;
}
