// @ts-check
/**
 * Runs the jobs that are wanted now, the most urgent first, a few at a time. Jobs that are no longer wanted are aborted.
 *
 * A job is {key, priority, run}: `run(signal)` returns a promise that settles when it is done; the least `priority` goes
 * first. A browser has six connections to a server that speaks HTTP/1.1.
 */
export class TileQueue {
  #limit;
  #waiting = [];
  #running = new Map();

  constructor(limit = 6) {
    this.#limit = limit;
  }

  /** How many jobs wait or run. */
  get count() {
    return this.#waiting.length + this.#running.size;
  }

  /** Makes `jobs` all that is wanted. One that runs already goes on. */
  replace(jobs) {
    const wanted = new Map(jobs.map((job) => [job.key, job]));
    for (const [key, controller] of this.#running) {
      if (wanted.delete(key)) continue;
      this.#running.delete(key);
      controller.abort();
    }
    this.#waiting = [...wanted.values()].sort((first, second) => second.priority - first.priority);
    this.#start();
  }

  #start() {
    while (this.#running.size < this.#limit && this.#waiting.length > 0) {
      const job = this.#waiting.pop();
      const controller = new AbortController();
      this.#running.set(job.key, controller);
      // Only an aborted job rejects, and nobody waits for it.
      job.run(controller.signal).catch(() => {}).finally(() => {
        // An aborted job has left its place already, perhaps to another of its key.
        if (this.#running.get(job.key) === controller) this.#running.delete(job.key);
        this.#start();
      });
    }
  }
}
