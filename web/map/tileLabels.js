// @ts-check
/** Points of a text line at full size, and the sizes that are tried, the first preferred. */
const [lineHeight, fontSizes] = [16, [12, 10]];

/** Points between labels. */
const gap = 3;

/** @typedef {{ x: number, y: number, width: number, lines: string[], isSelected?: boolean }} Label at a tile's middle */
/** @typedef {{ x: number, y: number, size: number, spacing: number, lines: string[] }} PlacedLabel */

/**
 * Returns the labels of tiles that can be written without overprinting each other. Labels of wide tiles come first. A
 * label that would meet another one is written with fewer lines, then smaller, and otherwise left out. The label of a
 * selected tile comes before all.
 *
 * @param {Label[]} labels `width` is the tile's width in points
 * @param {(text: string) => number} widthOf returns the width of a text with 12 points a letter
 * @returns {PlacedLabel[]}
 */
export function placeLabels(labels, widthOf) {
  /** @type {{ left: number, right: number, top: number, bottom: number }[]} */
  const taken = [];
  const order = [...labels].sort((first, second) =>
    Number(second.isSelected ?? false) - Number(first.isSelected ?? false) || second.width - first.width || first.y - second.y || first.x - second.x);
  return order.flatMap(({ x, y, lines }) => {
    const widths = lines.map(widthOf);
    for (const { count, size } of variants(lines.length)) {
      const part = size / fontSizes[0];
      const [width, height] = [Math.max(...widths.slice(0, count)) * part + gap, lineHeight * part * count];
      const box = { left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 };
      if (taken.some((other) => meet(box, other))) continue;
      taken.push(box);
      return [{ x, y, size, spacing: lineHeight * part, lines: lines.slice(0, count) }];
    }
    return [];
  });
}

/** Returns the ways to write a label: all its lines, then its first line alone, each at full size before a smaller one. */
function variants(count) {
  const counts = count > 1 ? [count, 1] : [1];
  return counts.flatMap((each) => fontSizes.map((size) => ({ count: each, size })));
}

function meet(first, second) {
  return first.left < second.right && second.left < first.right && first.top < second.bottom && second.top < first.bottom;
}
