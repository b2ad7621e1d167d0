// @ts-check
import { CameraError } from "./CameraError.js";

/** No padding at any edge. */
export const noInsets = Object.freeze({ top: 0, left: 0, bottom: 0, right: 0 });

/** The rectangle a map is seen in, in points: its origin is the top left corner, y grows downwards. */
export class Viewport {
  /** `padding` is what is covered at the edges: the camera looks at the middle of what it leaves. */
  constructor(width, height, padding = noInsets) {
    if (padding.left + padding.right >= width || padding.top + padding.bottom >= height) {
      throw new CameraError("paddingFillsView");
    }
    this.width = width;
    this.height = height;
    this.padding = padding;
  }

  /** The same with as much of `padding` as leaves something of the view: all or nothing (docs/spec/model.md 6.4). */
  static fitting(width, height, padding) {
    const fits = padding.left + padding.right < width && padding.top + padding.bottom < height;
    return new Viewport(width, height, fits ? padding : noInsets);
  }

  /** Where the camera's target is drawn. */
  get center() {
    const { top, left, bottom, right } = this.padding;
    return { x: (left + this.width - right) / 2, y: (top + this.height - bottom) / 2 };
  }
}
