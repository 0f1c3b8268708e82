/** Batches background work of requests. */

/** Delay before a batch runs; longer only if the event loop is busy. */
const BATCH_DELAY_MS = 50
/** Maximum queued tasks; reaching it runs the batch at once. */
const MAX_QUEUED_TASKS = 1_000

/**
 * Queue of work that no client waits for, such as counting and logging requests. A batch over many requests takes a fraction of
 * the time of separate calls, and does not delay responses.
 */
export class BackgroundQueue {
  private queuedTasks: (() => void)[] = []
  private timer: NodeJS.Timeout | undefined

  add(task: () => void): void {
    this.timer ??= setTimeout(() => this.flush(), BATCH_DELAY_MS).unref()
    if (this.queuedTasks.push(task) >= MAX_QUEUED_TASKS) this.flush()
  }

  /** Runs all queued tasks. */
  flush(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    const { queuedTasks: tasks } = this
    this.queuedTasks = []
    for (const task of tasks) task()
  }
}
