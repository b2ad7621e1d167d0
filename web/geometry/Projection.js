// @ts-check
import { CameraError } from "./CameraError.js";
import { project, unprojectWrapped, worldSize } from "./mercator.js";
import { direction, wrapLongitude, wrapToHalfWorld } from "./numbers.js";

/**
 * How one camera sees the world: where on the screen a place is, and which place a point of the screen shows.
 *
 * A snapshot that does not follow the camera. The camera hangs above the target, 1.5 times the view's height away, so that
 * its vertical field of view is 2 · atan(1/3) (docs/spec/model.md 9.1, Q4). Points and offsets are {x, y}.
 */
export class Projection {
  /** `camera` is normalized; `viewport` a Viewport. */
  constructor(camera, viewport) {
    this.camera = camera;
    this.viewport = viewport;
    this.target = project(camera);
    this.worldSize = worldSize(camera.zoom);
    this.distance = 1.5 * viewport.height;
    this.center = viewport.center;
    this.bearing = direction(camera.bearing);
    this.tilt = direction(camera.viewingAngle);
  }

  /** The ground at an offset from the target in worlds: points to the right and downwards of it before the tilt. */
  groundAt(offset) {
    const [east, south] = [offset.x * this.worldSize, offset.y * this.worldSize];
    return {
      right: east * this.bearing.cosine + south * this.bearing.sine,
      down: south * this.bearing.cosine - east * this.bearing.sine,
    };
  }

  /** Points along the line of sight to ground `down` points towards the viewer; what is not above 0 lies behind the camera. */
  depth(down) {
    return this.distance - down * this.tilt.sine;
  }

  /** Where ground at an offset from the target in worlds is seen; null behind the camera. */
  pointAt(offset) {
    const { right, down } = this.groundAt(offset);
    const depth = this.depth(down);
    if (!(depth > 0)) return null;
    const x = this.center.x + (right * this.distance) / depth;
    const y = this.center.y + (down * this.tilt.cosine * this.distance) / depth;
    return Number.isFinite(x) && Number.isFinite(y) ? { x, y } : null;
  }

  /** Where the copy of a coordinate nearest to the target is seen, perhaps outside the view; null behind the camera. */
  pointFor({ latitude, longitude }) {
    const place = project({ latitude, longitude: wrapLongitude(longitude) });
    return this.pointAt({ x: wrapToHalfWorld(place.x - this.target.x), y: place.y - this.target.y });
  }

  /** The ground seen at a point, from the target, in worlds: perhaps off the world; null above the horizon. */
  offsetAt(point) {
    const [across, along] = [point.x - this.center.x, point.y - this.center.y];
    const nearness = this.distance * this.tilt.cosine + along * this.tilt.sine;
    if (!(nearness > 0)) return null;
    const right = (across * ((this.distance * this.tilt.cosine) / nearness)) / this.worldSize;
    const down = (along * (this.distance / nearness)) / this.worldSize;
    return {
      x: right * this.bearing.cosine - down * this.bearing.sine,
      y: right * this.bearing.sine + down * this.bearing.cosine,
    };
  }

  /** The place in the world seen at a point, in whichever copy; null above the horizon. */
  worldPointAt(point) {
    const offset = this.offsetAt(point);
    return offset && { x: this.target.x + offset.x, y: this.target.y + offset.y };
  }

  /** The coordinate seen at a point; its longitude is in [-180, 180), its latitude clamped to the world. */
  coordinateAt(point) {
    const world = this.worldPointAt(point);
    if (!world) throw new CameraError("aboveHorizon");
    return unprojectWrapped(world);
  }

  /** The coordinates at the four corners within the padding: nearLeft, nearRight, farLeft, farRight. */
  get visibleRegion() {
    const { width, height, padding } = this.viewport;
    const [left, right, top, bottom] = [padding.left, width - padding.right, padding.top, height - padding.bottom];
    return {
      nearLeft: this.coordinateAt({ x: left, y: bottom }), nearRight: this.coordinateAt({ x: right, y: bottom }),
      farLeft: this.coordinateAt({ x: left, y: top }), farRight: this.coordinateAt({ x: right, y: top }),
    };
  }
}
