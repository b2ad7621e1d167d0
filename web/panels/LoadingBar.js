// @ts-check
/** Milliseconds for which tiles must be on their way before the bar appears. */
const delay = 300;

/** A thin bar at the upper edge while the map waits for tiles. It does not appear for tiles that come at once. */
export class LoadingBar {
  #timer = 0;

  /**
   * @param {HTMLElement} target
   * @param {import("../map/MapCanvas.js").MapCanvas} map
   */
  constructor(target, map) {
    map.addEventListener("frame", () => {
      if (!map.isLoading) {
        clearTimeout(this.#timer);
        this.#timer = 0;
        target.hidden = true;
      }
      else this.#timer ||= setTimeout(() => { target.hidden = false; }, delay);
    });
  }
}
