// @ts-check
/** Codes of problems that only say that another problem came before (docs/reference/http.md). */
const repeated = ["upstream-down", "backing-off"];

/**
 * Returns why a layer's tiles are not available, by the last response, or null if they are. When a server pauses
 * requests to an upstream, its response no longer names the first reason. So `layer.cause` keeps that reason.
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
