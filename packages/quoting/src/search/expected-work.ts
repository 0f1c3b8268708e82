import type { Snapshot } from '@sluice/liquidity'
import type { ExactOutputRequest, RouteRequest } from '@sluice/routing'
import { Bounded } from '@sluice/simulation'

/** Pairs of tokens that are remembered; those that were seen last. */
const MOST_PAIRS = 1_000

type Request = RouteRequest | ExactOutputRequest

/** Work that searches are expected to take: as much as the last one of the same pair did in the same state of the chain. */
export class ExpectedWork {
  private state: Snapshot | undefined
  private units = new Bounded<string, number>(MOST_PAIRS)

  /** Units; 0 where there was no such search. */
  of(state: Snapshot, request: Request): number {
    return (state === this.state && this.units.get(pairOf(request))) || 0
  }

  learn(state: Snapshot, request: Request, units: number): void {
    if (state !== this.state) this.units = new Bounded(MOST_PAIRS)
    this.state = state
    this.units.set(pairOf(request), units)
  }
}

const pairOf = ({ tokenIn, tokenOut }: Request) => `${tokenIn}${tokenOut}`
