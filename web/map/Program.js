// @ts-check
/** A WebGL program with the locations of its uniforms. Owns the program. */
export class Program {
  constructor(gl, vertices, fragments, uniforms) {
    this.handle = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, vertices], [gl.FRAGMENT_SHADER, fragments]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(this.handle, shader);
      gl.deleteShader(shader);
    }
    // All programs use the same attribute locations, so one list of corners serves them all.
    gl.bindAttribLocation(this.handle, 0, "corner");
    gl.bindAttribLocation(this.handle, 1, "inside");
    gl.linkProgram(this.handle);
    if (!gl.getProgramParameter(this.handle, gl.LINK_STATUS) && !gl.isContextLost()) {
      throw new Error(`the shaders cannot be used: ${gl.getProgramInfoLog(this.handle)}`);
    }
    for (const name of uniforms) this[name] = gl.getUniformLocation(this.handle, name);
  }
}
