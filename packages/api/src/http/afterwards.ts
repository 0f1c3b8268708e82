/** Milliseconds that a work waits at most, unless the process is busy. */
const PAUSE_MS = 50
/** Works that wait at most. */
const MOST = 1_000

/**
 * Work that no caller waits for, such as counting and logging what was answered: done for many requests at a time, when it takes a
 * fraction of what it takes between the steps of each, and never before an answer that is ready to be sent.
 */
export class Afterwards {
  private works: (() => void)[] = []
  private timer: NodeJS.Timeout | undefined

  add(work: () => void): void {
    this.timer ??= setTimeout(() => this.flush(), PAUSE_MS).unref()
    if (this.works.push(work) >= MOST) this.flush()
  }

  /** Does all that waits. */
  flush(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    const { works } = this
    this.works = []
    for (const work of works) work()
  }
}
