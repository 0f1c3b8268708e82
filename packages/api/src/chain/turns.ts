/** Lets a number of works run at a time; the others wait in the order in which they came. */
export class Turns {
  private free: number
  private readonly waiting: (() => void)[] = []

  constructor(atOnce: number) {
    this.free = atOnce
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--
    else await new Promise<void>((resolve) => this.waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.waiting.shift()
      if (next) next()
      else this.free++
    }
  }
}
