// @ts-check
// The shaders that draw tiles, in GLSL ES 3.00. They compute the ground for each pixel with the formulas of
// docs/spec/model.md 9.1, and take as many samples as MapRenderer, so that both draw the same image.

/** Corners of a square of the ground, in clip coordinates: x, y and w. */
export const squareVertices = `#version 300 es
in vec3 corner;
in vec2 inside;
out vec2 place;
void main() {
  gl_Position = vec4(corner.xy, 0.0, corner.z);
  place = inside;
}`;

/** Draws a tile's image, or a part, with one sample a pixel. It is exact if a pixel sees hardly more than a texel. */
export const plainFragments = `#version 300 es
precision highp float;
uniform sampler2D image;
uniform vec3 part;      // which part of the image the square shows: corner, size
uniform float opacity;
in vec2 place;
out vec4 color;
void main() {
  color = texture(image, part.xy + place * part.z) * opacity;
}`;

/** Draws a tile's image, or a part of it, on a square of the ground. */
export const groundFragments = `#version 300 es
precision highp float;
uniform sampler2D image;
uniform vec4 view;      // where the target is drawn, in pixels; pixels a point; the height in pixels
uniform vec4 camera;    // sine and cosine of the bearing, 1 / cosine of the tilt, loss of nearness a point downwards
uniform vec3 square;    // where the target is in the square, in its sides; sides a point
uniform vec3 part;      // which part of the image the square shows: corner, size
uniform vec3 texels;    // texels a point; how often the image can be halved; texels along the square
uniform vec4 joins;     // whether the image goes on in another to the west, north, east, south
uniform vec4 level;     // texels a point at the finest zoom; zooms above it; how many there are; the rule's measure, or -1
uniform float opacity;
out vec4 color;

// The part of a row that comes from the tiles of this zoom: MapRenderer's LevelRule.
float weight(float across, float along) {
  if (level.w < 0.0) return 1.0;
  float size = level.w < 0.5 ? across : level.w < 1.5 ? sqrt(across * along) : along;
  float coarser = max(0.0, log2(size * level.x));
  float whole = floor(coarser);
  float next = max(0.0, (coarser - whole - 0.75) / 0.25);
  if (level.y >= level.z) return whole >= level.y ? 1.0 : whole == level.y - 1.0 ? next : 0.0;
  return whole == level.y ? 1.0 - next : whole == level.y - 1.0 ? next : 0.0;
}

// What is seen at a place in the view. Near an edge where the image joins another, both are seen: bilinear interpolation
// between the last texels of the two, of which each image adds its own.
vec4 sampled(vec2 pixel, float halvings) {
  vec2 point = (pixel - view.xy) / view.z;
  float nearness = 1.0 + point.y * camera.w;
  vec2 ground = vec2(point.x, point.y * camera.z) / nearness;
  vec2 offset = vec2(ground.x * camera.y - ground.y * camera.x, ground.x * camera.x + ground.y * camera.y);
  vec2 inside = square.xy + offset * square.z;
  float count = texels.z * exp2(-halvings);
  vec2 low = mix(vec2(1.0), clamp(inside * count + 0.5, 0.0, 1.0), joins.xy);
  vec2 high = mix(vec2(1.0), clamp((1.0 - inside) * count + 0.5, 0.0, 1.0), joins.zw);
  return textureLod(image, part.xy + inside * part.z, halvings) * (low.x * low.y * high.x * high.y);
}

void main() {
  vec2 pixel = vec2(gl_FragCoord.x, view.w - gl_FragCoord.y);
  float nearness = 1.0 + (pixel.y - view.y) / view.z * camera.w;
  float across = 1.0 / (nearness * view.z);
  float along = across * camera.z / nearness;
  float share = weight(across, along) * opacity;
  across *= texels.x;
  along *= texels.x;
  float halvings = 0.0;
  while (halvings < texels.y && (across >= 2.0 || along > 20.0)) {
    across *= 0.5;
    along *= 0.5;
    halvings += 1.0;
  }
  int columns = int(clamp(ceil(across / 1.25 - 1e-4), 1.0, 2.0));
  int rows = int(clamp(ceil(along / 1.25 - 1e-4), 1.0, 16.0));
  if (columns == 1 && rows == 1) {
    color = sampled(pixel, halvings) * share;
    return;
  }
  vec2 corner = pixel - 0.5;
  vec4 sum = vec4(0.0);
  for (int row = 0; row < rows; row += 1) {
    for (int column = 0; column < columns; column += 1) {
      vec2 inside = (vec2(float(column), float(row)) + 0.5) / vec2(float(columns), float(rows));
      sum += sampled(corner + inside, halvings);
    }
  }
  color = sum * (share / float(rows * columns));
}`;

/** A triangle that covers the view. */
export const wholeVertices = `#version 300 es
void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  gl_Position = vec4(corner, 0.0, 1.0);
}`;

/** Draws a layer's texture, which has the size of the view. */
export const layerFragments = `#version 300 es
precision highp float;
uniform sampler2D image;
uniform float opacity;
out vec4 color;
void main() {
  color = texelFetch(image, ivec2(gl_FragCoord.xy), 0) * opacity;
}`;
