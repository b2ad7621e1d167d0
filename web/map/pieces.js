// @ts-check
/** Milliseconds in which a tile fades in. */
export const fadeTime = 200;

/**
 * Returns the pieces of images to draw for the tiles of one cover, on squares of the ground. Pieces overlap only if one
 * fades into another.
 *
 * A piece is {tile, west, north, side, part, weight, joins}. The square is in worlds from the target. `part` {x, y,
 * size} is the drawn part of the image, relative to its sides. `weight` is in 0…1. `joins` has 1 for each side (west,
 * north, east, south) at which another whole tile is drawn, otherwise 0. `find({z, x, y})` returns a tile whose image
 * can be drawn, "none" for a tile that does not exist, or undefined. `opacityOf(tile)` returns how far the tile has
 * faded in. The function returns {pieces, isFading}. If pieces fade into each other, the caller must add up their
 * weights before it draws the layer.
 */
export function piecesOf(cover, find, opacityOf) {
  const pieces = [];
  const whole = new Map();
  let isFading = false;
  for (const slot of cover.tiles) {
    const square = {
      west: (slot.column - cover.target.x) / cover.span, north: (slot.row - cover.target.y) / cover.span,
      side: 1 / cover.span,
    };
    const tile = find(slot);
    if (tile === "none") continue;
    const opacity = tile ? opacityOf(tile) : 0;
    if (opacity < 1) {
      const others = standIns(slot, square, find);
      for (const piece of others) pieces.push({ ...piece, weight: 1 - opacity, joins: alone });
      if (opacity > 0 && others.length > 0) isFading = true;
    }
    if (opacity === 0) continue;
    const piece = { tile, ...square, part: { x: 0, y: 0, size: 1 }, weight: opacity, joins: alone };
    pieces.push(piece);
    if (opacity === 1) whole.set(`${slot.column}/${slot.row}`, { piece, slot });
  }
  for (const { piece, slot: { column, row } } of whole.values()) {
    const sides = [[column - 1, row], [column, row - 1], [column + 1, row], [column, row + 1]];
    piece.joins = sides.map(([x, y]) => (whole.has(`${x}/${y}`) ? 1 : 0));
  }
  return { pieces, isFading };
}

const alone = [0, 0, 0, 0];

/**
 * Returns the pieces drawn in place of a missing tile: its descendants if all are known, otherwise an ancestor,
 * otherwise the known descendants.
 */
function standIns(slot, square, find) {
  const children = descendants(slot, square, find, 2);
  if (children.isWhole) return children.pieces;
  const above = ancestor(slot, square, find);
  return above ? [above] : children.pieces;
}

function ancestor(slot, square, find) {
  for (let levels = 1; levels <= slot.z; levels += 1) {
    const count = 2 ** levels;
    const tile = find({ z: slot.z - levels, x: Math.floor(slot.x / count), y: Math.floor(slot.y / count) });
    if (tile === "none" || !tile) continue;
    const part = { x: (slot.x % count) / count, y: (slot.y % count) / count, size: 1 / count };
    return { tile, ...square, part };
  }
  return null;
}

function descendants(slot, square, find, depth) {
  const pieces = [];
  let isWhole = true;
  for (const [column, row] of [[0, 0], [1, 0], [0, 1], [1, 1]]) {
    const child = { z: slot.z + 1, x: 2 * slot.x + column, y: 2 * slot.y + row };
    const side = square.side / 2;
    const part = { west: square.west + column * side, north: square.north + row * side, side };
    const tile = find(child);
    if (tile === "none") continue;
    if (tile) {
      pieces.push({ tile, ...part, part: { x: 0, y: 0, size: 1 } });
    } else if (depth > 1) {
      const below = descendants(child, part, find, depth - 1);
      pieces.push(...below.pieces);
      isWhole &&= below.isWhole;
    } else {
      isWhole = false;
    }
  }
  return { pieces, isWhole };
}
