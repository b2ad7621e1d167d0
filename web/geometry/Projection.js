// @ts-check
import { CameraError } from "./CameraError.js";
import { project, unprojectWrapped, worldSize } from "./mercator.js";
import { direction, wrapLongitude, wrapToHalfWorld } from "./numbers.js";

/**
 * The projection of one camera. It converts a place to a point of the screen and back.
 *
 * A projection does not follow its camera. The camera is above the target at a distance of 1.5 times the view's height,
 * so its vertical field of view is 2 · atan(1/3) (docs/spec/model.md 9.1, Q4). Points and offsets are {x, y}.
 */
export class Projection {
  /** `camera` is normalized. `viewport` is a Viewport. */
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

  /**
   * Returns the ground at an offset from the target in worlds, as points to the right and downwards before the tilt.
   */
  groundAt(offset) {
    const [east, south] = [offset.x * this.worldSize, offset.y * this.worldSize];
    return {
      right: east * this.bearing.cosine + south * this.bearing.sine,
      down: south * this.bearing.cosine - east * this.bearing.sine,
    };
  }

  /**
   * Returns the distance along the line of sight to ground `down` points towards the viewer. A value of 0 or less is
   * behind the camera.
   */
  depth(down) {
    return this.distance - down * this.tilt.sine;
  }

  /** Returns the point of the ground at an offset from the target in worlds, or null behind the camera. */
  pointAt(offset) {
    const { right, down } = this.groundAt(offset);
    const depth = this.depth(down);
    if (!(depth > 0)) return null;
    const x = this.center.x + (right * this.distance) / depth;
    const y = this.center.y + (down * this.tilt.cosine * this.distance) / depth;
    return Number.isFinite(x) && Number.isFinite(y) ? { x, y } : null;
  }

  /** Returns the point of the nearest copy of a coordinate, perhaps outside the view, or null behind the camera. */
  pointFor({ latitude, longitude }) {
    const place = project({ latitude, longitude: wrapLongitude(longitude) });
    return this.pointAt({ x: wrapToHalfWorld(place.x - this.target.x), y: place.y - this.target.y });
  }

  /**
   * Returns the ground at a point, as an offset from the target in worlds, or null above the horizon. It may be off the
   * world.
   */
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

  /** Returns the place in the world at a point, in any copy of the world, or null above the horizon. */
  worldPointAt(point) {
    const offset = this.offsetAt(point);
    return offset && { x: this.target.x + offset.x, y: this.target.y + offset.y };
  }

  /** Returns the coordinate at a point. Its longitude is in [-180, 180), and its latitude is clamped to the world. */
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
