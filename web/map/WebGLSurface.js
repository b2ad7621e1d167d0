import { Program } from "./Program.js";
import { groundFragments, layerFragments, squareVertices, wholeVertices } from "./shaders.js";
import { seenBox, squareCorners } from "./squareCorners.js";
import { LayerTarget } from "./LayerTarget.js";

/**
 * Draws tiles on the ground of a tilted camera with WebGL 2. Owns the canvas's context, and a texture for each tile that has
 * been uploaded.
 */
export class WebGLSurface {
  canTilt = true;
  #gl;
  #ground;
  #whole;
  #corners;
  #target;
  #textures = new Map();

  /** Null where the browser has no WebGL 2. `onLoss` is called when all textures are gone. */
  static on(canvas, onLoss) {
    const options = { alpha: true, antialias: false, depth: false, premultipliedAlpha: true };
    const gl = canvas.getContext("webgl2", options);
    return gl && new WebGLSurface(canvas, gl, onLoss);
  }

  constructor(canvas, gl, onLoss) {
    this.#gl = gl;
    this.#prepare();
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => {
      this.#textures.clear();
      this.#prepare();
      onLoss();
    });
  }

  #prepare() {
    const gl = this.#gl;
    const uniforms = ["image", "view", "camera", "square", "part", "texels", "joins", "level", "opacity"];
    this.#ground = new Program(gl, squareVertices, groundFragments, uniforms);
    this.#whole = new Program(gl, wholeVertices, layerFragments, ["image", "opacity"]);
    this.#corners = gl.createBuffer();
    this.#target = new LayerTarget(gl);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#corners);
    const place = gl.getAttribLocation(this.#ground.handle, "corner");
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 0, 0);
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, true);
    gl.enable(gl.BLEND);
    gl.enable(gl.SCISSOR_TEST);
  }

  /** Whether an image of the tile can be drawn, perhaps the one that it had before. */
  has(tile) {
    return this.#textures.has(tile);
  }

  /** Whether it is the image that the tile has now. */
  isFresh(tile) {
    return this.#textures.get(tile)?.image === tile.image;
  }

  /** Makes a texture of a tile's image, which cannot be used for anything else then. */
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
    tile.image.close();
  }

  /** Frees a tile's texture. */
  release(tile) {
    const texture = this.#textures.get(tile);
    if (!texture) return;
    this.#gl.deleteTexture(texture.handle);
    this.#textures.delete(tile);
  }

  /**
   * Draws `layers`, the lowest first, over `background` ([red, green, blue, alpha] in 0…1). A layer is {opacity, plan, covers},
   * `covers` a list of {cover, pieces, isFading}.
   */
  draw(ground, layers, background) {
    const gl = this.#gl;
    if (gl.isContextLost()) return;
    const { width, height } = gl.canvas;
    gl.viewport(0, 0, width, height);
    gl.scissor(0, 0, width, height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    const [red, green, blue, alpha] = background;
    gl.clearColor(red * alpha, green * alpha, blue * alpha, alpha);
    gl.clear(gl.COLOR_BUFFER_BIT);
    for (const layer of layers) this.#drawLayer(ground, layer);
  }

  #drawLayer(ground, { opacity, plan, covers }) {
    const gl = this.#gl;
    // Upright, tiles meet between two pixels; else pixels see several, whose parts must be added up.
    const isUpright = ground.isFlat && ground.projection.bearing.sine === 0;
    const isSummed = !isUpright || covers.length > 1 || covers.some((part) => part.isFading);
    if (isSummed) {
      this.#target.begin();
      gl.blendFunc(gl.ONE, gl.ONE);
    } else {
      gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    }
    for (const part of covers) {
      const level = levelOf(ground, plan.rule, part.cover, covers.length > 1);
      this.#drawCover(ground, part, level, isSummed, isSummed ? 1 : opacity);
    }
    if (!isSummed) return;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.scissor(0, 0, gl.canvas.width, gl.canvas.height);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.useProgram(this.#whole.handle);
    gl.uniform1f(this.#whole.opacity, opacity);
    this.#target.bindTexture();
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  #drawCover(ground, { cover, pieces }, level, isSummed, opacity) {
    if (pieces.length === 0) return;
    const gl = this.#gl;
    const program = this.#ground;
    const { projection, scale } = ground;
    const { width, height } = gl.canvas;
    const [first, last] = cover.rows;
    const size = { width: width / scale, height: height / scale };
    const joined = isSummed ? pieces : pieces.map((piece) => ({ ...piece, joins: [0, 0, 0, 0] }));
    const corners = squareCorners(joined, projection, size, seenBox(ground, cover.rows), reach(ground, cover));
    gl.useProgram(program.handle);
    gl.scissor(0, height - 1 - last, width, last - first + 1);
    gl.bufferData(gl.ARRAY_BUFFER, corners, gl.STREAM_DRAW);
    const { center, bearing, tilt, distance, worldSize } = projection;
    gl.uniform4f(program.view, center.x * scale, center.y * scale, scale, height);
    gl.uniform4f(program.camera, bearing.sine, bearing.cosine, 1 / tilt.cosine, tilt.sine / tilt.cosine / distance);
    gl.uniform4f(program.level, ...level);
    joined.forEach((piece, index) => {
      const texture = this.#textures.get(piece.tile);
      const sides = 1 / (piece.side * worldSize);
      const density = texture.width * piece.part.size * sides;
      gl.bindTexture(gl.TEXTURE_2D, texture.handle);
      gl.uniform3f(program.square, -piece.west / piece.side, -piece.north / piece.side, sides);
      gl.uniform3f(program.part, piece.part.x, piece.part.y, piece.part.size);
      const halvings = this.#halve(texture, ground, first, density);
      gl.uniform3f(program.texels, density, halvings, texture.width * piece.part.size);
      gl.uniform4f(program.joins, ...piece.joins);
      gl.uniform1f(program.opacity, opacity * piece.weight);
      gl.drawArrays(gl.TRIANGLES, index * 6, 6);
    });
  }

  /** How often the image can be halved: not at all until a row sees too many of its texels. */
  #halve(texture, ground, row, density) {
    if (!texture.isHalved) {
      const size = ground.footprint(row + 0.5);
      const texels = ground.projection.worldSize * density;
      if (!size || (size.across * texels < 2 && size.along * texels <= 20)) return 0;
      const gl = this.#gl;
      gl.generateMipmap(gl.TEXTURE_2D);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_NEAREST);
      texture.isHalved = true;
    }
    return Math.floor(Math.log2(texture.width));
  }
}

/** What the shader must know to tell how much of a row is of a cover's zoom. */
function levelOf(ground, rule, cover, isOneOfSeveral) {
  if (!isOneOfSeveral) return [1, 0, 0, -1];
  const texels = (2 ** rule.zoom * rule.tileSize) / ground.projection.worldSize;
  return [texels, rule.zoom - cover.zoom, rule.zoom - rule.minZoom, rule.measure];
}

/** How far beyond its edge a pixel may see a tile, in worlds: half a texel, however often it is halved, and half a pixel. */
function reach(ground, cover) {
  const size = ground.footprint(cover.rows[0] + 0.5);
  return size ? 1.5 * Math.max(size.along, 2 / (256 * cover.span)) : 0;
}
