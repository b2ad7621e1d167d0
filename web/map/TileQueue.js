// @ts-check
import { fewest, mostAborts } from "./requestLimit.js";

/**
 * Runs the current jobs, the most urgent first, a few at a time. Aborts jobs that are no longer wanted.
 *
 * A job is {key, priority, run}. `run(signal)` returns a promise that settles at the end of the job. The job with the
 * lowest `priority` runs first.
 */
export class TileQueue {
  #limit;
  #waiting = [];
  #running = new Map();
  #aborts = mostAborts;
  #countedAt;
  #now;

  /** `now` returns the time in milliseconds. */
  constructor(limit = fewest, now = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
    this.#countedAt = now();
  }

  /** Number of waiting and running jobs. */
  get count() {
    return this.#waiting.length + this.#running.size;
  }

  /** Maximum number of running jobs. Jobs that already run go on if a lower limit is set. */
  get limit() {
    return this.#limit;
  }

  set limit(limit) {
    this.#limit = limit;
    this.#start();
  }

  /**
   * Replaces all jobs with `jobs`. A job that already runs goes on. An unwanted job goes on too if too many jobs were
   * aborted lately. The unwanted job keeps its place, which slows the queue down to the pace of the server.
   */
  replace(jobs) {
    const wanted = new Map(jobs.map((job) => [job.key, job]));
    for (const [key, controller] of this.#running) {
      if (wanted.delete(key) || !this.#takeAbort()) continue;
      this.#running.delete(key);
      controller.abort();
    }
    this.#waiting = [...wanted.values()].sort((first, second) => second.priority - first.priority);
    this.#start();
  }

  /**
   * Counts an abort. Returns false if the job must go on. Over HTTP/1.1 all aborts are allowed, because no stream is
   * reset.
   */
  #takeAbort() {
    if (this.#limit <= fewest) return true;
    const now = this.#now();
    this.#aborts = Math.min(mostAborts, this.#aborts + (mostAborts * (now - this.#countedAt)) / 10_000);
    this.#countedAt = now;
    if (this.#aborts < 1) return false;
    this.#aborts -= 1;
    return true;
  }

  #start() {
    while (this.#running.size < this.#limit && this.#waiting.length > 0) {
      const job = this.#waiting.pop();
      const controller = new AbortController();
      this.#running.set(job.key, controller);
      // Only an aborted job rejects, and no caller waits for it.
      job.run(controller.signal).catch(() => {}).finally(() => {
        // An aborted job has already left its place, perhaps to another job with the same key.
        if (this.#running.get(job.key) === controller) this.#running.delete(job.key);
        this.#start();
      });
    }
  }
}
