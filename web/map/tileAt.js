// @ts-check
/** Reports whether a view's plan draws a tile. Without a plan, the view does not show the layer. */
export function hasTile(plan, { z, x, y }) {
  return Boolean(plan?.tiles.some((tile) => tile.z === z && tile.x === x && tile.y === y));
}

/** Returns the tile {z, x, y} of a plan at a point of the view, at the finest zoom of the row, or null. */
export function tileAt(ground, plan, point) {
  const row = Math.floor(point.y * ground.scale);
  const cover = plan.covers.find(({ rows: [first, last] }) => first <= row && row <= last);
  const offset = ground.projection.offsetAt(point);
  if (!cover || !offset) return null;
  const column = Math.floor(cover.target.x + offset.x * cover.span);
  const line = Math.floor(cover.target.y + offset.y * cover.span);
  const found = cover.tiles.find((tile) => tile.column === column && tile.row === line);
  return found ? { z: found.z, x: found.x, y: found.y } : null;
}
