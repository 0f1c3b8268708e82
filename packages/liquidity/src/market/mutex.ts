/** One task at a time, in the order in which they came. */
export class Mutex {
  private last: Promise<unknown> = Promise.resolve()

  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.last.then(task)
    this.last = result.catch(() => undefined)
    return result
  }

  /** Resolves when every task so far has ended. */
  async idle(): Promise<void> {
    await this.last
  }
}
