/** A texture of WebGL for each tile whose image has been uploaded. Owns them. */
export class TileTextures {
  #gl;
  #takesImages;
  #textures = new Map();

  /** With `takesImages`, the image of a tile cannot be used for anything else once it has been uploaded. */
  constructor(gl, takesImages) {
    this.#gl = gl;
    this.#takesImages = takesImages;
  }

  /** {handle, image, width, isHalved} of a tile, or undefined. */
  get(tile) {
    return this.#textures.get(tile);
  }

  has(tile) {
    return this.#textures.has(tile);
  }

  isFresh(tile) {
    return this.#textures.get(tile)?.image === tile.image;
  }

  upload(tile) {
    const gl = this.#gl;
    this.release(tile);
    const handle = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, handle);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, tile.image);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    this.#textures.set(tile, { handle, image: tile.image, width: tile.image.width, isHalved: false });
    if (this.#takesImages) tile.image.close();
  }

  release(tile) {
    const texture = this.#textures.get(tile);
    if (!texture) return;
    this.#gl.deleteTexture(texture.handle);
    this.#textures.delete(tile);
  }

  /** Forgets all, which a lost context has freed. */
  clear() {
    this.#textures.clear();
  }
}

/** How often the image of a bound texture can be halved, for `density` texels a point: not at all until a row sees too many. */
export function halve(gl, texture, ground, row, density) {
  if (!texture.isHalved) {
    const size = ground.footprint(row + 0.5);
    const texels = ground.projection.worldSize * density;
    if (!size || (size.across * texels < 2 && size.along * texels <= 20)) return 0;
    gl.generateMipmap(gl.TEXTURE_2D);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_NEAREST);
    texture.isHalved = true;
  }
  return Math.floor(Math.log2(texture.width));
}
