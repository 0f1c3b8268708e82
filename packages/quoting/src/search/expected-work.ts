import type { ExactOutputRequest, RouteRequest } from '@sluice/routing'
import { Bounded } from '@sluice/simulation'

/** Searches that are remembered; those that were made last. */
const MOST_KNOWN = 1_000

type Request = RouteRequest | ExactOutputRequest

/** Work that searches are expected to take: as much as the last one of the same pair did, for an amount of as many digits. */
export class ExpectedWork {
  private readonly units = new Bounded<string, number>(MOST_KNOWN)

  /** Units; 0 where there was no such search. */
  of(request: Request): number {
    return this.units.get(keyOf(request)) ?? 0
  }

  learn(request: Request, units: number): void {
    this.units.set(keyOf(request), units)
  }
}

function keyOf(request: Request): string {
  const [side, amount] = 'amountIn' in request ? ['in', request.amountIn] : ['out', request.amountOut]
  return `${request.tokenIn} ${request.tokenOut} ${side} ${String(amount).length}`
}
