// @ts-check
/** Milliseconds of a slow frame, and number of slow frames in a row after which the camera's frames are drafts. */
const [tooLong, enough] = [34, 4];
/** Minimum and maximum time without a movement after which the camera is at rest, in milliseconds. */
const [leastRest, mostRest] = [120, 2000];
/** Maximum time between two frames of one movement, and time after which slow frames are forgotten, in milliseconds. */
const [longest, memory] = [5000, 20_000];

/** Decides whether frames of a moving camera must be drawn as drafts, because full frames take too long. */
export class FramePace {
  /** True while the user holds the map. The camera is not at rest before the user releases the map. */
  isHeld = false;
  #last = -Infinity;
  #interval = 0;
  #slow = 0;
  #slowUntil = 0;
  #timer = 0;
  #hasMoved = false;

  /** True if the camera has moved recently. */
  get isMoving() {
    return this.#timer !== 0;
  }

  /** Notes that the camera moves. Calls `onRest` when it is at rest. */
  move(onRest) {
    clearTimeout(this.#timer);
    this.#hasMoved = true;
    // With slow frames the movements arrive at longer intervals, so wait longer.
    const rest = Math.min(Math.max(3 * this.#interval, leastRest), mostRest);
    this.#timer = setTimeout(() => this.#rest(onRest), rest);
  }

  #rest(onRest) {
    this.#timer = 0;
    if (this.isHeld) this.#timer = setTimeout(() => this.#rest(onRest), leastRest);
    else onRest();
  }

  /**
   * Notes a frame at `now`, in milliseconds, and reports whether it is a draft. On a slow surface (`isSlow`) every
   * frame of a moving camera is a draft.
   */
  isDraft(now, isSlow = false) {
    const interval = now - this.#last;
    this.#last = now;
    // During a long frame the timer may have ended already, although the camera still moves.
    const isMoving = this.#hasMoved || this.isMoving;
    this.#hasMoved = false;
    if (isMoving && interval < longest) {
      this.#interval = interval;
      this.#slow = interval > tooLong ? this.#slow + 1 : 0;
      if (this.#slow >= enough) this.#slowUntil = now + memory;
    }
    return isMoving && (isSlow || now <= this.#slowUntil);
  }
}
