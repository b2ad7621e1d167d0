// @ts-check
import { Program } from "./Program.js";
import { groundFragments, layerFragments, plainFragments, squareVertices, wholeVertices } from "./shaders.js";
import { cornerSize, seenBox, squareCorners } from "./squareCorners.js";
import { LayerTarget } from "./LayerTarget.js";
import { TileTextures } from "./TileTextures.js";
import { ScreenGround } from "./ScreenGround.js";
import { SoftwareSurface } from "./SoftwareSurface.js";
import { resize } from "./resize.js";

/** Maximum number of images that a draft halves. Halving all images of a view would take longer than a frame. */
const draftHalvings = 2;

/** Draws tiles on the ground of a tilted camera with WebGL 2. Owns the canvas's context. */
export class WebGLSurface {
  canTilt = true;
  isSlow = false;
  #gl;
  #ground;
  #plain;
  #whole;
  #corners;
  #target;
  #textures;
  #size = [1, 1];

  /** Returns null if the browser lacks WebGL 2. Calls `onLoss` when all textures are lost. */
  static on(canvas, onLoss) {
    const options = { alpha: true, antialias: false, depth: false, premultipliedAlpha: true };
    const gl = canvas.getContext("webgl2", options);
    if (!gl) return null;
    if (!isSoftware(gl)) return new WebGLSurface(canvas, gl, onLoss);
    return new SoftwareSurface(canvas, new WebGLSurface(canvas, gl, onLoss, false));
  }

  /** If `takesImages` is true, nothing else can use a tile's image after its upload. */
  constructor(canvas, gl, onLoss, takesImages = true) {
    this.#gl = gl;
    this.#textures = new TileTextures(gl, takesImages);
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
    this.#plain = new Program(gl, squareVertices, plainFragments, ["image", "part", "opacity"]);
    this.#whole = new Program(gl, wholeVertices, layerFragments, ["image", "opacity"]);
    this.#corners = gl.createBuffer();
    this.#target = new LayerTarget(gl);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#corners);
    gl.enableVertexAttribArray(0);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, cornerSize * 4, 0);
    gl.vertexAttribPointer(1, 2, gl.FLOAT, false, cornerSize * 4, 12);
    gl.enable(gl.BLEND);
    gl.enable(gl.SCISSOR_TEST);
  }

  /** Reports whether an image of the tile can be drawn, perhaps its previous image. */
  has(tile) {
    return this.#textures.has(tile);
  }

  /** Reports whether the texture has the tile's current image. */
  isFresh(tile) {
    return this.#textures.isFresh(tile);
  }

  /** Makes a texture of a tile's image. */
  upload(tile) {
    this.#textures.upload(tile);
  }

  /** Frees a tile's texture. */
  release(tile) {
    this.#textures.release(tile);
  }

  resize(width, height) {
    this.#size = [width, height];
    resize(this.#gl.canvas, width, height);
  }

  /**
   * Draws `layers` from the lowest up, over `background` ([red, green, blue, alpha] in 0…1). A layer is {opacity, plan,
   * covers}. `covers` is a list of {cover, pieces, isFading}. A draft has one sample a pixel and does not mix zooms. It
   * is for a moving camera if full frames take too long. It may have fewer pixels: one for `coarseness` pixels along
   * each side.
   */
  draw(ground, layers, background, isDraft = false, coarseness = 1) {
    const gl = this.#gl;
    if (gl.isContextLost()) return;
    const pixels = isDraft ? coarseness : 1;
    this.#textures.allowHalvings(isDraft ? draftHalvings : Infinity);
    resize(gl.canvas, ...this.#size.map((side) => Math.ceil(side / pixels)));
    const { width, height } = gl.canvas;
    gl.viewport(0, 0, width, height);
    gl.scissor(0, 0, width, height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    const [red, green, blue, alpha] = background;
    gl.clearColor(red * alpha, green * alpha, blue * alpha, alpha);
    gl.clear(gl.COLOR_BUFFER_BIT);
    for (const layer of layers) {
      if (isDraft) this.#draftLayer(new ScreenGround(ground.projection, ground.scale / pixels), layer, pixels);
      else this.#drawLayer(ground, layer);
    }
  }

  #draftLayer(ground, { opacity, covers }, pixels) {
    const gl = this.#gl;
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    // If two zooms see a row, the finer zoom draws it.
    let last = ground.height - 1;
    for (const { cover, pieces } of covers) {
      const first = Math.floor(cover.rows[0] / pixels);
      if (first <= last) this.#drawPlain(ground, pieces, [first, last], opacity);
      last = Math.min(last, first - 1);
    }
  }

  #drawLayer(ground, { opacity, plan, covers }) {
    const gl = this.#gl;
    // In an upright view the edge of two tiles lies between pixels. Otherwise a pixel sees several tiles, and their
    // parts must be added up.
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
    // If bilinear interpolation sees all texels, one sample is enough.
    if (!isSummed && ground.isFlat && density(ground, pieces, this.#textures) <= 1.25) {
      this.#drawPlain(ground, pieces, cover.rows, opacity);
      return;
    }
    const gl = this.#gl;
    const program = this.#ground;
    const { projection, scale } = ground;
    const joined = isSummed ? pieces : pieces.map(apart);
    this.#placeCorners(ground, joined, cover.rows, reach(ground, cover));
    gl.useProgram(program.handle);
    const { center, bearing, tilt, distance, worldSize } = projection;
    gl.uniform4f(program.view, center.x * scale, center.y * scale, scale, gl.canvas.height);
    gl.uniform4f(program.camera, bearing.sine, bearing.cosine, 1 / tilt.cosine, tilt.sine / tilt.cosine / distance);
    gl.uniform4f(program.level, ...level);
    joined.forEach((piece, index) => {
      const texture = this.#textures.get(piece.tile);
      const sides = 1 / (piece.side * worldSize);
      const texels = texture.width * piece.part.size * sides;
      gl.bindTexture(gl.TEXTURE_2D, texture.handle);
      const halvings = this.#textures.halvings(texture, ground.footprint(cover.rows[0] + 0.5), worldSize * texels);
      gl.uniform3f(program.square, -piece.west / piece.side, -piece.north / piece.side, sides);
      gl.uniform3f(program.part, piece.part.x, piece.part.y, piece.part.size);
      gl.uniform3f(program.texels, texels, halvings, texture.width * piece.part.size);
      gl.uniform4f(program.joins, ...piece.joins);
      gl.uniform1f(program.opacity, opacity * piece.weight);
      gl.drawArrays(gl.TRIANGLES, index * 6, 6);
    });
  }

  /** Draws pieces on some rows with one sample a pixel. */
  #drawPlain(ground, pieces, rows, opacity) {
    if (pieces.length === 0) return;
    const gl = this.#gl;
    const program = this.#plain;
    this.#placeCorners(ground, pieces.map(apart), rows, 0);
    gl.useProgram(program.handle);
    const footprint = ground.footprint(rows[0] + 0.5);
    pieces.forEach((piece, index) => {
      const texture = this.#textures.get(piece.tile);
      gl.bindTexture(gl.TEXTURE_2D, texture.handle);
      this.#textures.halvings(texture, footprint, (texture.width * piece.part.size) / piece.side);
      gl.uniform3f(program.part, piece.part.x, piece.part.y, piece.part.size);
      gl.uniform1f(program.opacity, opacity * piece.weight);
      gl.drawArrays(gl.TRIANGLES, index * 6, 6);
    });
  }

  #placeCorners(ground, pieces, [first, last], reach) {
    const gl = this.#gl;
    const { width, height } = gl.canvas;
    const size = { width: width / ground.scale, height: height / ground.scale };
    const corners = squareCorners(pieces, ground.projection, size, seenBox(ground, [first, last]), reach);
    gl.scissor(0, height - 1 - last, width, last - first + 1);
    gl.bufferData(gl.ARRAY_BUFFER, corners, gl.STREAM_DRAW);
  }
}

/**
 * Reports whether there is no graphics card, by the renderer's name. `failIfMajorPerformanceCaveat` does not work in
 * all browsers.
 */
function isSoftware(gl) {
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  const renderer = gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  return /swiftshader|llvmpipe|softpipe|basic render|software/i.test(renderer);
}

/** Returns the piece without any neighbours. */
function apart(piece) {
  return { ...piece, joins: [0, 0, 0, 0] };
}

/** Returns the maximum number of texels across a pixel of flat ground, of all pieces. */
function density({ projection, scale }, pieces, textures) {
  return pieces.reduce((most, { tile, part, side }) =>
    Math.max(most, (textures.get(tile).width * part.size) / (side * projection.worldSize * scale)), 0);
}

/** Returns the shader's parameters for the weight of a cover's zoom in each row. */
function levelOf(ground, rule, cover, isOneOfSeveral) {
  if (!isOneOfSeveral) return [1, 0, 0, -1];
  const texels = (2 ** rule.zoom * rule.tileSize) / ground.projection.worldSize;
  return [texels, rule.zoom - cover.zoom, rule.zoom - rule.minZoom, rule.measure];
}

/**
 * Returns how far beyond a tile's edge a pixel may still see the tile, in worlds: half a texel at any halving, plus
 * half a pixel.
 */
function reach(ground, cover) {
  const size = ground.footprint(cover.rows[0] + 0.5);
  return size ? 1.5 * Math.max(size.along, 2 / (256 * cover.span)) : 0;
}
