// @ts-check
/** Milliseconds of a frame that are too many, and frames in a row that must be for drafts. */
const [tooLong, enough] = [34, 4];
/** Milliseconds without a move that are rest, at least and at most. */
const [leastRest, mostRest] = [120, 2000];
/** Milliseconds between frames of one movement, at most; and after which slow frames are forgotten. */
const [longest, memory] = [5000, 20_000];

/** Tells whether frames of a moving camera take so long that they must be drawn as drafts. */
export class FramePace {
  /** Whether a hand holds the map: a camera that it has moved is not at rest until it lets go. */
  isHeld = false;
  #last = -Infinity;
  #interval = 0;
  #slow = 0;
  #slowUntil = 0;
  #timer = 0;
  #hasMoved = false;

  /** Whether the camera has moved a moment ago. */
  get isMoving() {
    return this.#timer !== 0;
  }

  /** Notes that the camera moves. `onRest` is called once it has come to rest. */
  move(onRest) {
    clearTimeout(this.#timer);
    this.#hasMoved = true;
    // Where frames are slow, moves are far apart.
    const rest = Math.min(Math.max(3 * this.#interval, leastRest), mostRest);
    this.#timer = setTimeout(() => this.#rest(onRest), rest);
  }

  #rest(onRest) {
    this.#timer = 0;
    if (this.isHeld) this.#timer = setTimeout(() => this.#rest(onRest), leastRest);
    else onRest();
  }

  /** Notes a frame at `now`, in milliseconds, and tells whether it is to be a draft: where `isSlow`, while the camera moves. */
  isDraft(now, isSlow = false) {
    const interval = now - this.#last;
    this.#last = now;
    // The camera may seem to be at rest already, where a frame has taken that long.
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
