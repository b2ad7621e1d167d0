// @ts-check
/** A texture of WebGL for each tile whose image has been uploaded. Owns them. */
export class TileTextures {
  #gl;
  #takesImages;
  #textures = new Map();
  #halvingsLeft = Infinity;

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

  /** Lets so many images be halved until this is called again. */
  allowHalvings(count) {
    this.#halvingsLeft = count;
  }

  /**
   * How often the image of a texture, which is bound, can be halved: not at all until a pixel sees too many of its texels, of
   * which there are `density` along a world. `footprint` is the farthest pixel's, as ScreenGround has it.
   */
  halvings(texture, footprint, density) {
    if (!texture.isHalved) {
      const isDense = footprint && (footprint.across * density >= 2 || footprint.along * density > 20);
      if (!isDense || this.#halvingsLeft === 0) return 0;
      this.#halvingsLeft -= 1;
      const gl = this.#gl;
      gl.generateMipmap(gl.TEXTURE_2D);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_NEAREST);
      texture.isHalved = true;
    }
    return Math.floor(Math.log2(texture.width));
  }
}
