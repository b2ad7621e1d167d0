// @ts-check
import { CameraError } from "./CameraError.js";

/** No padding at any edge. */
export const noInsets = Object.freeze({ top: 0, left: 0, bottom: 0, right: 0 });

/** The rectangle of a map, in points. Its origin is the top left corner, and y grows downwards. */
export class Viewport {
  /** `padding` is the covered space at the edges. The camera looks at the centre of the remaining space. */
  constructor(width, height, padding = noInsets) {
    if (padding.left + padding.right >= width || padding.top + padding.bottom >= height) {
      throw new CameraError("paddingFillsView");
    }
    this.width = width;
    this.height = height;
    this.padding = padding;
  }

  /** Returns the viewport with `padding` if some space remains, otherwise without padding (docs/spec/model.md 6.4). */
  static fitting(width, height, padding) {
    const fits = padding.left + padding.right < width && padding.top + padding.bottom < height;
    return new Viewport(width, height, fits ? padding : noInsets);
  }

  /** The point of the camera's target. */
  get center() {
    const { top, left, bottom, right } = this.padding;
    return { x: (left + this.width - right) / 2, y: (top + this.height - bottom) / 2 };
  }
}
