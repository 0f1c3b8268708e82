/** Cache of response bodies for one view of a chain. */
import type { StateCount } from '@sluice/simulation'

/** Maximum characters of all targets and bodies together: enough for some thousand clients with ten tokens each. */
const MAX_SIZE = 2_000_000

/** Response bodies by request target (the path and query of a URL). Bodies beyond the limit are not stored. */
export class ResponseCache {
  private readonly bodies = new Map<string, string>()
  private size = 0
  private refusedCount = 0

  get count(): StateCount {
    return { entries: this.bodies.size, evicted: this.refusedCount }
  }

  get(target: string): string | undefined {
    return this.bodies.get(target)
  }

  clear(): void {
    this.bodies.clear()
    this.size = 0
  }

  store(target: string, body: string): void {
    const size = target.length + body.length
    if (this.bodies.has(target)) return
    if (this.size + size > MAX_SIZE) {
      this.refusedCount++
      return
    }
    this.bodies.set(target, body)
    this.size += size
  }
}
