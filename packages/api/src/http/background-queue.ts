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

  /**
   * Runs all queued tasks. A task that throws does not keep the others from running; its error is thrown afterwards.
   */
  flush(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    const { queuedTasks: tasks } = this
    this.queuedTasks = []
    const errors: unknown[] = []
    for (const task of tasks)
      try {
        task()
      } catch (error) {
        errors.push(error)
      }
    if (errors.length > 0) throw errors[0]
  }
}
