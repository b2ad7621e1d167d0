// @ts-check
import { project, tileBounds } from "../geometry/mercator.js";
import { CoordinateBounds } from "../geometry/CoordinateBounds.js";

/** Overlaps thinner than this part of a tile count as touching only (docs/spec/model.md ruling 17). */
const touch = 1e-9;

/**
 * The tiles of one zoom that some rows of a view see, like MapRenderer's LevelCover.
 *
 * `tiles` are {z, x, y, column, row, distance}. x is within the world. `column` and `row` count from the target's tile,
 * in any copy of the world. `distance` is from the target to the tile's centre, in worlds.
 */
export class LevelCover {
  /** `target` is a world point. */
  constructor(zoom, target) {
    this.zoom = zoom;
    this.span = 2 ** zoom;
    const [x, y] = [target.x * this.span, target.y * this.span];
    this.origin = { column: Math.floor(x), row: Math.min(Math.floor(y), this.span - 1) };
    /** Where the target is in its tile, in tiles. */
    this.target = { x: x - this.origin.column, y: y - this.origin.row };
    this.tiles = [];
    /**
     * The first and the last row of the view that has tiles of this zoom.
     *
     * @type {[number, number] | null}
     */
    this.rows = null;
  }

  /**
   * Adds the tiles that overlap the convex shape with these corners, which are in worlds from the target. Tiles of each
   * copy of the world count separately. `bounds` limits the tiles, or is null. `reach` is the number of tiles by which
   * drawings may extend beyond `bounds`, 0 or 1. Returns false if there are more than `limit` tiles.
   */
  add(corners, bounds, reach, limit) {
    const shape = corners.map((corner) => ({
      x: this.target.x + corner.x * this.span, y: this.target.y + corner.y * this.span,
    }));
    const ys = shape.map((corner) => corner.y);
    const [north, south] = this.#rows(bounds, reach);
    const first = Math.floor(Math.max(Math.min(...ys) + touch, north - this.origin.row));
    const last = Math.floor(Math.min(Math.max(...ys) - touch, south + 1 - this.origin.row - 0.5));
    if (first > last) return true;
    if (last - first >= limit) return false;
    for (let row = first; row <= last; row += 1) {
      const columns = this.#columns(row, shape, limit);
      if (!columns) return false;
      for (let column = columns[0]; column <= columns[1]; column += 1) this.#add(column, row, bounds, reach);
      if (this.tiles.length > limit) return false;
    }
    return true;
  }

  #add(column, row, bounds, reach) {
    const x = (((this.origin.column + column) % this.span) + this.span) % this.span;
    const tile = { z: this.zoom, x, y: this.origin.row + row, column, row };
    if (tile.y < 0 || tile.y >= this.span) return;
    if (bounds && !bounds.intersects(boundsOf(tile, reach))) return;
    tile.distance = Math.hypot(column + 0.5 - this.target.x, row + 0.5 - this.target.y) / this.span;
    this.tiles.push(tile);
  }

  /**
   * Returns the first and last column of the shape in a row. A shape wider than the world gives all its columns.
   * Returns null beyond the limit.
   */
  #columns(row, shape, limit) {
    let [west, east] = [Infinity, -Infinity];
    shape.forEach((end, index) => {
      const start = shape[(index + shape.length - 1) % shape.length];
      const [upper, lower] = start.y <= end.y ? [start, end] : [end, start];
      if (upper.y > row + 1 || lower.y < row) return;
      for (const y of [Math.max(upper.y, row), Math.min(lower.y, row + 1)]) {
        const slope = lower.y > upper.y ? (y - upper.y) / (lower.y - upper.y) : null;
        const xs = slope === null ? [upper.x, lower.x] : [upper.x + (lower.x - upper.x) * slope];
        west = Math.min(west, ...xs);
        east = Math.max(east, ...xs);
      }
    });
    const [first, last] = [Math.floor(west + touch), Math.floor(east - touch)];
    if (first > last) return [0, -1];
    return last - first < limit ? [first, last] : null;
  }

  /** Returns the first and last row of the world in `bounds` and `reach` rows around them. */
  #rows(bounds, reach) {
    if (!bounds) return [0, this.span - 1];
    const row = (latitude) => Math.floor(project({ latitude, longitude: 0 }).y * this.span);
    return [Math.max(row(bounds.north) - reach, 0), Math.min(row(bounds.south) + reach, this.span - 1)];
  }
}

/** Returns the bounds of a tile with `reach` tiles around it. */
function boundsOf({ z, x, y }, reach) {
  const span = 2 ** z;
  if (2 * reach + 1 >= span) return CoordinateBounds.box([-180, -90, 180, 90]);
  const northWest = tileBounds({ z, x: (x - reach + span) % span, y: Math.max(y - reach, 0) });
  const southEast = tileBounds({ z, x: (x + reach) % span, y: Math.min(y + reach, span - 1) });
  return CoordinateBounds.box([northWest.west, southEast.south, southEast.east, northWest.north]);
}
