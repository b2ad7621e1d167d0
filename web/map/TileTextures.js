// @ts-check
/** A WebGL texture for each tile whose image is uploaded. Owns the textures. */
export class TileTextures {
  #gl;
  #takesImages;
  #textures = new Map();
  #halvingsLeft = Infinity;

  /** If `takesImages` is true, nothing else can use a tile's image after its upload. */
  constructor(gl, takesImages) {
    this.#gl = gl;
    this.#takesImages = takesImages;
  }

  /** Returns {handle, image, width, isHalved} of a tile, or undefined. */
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

  /** Forgets all textures, because a lost context has freed them. */
  clear() {
    this.#textures.clear();
  }

  /** Allows `count` images to be halved until the next call. */
  allowHalvings(count) {
    this.#halvingsLeft = count;
  }

  /**
   * Returns how often the bound texture's image can be halved. Makes the halved images only when a pixel sees too many
   * texels, of which there are `density` along a world. `footprint` is the farthest pixel's footprint, from
   * ScreenGround.
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
