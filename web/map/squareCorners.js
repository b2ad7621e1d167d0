// @ts-check
/** Number of values for each corner. */
export const cornerSize = 5;

/**
 * Returns the corners of squares of the ground, as two triangles each. A corner has x, y and w in clip coordinates, for
 * an exact perspective, and its place in its square, 0…1 across and down. Squares share the values of common corners,
 * so no line shows between them.
 *
 * `size` is {width, height} of the canvas in points. Squares are clipped to `seen`, because the corners of a very large
 * square exceed the precision of a graphics card. A piece that joins another reaches beyond its edge by `reach`, in
 * worlds, because pixels at the edge see both pieces.
 */
export function squareCorners(pieces, projection, size, seen, reach) {
  const corners = new Float32Array(pieces.length * 6 * cornerSize);
  let index = 0;
  for (const piece of pieces) {
    const [toWest, toNorth, toEast, toSouth] = piece.joins;
    const west = Math.max(piece.west - toWest * reach, seen.west);
    const north = Math.max(piece.north - toNorth * reach, seen.north);
    const east = Math.min(piece.west + piece.side + toEast * reach, seen.east);
    const south = Math.min(piece.north + piece.side + toSouth * reach, seen.south);
    const square = east > west && south > north;
    for (const [x, y] of [[west, north], [east, north], [west, south], [west, south], [east, north], [east, south]]) {
      if (square) {
        corners.set(clip(projection, size, { x, y }), index);
        corners[index + 3] = (x - piece.west) / piece.side;
        corners[index + 4] = (y - piece.north) / piece.side;
      }
      index += cornerSize;
    }
  }
  return corners;
}

/** Returns the clip coordinates of the ground at an offset from the target in worlds. */
export function clip(projection, { width, height }, offset) {
  const { center, distance, tilt } = projection;
  const { right, down } = projection.groundAt(offset);
  const depth = projection.depth(down) / distance;
  return [
    (2 * (center.x * depth + right)) / width - depth, depth - (2 * (center.y * depth + down * tilt.cosine)) / height, depth,
  ];
}

/** Returns the box around all ground that a view sees below its horizon, slightly enlarged, as offsets in worlds. */
export function seenBox(ground, [first, last]) {
  const top = ground.footprint(first) ? first : first + 0.5;
  const corners = [[0, top], [ground.width, top], [ground.width, last + 1], [0, last + 1]].map(([x, y]) =>
    ground.offset(x, y));
  const [xs, ys] = [corners.map((corner) => corner.x), corners.map((corner) => corner.y)];
  const margin = 0.01 * Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
  return {
    west: Math.min(...xs) - margin, east: Math.max(...xs) + margin,
    north: Math.min(...ys) - margin, south: Math.max(...ys) + margin,
  };
}
