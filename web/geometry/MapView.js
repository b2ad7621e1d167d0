// @ts-check
import { CameraError } from "./CameraError.js";
import { Projection } from "./Projection.js";
import { ViewingAngleLimit } from "./ViewingAngleLimit.js";
import { project, tilePoints, unprojectWrapped, worldSize } from "./mercator.js";
import { noInsets } from "./Viewport.js";
import { clamp, modulo, wrapLongitude } from "./numbers.js";

/** The latitudes a camera may look at are within ± this, in degrees. */
export const cameraLatitude = 85;

/** What a map allows that says nothing: zooms 0…21, the SDK's viewing angles, all the world. */
export const standardRules = Object.freeze({
  minZoom: 0, maxZoom: 21, fillsViewport: false, viewingAngleLimit: ViewingAngleLimit.sdk,
  targetBounds: null, isStrict: false,
});

/**
 * A map as one caller sees it: what it allows its camera, the rectangle it is seen in, and what updates make of a camera
 * (docs/spec/model.md 5 to 7). A value: nothing here changes it.
 *
 * A camera is {latitude, longitude, zoom, bearing, viewingAngle}, in degrees. `rules` are like `standardRules`;
 * `targetBounds` is a CoordinateBounds, which holds every camera where `isStrict`, else those that gestures lead to.
 */
export class MapView {
  constructor(rules, viewport) {
    this.rules = rules;
    this.viewport = viewport;
  }

  /** The farthest zoom in effect, at which the world is at least as tall as the view where the map fills it. */
  get minZoom() {
    const { minZoom, maxZoom, fillsViewport } = this.rules;
    if (!fillsViewport) return minZoom;
    return Math.min(Math.max(minZoom, Math.log2(this.viewport.height / tilePoints)), maxZoom);
  }

  get maxZoom() {
    return this.rules.maxZoom;
  }

  /** The camera that the map shows when it is asked for `camera`: clamped and wrapped in the order of 5.1. */
  normalized(camera, { afterGesture = false } = {}) {
    const zoom = clamp(camera.zoom, this.minZoom, this.maxZoom);
    const resolved = {
      latitude: clamp(camera.latitude, -cameraLatitude, cameraLatitude),
      longitude: wrapLongitude(camera.longitude), zoom,
      bearing: modulo(camera.bearing ?? 0, 360),
      viewingAngle: clamp(camera.viewingAngle ?? 0, 0, this.rules.viewingAngleLimit.angleAt(zoom)),
    };
    const { targetBounds, isStrict } = this.rules;
    if (!targetBounds || !(isStrict || afterGesture)) return resolved;
    const [south, north] = [targetBounds.south, targetBounds.north].map((edge) =>
      clamp(edge, -cameraLatitude, cameraLatitude));
    resolved.latitude = clamp(resolved.latitude, south, north);
    resolved.longitude = targetBounds.longitudes.nearest(resolved.longitude);
    return resolved;
  }

  /** How a camera sees the world in this view. */
  projection(camera) {
    return new Projection(this.normalized(camera), this.viewport);
  }

  /** The camera over what is seen `x` points to the right of the middle and `y` below it: the SDK's scrollBy. */
  scrolled(camera, x, y) {
    const projection = this.projection(camera);
    const target = projection.coordinateAt({ x: projection.center.x + x, y: projection.center.y + y });
    return this.normalized({ ...projection.camera, ...target }, { afterGesture: true });
  }

  /** The camera at another zoom. */
  zoomed(camera, zoom) {
    return this.normalized({ ...this.normalized(camera), zoom }, { afterGesture: true });
  }

  /** The camera `delta` zooms closer that sees at `point` what was seen there: the SDK's zoomBy:atPoint:. */
  zoomedAt(camera, delta, point) {
    const start = this.normalized(camera);
    return this.changedAt(start, { zoom: start.zoom + delta }, point);
  }

  /** The camera with `changes` that sees at `point` what was seen at `from` before; throws above the horizon. */
  changedAt(camera, changes, point, from = point) {
    const before = this.projection(camera);
    const wanted = { ...before.camera, ...changes };
    const after = this.projection(wanted);
    const [world, offset] = [before.worldPointAt(from), after.offsetAt(point)];
    if (!world || !offset) throw new CameraError("aboveHorizon");
    const target = unprojectWrapped({ x: world.x - offset.x, y: world.y - offset.y });
    return this.normalized({ ...wanted, ...target }, { afterGesture: true });
  }

  /**
   * The camera that shows all of `bounds` within `insets` of the view and its padding, as close as can be, north up and
   * straight down (docs/spec/model.md 7.2). Where insets leave nothing, the farthest camera over the middle.
   */
  fitted(bounds, insets = noInsets) {
    const { width, height, padding } = this.viewport;
    const northWest = project({ latitude: bounds.north, longitude: bounds.longitudes.west });
    const spanX = bounds.longitudes.width / 360;
    const spanY = project({ latitude: bounds.south, longitude: 0 }).y - northWest.y;
    const center = { x: northWest.x + spanX / 2, y: northWest.y + spanY / 2 };
    const across = width - insets.left - insets.right - padding.left - padding.right;
    const down = height - insets.top - insets.bottom - padding.top - padding.bottom;
    if (across <= 0 || down <= 0) return this.normalized(over(center, this.minZoom));
    const fitting = (points, span) => (span > 0 ? Math.log2(points / (tilePoints * span)) : Infinity);
    const zoom = clamp(Math.min(fitting(across, spanX), fitting(down, spanY)), this.minZoom, this.maxZoom);
    // The view's padding moves the middle already.
    center.x -= (insets.left - insets.right) / 2 / worldSize(zoom);
    center.y -= (insets.top - insets.bottom) / 2 / worldSize(zoom);
    return this.normalized(over(center, zoom));
  }
}

function over(point, zoom) {
  return { ...unprojectWrapped(point), zoom, bearing: 0, viewingAngle: 0 };
}
