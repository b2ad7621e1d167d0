// @ts-check
/**
 * Runs the current jobs, the most urgent first, a few at a time. Aborts jobs that are no longer wanted.
 *
 * A job is {key, priority, run}. `run(signal)` returns a promise that settles at the end of the job. The job with the
 * lowest `priority` runs first. A browser has six connections to a server with HTTP/1.1.
 */
export class TileQueue {
  #limit;
  #waiting = [];
  #running = new Map();

  constructor(limit = 6) {
    this.#limit = limit;
  }

  /** Number of waiting and running jobs. */
  get count() {
    return this.#waiting.length + this.#running.size;
  }

  /** Replaces all jobs with `jobs`. A job that already runs goes on. */
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
      // Only an aborted job rejects, and no caller waits for it.
      job.run(controller.signal).catch(() => {}).finally(() => {
        // An aborted job has already left its place, perhaps to another job with the same key.
        if (this.#running.get(job.key) === controller) this.#running.delete(job.key);
        this.#start();
      });
    }
  }
}
