// @ts-check
/** Origins of tiles in the order of the legend: the name, the class and the label of each. */
export const origins = [
  { id: "memory", name: "Memory", color: "#2e9e5b" },
  { id: "disk", name: "Disk", color: "#2f7fd3" },
  { id: "fetched", name: "Fetched or drawn", color: "#e08a1e" },
  { id: "stale", name: "Stale", color: "#c2a500" },
  { id: "none", name: "No tile", color: "#808890" },
  { id: "failed", name: "Not available", color: "#d23b3b" },
];

/** Details of `fwd=stale` with which the server serves the stale tile. With other details the tile is a new one. */
const staleDetails = ["error", "offline", "back-off"];

/** Returns the origin of a tile's response (docs/reference/http.md), or null without a response. */
export function originOf(tile) {
  const { answer, kind } = tile;
  if (!answer) return null;
  if (kind === "failed" || kind === "refused" || answer.status >= 400 || answer.status === 0) return byId("failed");
  if (kind === "none") return byId("none");
  const { fwd, isHit, detail, ttl } = parsed(answer.cacheStatus);
  const isKept = fwd === "stale" && staleDetails.includes(detail);
  if (answer.tileStatus === "stale" || isKept || ttl < 0) return byId("stale");
  if (isHit) return byId(detail === "disk" ? "disk" : "memory");
  return byId("fetched");
}

function byId(id) {
  return origins.find((origin) => origin.id === id);
}

/** Returns the parameters of `Cache-Status: tileserver; …` (RFC 9211). */
export function parsed(text) {
  const parameters = (text ?? "").split(",")[0].split(";").slice(1).map((part) => part.trim().split("="));
  const { fwd = null, detail = null, ttl, ...others } = Object.fromEntries(parameters.filter(([name]) => name));
  return { fwd, detail, ttl: ttl === undefined ? null : Number(ttl), isHit: "hit" in others, isCollapsed: "collapsed" in others };
}
