// @ts-check
import { CoordinateBounds } from "../geometry/CoordinateBounds.js";
import { firstCamera } from "./mapRules.js";

/** @typedef {"zoom" | "bounds"} Absence */

/**
 * Returns why a view has no tiles of a layer, from the view's plan of the layer. "zoom": the view is too far away.
 * "bounds": the view is beside the layer. Null if the view has tiles.
 *
 * @param {{ rule: object | null, tiles: object[] }} plan
 * @returns {Absence | null}
 */
export function absenceOf(plan) {
  if (plan.rule === null) return "zoom";
  return plan.tiles.length === 0 ? "bounds" : null;
}

/** Says in a sentence why a view has no tiles of a layer. */
export function absenceText(absence, { minzoom }) {
  return absence === "zoom" ? `Not here: the layer begins at zoom ${minzoom}.` : "Not here: the layer covers another area.";
}

/**
 * Returns the nearest useful camera that shows tiles of a layer. If only the zoom is too low and the target lies in the
 * layer, the target stays. `scale` is the screen's pixels a point, and `covered` is as for `firstCamera`.
 */
export function cameraToward({ document, kind }, camera, view, { scale, covered }) {
  const least = kind.minZoom - Math.log2((256 * scale) / kind.tileSize);
  const box = document.bounds ? CoordinateBounds.box(document.bounds) : null;
  if (!box || box.contains(camera)) return view.normalized({ ...camera, zoom: Math.max(camera.zoom, least) });
  const end = firstCamera({ bounds: document.bounds, minzoom: least }, view, covered);
  return view.normalized({ ...end, zoom: Math.max(end.zoom, least) });
}
