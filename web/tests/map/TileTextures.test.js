import assert from "node:assert/strict";
import { test } from "node:test";

import { TileTextures } from "../../map/TileTextures.js";

/** Records the calls of WebGL by name. */
function recorder() {
  const calls = [];
  const gl = new Proxy({}, {
    get: (_, name) => (/^[A-Z_\d]+$/.test(name) ? name : (...values) => {
      calls.push(name);
      return name === "createTexture" ? { values } : undefined;
    }),
  });
  return { gl, count: (name) => calls.filter((each) => each === name).length };
}

/** Returns textures of a number of tiles of 256 pixels. */
function uploaded(gl, count) {
  const textures = new TileTextures(gl, false);
  return [textures, Array.from({ length: count }, () => {
    const tile = { image: { width: 256 } };
    textures.upload(tile);
    return textures.get(tile);
  })];
}

/** A pixel that sees two texels of tiles of zoom 6. */
const [density, footprint] = [256 * 2 ** 6, { across: 2 ** -13, along: 2 ** -13 }];

test("halves no more images in a frame than it may, and the others in those after it", () => {
  const { gl, count } = recorder();
  const [textures, all] = uploaded(gl, 5);
  const frame = () => {
    textures.allowHalvings(2);
    return all.map((texture) => textures.halvings(texture, footprint, density));
  };
  assert.deepEqual(frame(), [8, 8, 0, 0, 0]);
  assert.deepEqual(frame(), [8, 8, 8, 8, 0]);
  assert.deepEqual(frame(), [8, 8, 8, 8, 8]);
  frame();
  assert.equal(count("generateMipmap"), 5);
});

test("halves no image of which a pixel sees less than two texels", () => {
  const { gl, count } = recorder();
  const [textures, [texture]] = uploaded(gl, 1);
  const fine = { across: footprint.across * 0.99, along: footprint.along * 0.99 };
  assert.equal(textures.halvings(texture, fine, density), 0);
  assert.equal(textures.halvings(texture, null, density), 0);
  assert.equal(count("generateMipmap"), 0);
  assert.equal(textures.halvings(texture, footprint, density), 8);
});
