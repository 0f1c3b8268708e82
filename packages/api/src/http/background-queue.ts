/** Runs background work of requests in batches. */

/** Time from the first task of a batch until the batch runs. */
const BATCH_DELAY_MS = 50
/** Maximum number of queued tasks. When it is reached, the batch runs at once. */
const MAX_QUEUED_TASKS = 1_000

/**
 * Queue of tasks that no client waits for, such as counting and logging requests. A batch takes a fraction of the time
 * that its tasks would take separately, and does not delay responses.
 */
export class BackgroundQueue {
  private queuedTasks: (() => void)[] = []
  private timer: NodeJS.Timeout | undefined

  add(task: () => void): void {
    this.timer ??= setTimeout(() => this.flush(), BATCH_DELAY_MS).unref()
    if (this.queuedTasks.push(task) >= MAX_QUEUED_TASKS) this.flush()
  }

  flush(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    const { queuedTasks: tasks } = this
    this.queuedTasks = []
    for (const task of tasks) task()
  }
}
