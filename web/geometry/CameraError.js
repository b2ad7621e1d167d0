// @ts-check
/**
 * Reason why a camera is not possible. `reason` is aboveHorizon, southAboveNorth, notFinite, outOfRange or
 * paddingFillsView.
 */
export class CameraError extends Error {
  constructor(reason) {
    super(reason);
    this.name = "CameraError";
    this.reason = reason;
  }
}
