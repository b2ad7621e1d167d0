// @ts-check
/** A texture of the canvas's size. It adds up the pieces of one layer. Owns the texture. */
export class LayerTarget {
  #gl;
  #frame;
  #texture = null;
  #size = [0, 0];

  constructor(gl) {
    this.#gl = gl;
    this.#frame = gl.createFramebuffer();
  }

  /** Selects the texture as the target of drawing and empties it. */
  begin() {
    const gl = this.#gl;
    const { width, height } = gl.canvas;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.#frame);
    if (this.#size[0] !== width || this.#size[1] !== height) this.#resize(width, height);
    gl.scissor(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
  }

  /** Selects the texture as the source of drawing. */
  bindTexture() {
    this.#gl.bindTexture(this.#gl.TEXTURE_2D, this.#texture);
  }

  #resize(width, height) {
    const gl = this.#gl;
    gl.deleteTexture(this.#texture);
    this.#texture = gl.createTexture();
    this.#size = [width, height];
    gl.bindTexture(gl.TEXTURE_2D, this.#texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA8, width, height);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.#texture, 0);
  }
}
