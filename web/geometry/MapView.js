// @ts-check
import { CameraError } from "./CameraError.js";
import { Projection } from "./Projection.js";
import { ViewingAngleLimit } from "./ViewingAngleLimit.js";
import { project, tilePoints, unprojectWrapped, worldSize } from "./mercator.js";
import { noInsets } from "./Viewport.js";
import { clamp, modulo, wrapLongitude } from "./numbers.js";

/** Maximum absolute latitude of a camera's target, in degrees. */
export const cameraLatitude = 85;

/** Rules of a map whose document has none: zooms 0…21, the SDK's viewing angles, the whole world. */
export const standardRules = Object.freeze({
  minZoom: 0, maxZoom: 21, fillsViewport: false, viewingAngleLimit: ViewingAngleLimit.sdk,
  targetBounds: null, isStrict: false,
});

/**
 * A map with its rules, its view, and functions that change a camera (docs/spec/model.md 5 to 7). It is immutable.
 *
 * A camera is {latitude, longitude, zoom, bearing, viewingAngle}, in degrees. `rules` are like `standardRules`.
 * `targetBounds` is a CoordinateBounds. It limits every camera if `isStrict` is true, otherwise only the cameras of
 * gestures.
 */
export class MapView {
  constructor(rules, viewport) {
    this.rules = rules;
    this.viewport = viewport;
  }

  /** The lowest allowed zoom. If the map fills the view, the world is at least as tall as the view at this zoom. */
  get minZoom() {
    const { minZoom, maxZoom, fillsViewport } = this.rules;
    if (!fillsViewport) return minZoom;
    return Math.min(Math.max(minZoom, Math.log2(this.viewport.height / tilePoints)), maxZoom);
  }

  get maxZoom() {
    return this.rules.maxZoom;
  }

  /** Returns the camera that the map shows for `camera`: clamped and wrapped in the order of model.md 5.1. */
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

  /** Returns the projection of a camera in this view. */
  projection(camera) {
    return new Projection(this.normalized(camera), this.viewport);
  }

  /**
   * Returns the camera over the ground seen `x` points to the right of the centre and `y` points below it, like the
   * SDK's scrollBy.
   */
  scrolled(camera, x, y) {
    const projection = this.projection(camera);
    const target = projection.coordinateAt({ x: projection.center.x + x, y: projection.center.y + y });
    return this.normalized({ ...projection.camera, ...target }, { afterGesture: true });
  }

  /** Returns the camera at another zoom. */
  zoomed(camera, zoom) {
    return this.normalized({ ...this.normalized(camera), zoom }, { afterGesture: true });
  }

  /** Returns the camera `delta` zooms closer. The ground at `point` stays there, like in the SDK's zoomBy:atPoint:. */
  zoomedAt(camera, delta, point) {
    const start = this.normalized(camera);
    return this.changedAt(start, { zoom: start.zoom + delta }, point);
  }

  /**
   * Returns the camera with `changes` that sees at `point` the ground that was seen at `from`. Throws above the
   * horizon.
   */
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
   * Returns the nearest camera that shows all of `bounds` within `insets` of the view and its padding, north up and
   * straight down (docs/spec/model.md 7.2). If the insets leave no space, it returns the farthest camera over the
   * centre of the bounds.
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
    // The view's padding already moves the centre.
    center.x -= (insets.left - insets.right) / 2 / worldSize(zoom);
    center.y -= (insets.top - insets.bottom) / 2 / worldSize(zoom);
    return this.normalized(over(center, zoom));
  }
}

function over(point, zoom) {
  return { ...unprojectWrapped(point), zoom, bearing: 0, viewingAngle: 0 };
}
