// @ts-check
import { CoordinateBounds } from "../geometry/CoordinateBounds.js";
import { standardRules } from "../geometry/MapView.js";
import { ViewingAngleLimit } from "../geometry/ViewingAngleLimit.js";

/**
 * Returns the camera rules of a map's document (its entry in layers.json). A layer's document gives the rules of a map
 * without settings.
 */
export function rulesOf(document) {
  const [minZoom, maxZoom] = document.cameraZoom ?? [standardRules.minZoom, standardRules.maxZoom];
  return {
    minZoom, maxZoom, fillsViewport: document.fillViewport ?? false,
    viewingAngleLimit: document.maxTiltKnots ? new ViewingAngleLimit(document.maxTiltKnots) : ViewingAngleLimit.sdk,
    targetBounds: document.targetBounds ? CoordinateBounds.box(document.targetBounds) : null,
    isStrict: document.targetBoundsMode === "strict",
  };
}

/** Returns the insets of a map's document. */
export function paddingOf(document) {
  const [top, left, bottom, right] = document.padding ?? [0, 0, 0, 0];
  return { top, left, bottom, right };
}

/** The default background of a map in the server, and the background of an empty map on a dark page. */
const [lightGround, darkGround] = ["#e5e3df", "#15181b"];

/**
 * Returns [red, green, blue, alpha] in 0…1 of "#rrggbb" or "#rrggbbaa". Without a color, returns the default background
 * of a map. `isDark` replaces the default background by a dark one.
 */
export function backgroundOf({ background = lightGround }, isDark = false) {
  const color = background === "transparent" ? "#00000000" : background;
  const text = isDark && color === lightGround ? darkGround : color;
  const parts = text.slice(1).match(/../g) ?? [];
  const numbers = parts.map((part) => Number.parseInt(part, 16) / 255);
  return numbers.length === 4 ? numbers : [...numbers, 1];
}

/** Returns a camera from the server's JSON. */
export function cameraFrom({ lat, lng, zoom, bearing = 0, viewingAngle = 0 }) {
  return { latitude: lat, longitude: lng, zoom, bearing, viewingAngle };
}

/** Returns the insets for content beside a panel that covers `covered` points of the view's left side. */
export function aside(covered) {
  return { top: 64, left: 64 + covered, bottom: 64, right: 64 };
}

/**
 * Returns the start camera: the document's camera, otherwise the camera that shows all of its bounds in `view`, a
 * MapView, beside `covered` points of its left side.
 */
export function firstCamera(document, view, covered = 0) {
  if (document.camera) return view.normalized(cameraFrom(document.camera));
  const [west, south, east, north] = document.bounds ?? [-180, -85, 180, 85];
  if (east - west >= 360) return view.normalized({ latitude: 20, longitude: 0, zoom: 2, bearing: 0, viewingAngle: 0 });
  const camera = view.fitted(CoordinateBounds.box([west, south, east, north]), aside(covered));
  return camera.zoom < document.minzoom ? view.zoomed(camera, document.minzoom) : camera;
}
