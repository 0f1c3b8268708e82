/** Lets a number of works run at a time; the others wait in the order in which they came. With one it is a mutex. */
export class Semaphore {
  private free: number
  private readonly waiting: (() => void)[] = []
  private readonly underWay = new Set<Promise<unknown>>()

  constructor(atOnce: number) {
    this.free = atOnce
  }

  /** Never begins the work before it returns. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.turn().then(async () => {
      try {
        return await work()
      } finally {
        const next = this.waiting.shift()
        if (next) next()
        else this.free++
      }
    })
    const ended = result.then(
      () => {},
      () => {},
    )
    this.underWay.add(ended)
    void ended.then(() => this.underWay.delete(ended))
    return result
  }

  /** Resolves when every work so far has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.underWay)
  }

  private async turn(): Promise<void> {
    if (this.free > 0) this.free--
    else await new Promise<void>((resolve) => this.waiting.push(resolve))
  }
}
