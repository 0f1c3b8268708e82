/** Estimates the work of route searches. */
import type { ExactOutputRequest, RouteRequest } from '@sluice/routing'
import { BoundedMap } from '@sluice/simulation'

/** Maximum remembered searches. The least recently used are dropped. */
const MAX_SEARCHES = 1_000

type Request = RouteRequest | ExactOutputRequest

/** Predicts the work of a search by the last search of the same pair whose amount had as many digits. */
export class ExpectedWork {
  private readonly unitsByKey = new BoundedMap<string, number>(MAX_SEARCHES)

  /** Returns the expected work units; 0 if no earlier search is comparable. */
  unitsFor(request: Request): number {
    return this.unitsByKey.get(keyOf(request)) ?? 0
  }

  record(request: Request, units: number): void {
    this.unitsByKey.set(keyOf(request), units)
  }
}

function keyOf(request: Request): string {
  const [side, amount] = 'amountIn' in request ? ['in', request.amountIn] : ['out', request.amountOut]
  return `${request.tokenIn} ${request.tokenOut} ${side} ${String(amount).length}`
}
