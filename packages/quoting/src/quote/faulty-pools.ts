/** Remembers swaps that fail although the pool's math accepts them, such as those in a paused pool. */
import type { Address } from '@sluice/chains'
import type { Snapshot } from '@sluice/liquidity'
import type { InputLimit, Leg } from '@sluice/routing'
import { BoundedMap, type StateCount } from '@sluice/simulation'

const MAX_POOLS = 512
/** Directions of a pool; only pools with many tokens have more. */
const MAX_DIRECTIONS = 12
/** Seconds for which a failure is remembered. Each repeated failure doubles them, up to the maximum. */
const FIRST_SECONDS = 30
const MAX_SECONDS = 480

/** A leg that failed when it was run alone. */
export type FailedLeg = Pick<Leg, 'pool' | 'tokenIn' | 'tokenOut'> & {
  /** Minimum input that is known to fail, in base units; 0n if a small amount failed too. */
  readonly minFailing: bigint
  /** Maximum input that is known to work, in base units; 0n if none is. */
  readonly maxWorking: bigint
}

type Fault = {
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly minFailing: bigint
  readonly maxWorking: bigint
  /** Unix time in seconds until which the failure is remembered. */
  readonly until: number
  readonly seconds: number
}

/** Swaps that searches avoid, each until the pool's state changes or some minutes have passed. */
export class FaultyPools {
  private readonly faults = new BoundedMap<string, readonly Fault[]>(MAX_POOLS)

  get count(): StateCount {
    return this.faults.count
  }

  /** Returns the ids of pools that fail at any size. @param now - Unix time in seconds of the block */
  idsAt(now: number): readonly string[] {
    return [...this.faults].flatMap(([id, faults]) =>
      faults.some((fault) => fault.minFailing === 0n && isActive(fault, now)) ? [id] : [],
    )
  }

  /** Returns the largest inputs that work, of swaps that failed for their size. @param now - Unix time in seconds of the block */
  limitsAt(now: number): readonly InputLimit[] {
    return [...this.faults].flatMap(([poolId, faults]) =>
      faults
        .filter((fault) => fault.minFailing > 0n && isActive(fault, now))
        .map(({ tokenIn, tokenOut, maxWorking }) => ({ poolId, tokenIn, tokenOut, maxInput: maxWorking })),
    )
  }

  /** Records swaps that failed at a block. @param now - Unix time in seconds of the block */
  record(legs: readonly FailedLeg[], now: number): void {
    for (const leg of legs) {
      const faults = this.faults.peek(leg.pool.id) ?? []
      const last = faults.find((fault) => isSameDirection(fault, leg))
      const otherFaults = faults.filter((fault) => fault !== last).slice(0, MAX_DIRECTIONS - 1)
      this.faults.set(leg.pool.id, [...otherFaults, nextFault(leg, last, now)])
    }
  }

  /** Forgets the pools that a block has changed, because swaps in them may work again. */
  follow({ changedIds: changed }: Pick<Snapshot, 'changedIds'>): void {
    if (changed) for (const id of changed) this.faults.delete(id)
    else this.forget()
  }

  /** Forgets all pools. Called when the chain becomes idle, because its later blocks are not observed. */
  forget(): void {
    this.faults.clear()
  }
}

function nextFault(failedLeg: FailedLeg, last: Fault | undefined, now: number): Fault {
  const { tokenIn, tokenOut, minFailing, maxWorking } = failedLeg
  // A smaller amount that fails replaces a larger one, and so does what works below it.
  if (last && isActive(last, now)) return minFailing < last.minFailing ? { ...last, minFailing, maxWorking } : last
  const seconds = last ? Math.min(2 * last.seconds, MAX_SECONDS) : FIRST_SECONDS
  return { tokenIn, tokenOut, minFailing, maxWorking, until: now + seconds, seconds }
}

const isActive = ({ until, seconds }: Fault, now: number): boolean => now < until && now >= until - seconds

function isSameDirection(fault: Fault, { tokenIn, tokenOut }: Pick<Leg, 'tokenIn' | 'tokenOut'>): boolean {
  return fault.tokenIn === tokenIn && fault.tokenOut === tokenOut
}
