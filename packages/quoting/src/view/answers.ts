import type { StateCount } from '@sluice/simulation'

/** Characters of targets and bodies together: some thousand askers of ten tokens each. */
const MAX_SIZE = 2_000_000

/** Bodies that were made from one view of a chain, by the target of the request; what comes when it is full is not kept. */
export class Answers {
  private readonly bodies = new Map<string, string>()
  private size = 0
  private refused = 0

  get count(): StateCount {
    return { entries: this.bodies.size, evicted: this.refused }
  }

  get(target: string): string | undefined {
    return this.bodies.get(target)
  }

  clear(): void {
    this.bodies.clear()
    this.size = 0
  }

  keep(target: string, body: string): void {
    const size = target.length + body.length
    if (this.bodies.has(target)) return
    if (this.size + size > MAX_SIZE) {
      this.refused++
      return
    }
    this.bodies.set(target, body)
    this.size += size
  }
}
