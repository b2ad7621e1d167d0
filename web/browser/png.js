import { inflateSync } from "node:zlib";

/** Bytes a pixel by PNG's colour type, with 8 bits a channel. */
const channels = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/**
 * Returns {width, height, pixels} of a PNG with 8 bits a channel and without interlacing: red, green and blue of each
 * pixel.
 */
export function decode(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const parts = [];
  let [width, height, kind, palette] = [0, 0, 0, null];
  for (let place = 8; place < bytes.length;) {
    const length = view.getUint32(place);
    const type = bytes.toString("latin1", place + 4, place + 8);
    const content = bytes.subarray(place + 8, place + 8 + length);
    if (type === "IHDR") {
      [width, height, kind] = [view.getUint32(place + 8), view.getUint32(place + 12), content[9]];
      if (content[8] !== 8 || content[12] !== 0) throw new Error("only PNG of 8 bits that is not interlaced is read");
    }
    if (type === "PLTE") palette = content;
    if (type === "IDAT") parts.push(content);
    place += length + 12;
  }
  const size = channels[kind];
  const lines = unfiltered(inflateSync(Buffer.concat(parts)), width * size, height, size);
  const pixels = new Uint8Array(width * height * 3);
  for (let index = 0; index < width * height; index += 1) {
    for (let channel = 0; channel < 3; channel += 1) {
      const value = kind === 3
        ? palette[lines[index] * 3 + channel] : lines[index * size + (size < 3 ? 0 : channel)];
      pixels[index * 3 + channel] = value;
    }
  }
  return { width, height, pixels };
}

/** Undoes the filters of PNG (RFC 2083 6). */
function unfiltered(data, stride, height, size) {
  const lines = new Uint8Array(stride * height);
  for (let row = 0; row < height; row += 1) {
    const filter = data[row * (stride + 1)];
    for (let index = 0; index < stride; index += 1) {
      const at = row * stride + index;
      const left = index >= size ? lines[at - size] : 0;
      const up = row > 0 ? lines[at - stride] : 0;
      const corner = index >= size && row > 0 ? lines[at - stride - size] : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
      lines[at] = data[row * (stride + 1) + 1 + index] + guess;
    }
  }
  return lines;
}

function paeth(left, up, corner) {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/** Returns the mean and the maximum difference of two images of one size, in levels of 0…255. */
export function difference(first, second) {
  if (first.width !== second.width || first.height !== second.height) throw new Error("the images differ in size");
  let [sum, most] = [0, 0];
  for (let index = 0; index < first.pixels.length; index += 1) {
    const levels = Math.abs(first.pixels[index] - second.pixels[index]);
    sum += levels;
    most = Math.max(most, levels);
  }
  return { mean: sum / first.pixels.length, most };
}
