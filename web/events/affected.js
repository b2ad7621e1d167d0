// @ts-check
import { project } from "../geometry/mercator.js";

/**
 * Reports whether a clear's event is about a tile {z, x, y, answer}, with `scale` pixels for each pixel of the layer's
 * own tile.
 *
 * `event` may have `tile` ([z, x, y]), or `bbox` ([west, south, east, north] in degrees) and `zoom` ([first, last]).
 * Without them the event is about all tiles of the layer. A tile that was made of four tiles, or of a part of a coarser
 * tile, is affected together with these.
 */
export function isAffected(event, tile, scale = 1) {
  const isMeant = (place) => contains(event, place);
  if (isMeant(tile)) return true;
  const { z, x, y } = tile;
  if (scale > 1) {
    const parts = [[0, 0], [1, 0], [0, 1], [1, 1]];
    if (parts.some(([column, row]) => isMeant({ z: z + 1, x: 2 * x + column, y: 2 * y + row }))) return true;
  }
  const source = Number(tile.answer?.sourceZoom ?? z);
  const count = 2 ** (z - source);
  return count > 1 && isMeant({ z: source, x: Math.floor(x / count), y: Math.floor(y / count) });
}

function contains({ tile, bbox, zoom }, { z, x, y }) {
  if (tile) return tile[0] === z && tile[1] === x && tile[2] === y;
  if (zoom && (z < zoom[0] || z > zoom[1])) return false;
  if (!bbox) return true;
  const [west, south, east, north] = bbox;
  const count = 2 ** z;
  const inside = (number) => Math.min(Math.max(number, 0), count - 1);
  // An edge on a tile's edge does not touch the tile beyond it.
  const first = (position) => inside(Math.floor(position * count));
  const last = (position) => inside(Math.ceil(position * count) - 1);
  const [northWest, southEast] = [project({ latitude: north, longitude: west }), project({ latitude: south, longitude: east })];
  if (y < first(northWest.y) || y > last(southEast.y)) return false;
  const [from, to] = [first(northWest.x), last(southEast.x)];
  if (northWest.x <= southEast.x) return from <= x && x <= to;
  return from <= to || x >= from || x <= to;
}
