// @ts-check
import { LevelCover } from "./LevelCover.js";
import { LevelRule, tileZoom } from "./LevelRule.js";

/** Maximum number of tiles of a layer in a view (docs/spec/model.md ruling 3). */
export const tileLimit = 256;

/** Maximum number of tiles that a search may count when its rule cannot become coarser. */
const most = 2 ** 18;

/**
 * Returns the tiles that a view needs of one layer. `covers` has a LevelCover for each zoom with `rows`, its first and
 * last row of pixels, in descending order of zooms. `rule` gives the weight of each zoom in a row. `tiles` has each
 * tile once, the nearest first.
 *
 * `layer` is {tileSize, minZoom, maxZoom, bounds, reach, zoomRule}, with `tileSize` in pixels of the drawn images.
 * `reach` is the number of tiles by which its drawings may extend beyond `bounds`.
 */
export function planTiles(ground, layer, limit = tileLimit) {
  const { projection, scale } = ground;
  const zoom = Math.min(tileZoom(projection.camera.zoom, scale, layer.tileSize, layer.zoomRule), layer.maxZoom);
  if (zoom < layer.minZoom) return { covers: [], rule: null, tiles: [] };
  let rule = new LevelRule({ zoom, minZoom: layer.minZoom, tileSize: layer.tileSize });
  for (;;) {
    const coarser = rule.coarser;
    const { covers, isWhole } = find(ground, rule, layer, coarser ? limit : most);
    const tiles = nearest(covers);
    if ((isWhole && tiles.length <= limit) || !coarser) return { covers, rule, tiles: tiles.slice(0, limit) };
    rule = coarser;
  }
}

function find(ground, rule, { bounds, reach }, limit) {
  const covers = [];
  for (const part of parts(ground, rule)) {
    const cover = new LevelCover(part.zoom, ground.projection.target);
    cover.rows = part.rows;
    covers.push(cover);
    if (!cover.add(corners(ground, part.rows), bounds, reach ?? 0, limit)) return { covers, isWhole: false };
  }
  return { covers, isWhole: true };
}

/** Returns the rows of each zoom, finest zoom first. */
function parts(ground, rule) {
  const found = new Map();
  const add = (index, footprint) => {
    for (const { zoom } of rule.levels(footprint)) {
      const part = found.get(zoom);
      if (part) part.rows[1] = index;
      else found.set(zoom, { zoom, rows: [index, index] });
    }
  };
  if (ground.isFlat) {
    const footprint = ground.footprint(0.5);
    if (footprint) [0, ground.height - 1].forEach((index) => add(index, footprint));
  } else {
    for (let index = 0; index < ground.height; index += 1) {
      const footprint = ground.footprint(index + 0.5);
      if (footprint) add(index, footprint);
    }
  }
  return [...found.values()].sort((first, second) => second.zoom - first.zoom);
}

/** Returns the corners of the ground under some rows, from their upper edge to their lower edge. */
function corners(ground, [first, last]) {
  // The upper edge of the first row may lie above the horizon.
  const far = ground.footprint(first) ? first : first + 0.5;
  return [
    ground.offset(0, far), ground.offset(ground.width, far), ground.offset(ground.width, last + 1),
    ground.offset(0, last + 1),
  ];
}

/** Returns each tile once, in order of distance. */
function nearest(covers) {
  const found = new Map();
  for (const cover of covers) {
    for (const tile of cover.tiles) {
      const key = tileKey(tile);
      if (!(found.get(key)?.distance <= tile.distance)) found.set(key, tile);
    }
  }
  return [...found.values()].sort((first, second) => first.distance - second.distance || first.z - second.z);
}

/** Returns the name of a tile within its layer. */
export function tileKey({ z, x, y }) {
  return `${z}/${x}/${y}`;
}
