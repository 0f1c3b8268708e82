/** Remembers swaps that fail although the pool's math accepts them, such as swaps in a paused pool. */
import type { Address } from '@sluice/chains'
import type { Snapshot } from '@sluice/liquidity'
import type { InputLimit, Leg } from '@sluice/routing'
import { BoundedMap, type StateCount } from '@sluice/simulation'

/** Maximum pools with remembered failures. */
const MAX_POOLS = 512
/** Maximum directions per pool; only pools with many tokens have more. */
const MAX_DIRECTIONS = 12
/** Seconds for which a first failure is remembered. Each repeated failure doubles this time. */
const INITIAL_SECONDS = 30
/** Maximum seconds for which a repeated failure is remembered. */
const MAX_SECONDS = 480

/** A leg that failed when it was run alone. */
export type FailedLeg = Pick<Leg, 'pool' | 'tokenIn' | 'tokenOut'> & {
  /** Minimum input that is known to fail, in base units; 0n if a small amount failed too. */
  readonly minFailingInput: bigint
  /** Maximum input that is known to work, in base units; 0n if no input is known to work. */
  readonly maxWorkingInput: bigint
}

type Fault = {
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly minFailingInput: bigint
  readonly maxWorkingInput: bigint
  /** True if the pool trades further tokens, whose swaps may work. */
  readonly hasOtherTokens: boolean
  /** Unix time in seconds until which the failure is remembered. */
  readonly rememberedUntil: number
  /** Duration for which the failure is remembered. */
  readonly rememberedSeconds: number
}

/** Swaps that searches avoid, each until the pool's state changes or some minutes have passed. */
export class FaultyPools {
  private readonly faults = new BoundedMap<string, readonly Fault[]>(MAX_POOLS)

  get count(): StateCount {
    return this.faults.count
  }

  /** Returns the ids of pools whose swaps fail at any size. @param now - Unix time in seconds of the block */
  idsAt(now: number): readonly string[] {
    return [...this.faults].flatMap(([id, faults]) =>
      faults.some((fault) => affectsWholePool(fault) && isActive(fault, now)) ? [id] : [],
    )
  }

  /**
   * Returns input limits of swaps that failed because of their size. In pools with more than two tokens, some swaps
   * fail at any size, for example because one token is frozen. Returns limits of zero for these swaps.
   *
   * @param now - Unix time in seconds of the block
   */
  inputLimitsAt(now: number): readonly InputLimit[] {
    return [...this.faults].flatMap(([poolId, faults]) =>
      faults
        .filter((fault) => !affectsWholePool(fault) && isActive(fault, now))
        .map(({ tokenIn, tokenOut, maxWorkingInput }) => ({ poolId, tokenIn, tokenOut, maxInput: maxWorkingInput })),
    )
  }

  /** Records swaps that failed at a block. @param now - Unix time in seconds of the block */
  record(legs: readonly FailedLeg[], now: number): void {
    for (const leg of legs) {
      const faults = this.faults.peek(leg.pool.id) ?? []
      const previousFault = faults.find((fault) => isSameDirection(fault, leg))
      const otherFaults = faults.filter((fault) => fault !== previousFault).slice(0, MAX_DIRECTIONS - 1)
      this.faults.set(leg.pool.id, [...otherFaults, nextFault(leg, previousFault, now)])
    }
  }

  /** Forgets the pools that a block has changed, because swaps in them may work again. */
  forgetChanged({ changedIds }: Pick<Snapshot, 'changedIds'>): void {
    if (changedIds) for (const id of changedIds) this.faults.delete(id)
    else this.forget()
  }

  /** Forgets all pools. Called when the process stops following the chain, because later blocks are not observed. */
  forget(): void {
    this.faults.clear()
  }
}

function nextFault(failedLeg: FailedLeg, previousFault: Fault | undefined, now: number): Fault {
  const { pool, tokenIn, tokenOut, minFailingInput, maxWorkingInput } = failedLeg
  // While the fault is active, only a smaller failing input replaces its bounds.
  if (previousFault && isActive(previousFault, now))
    return minFailingInput < previousFault.minFailingInput
      ? { ...previousFault, minFailingInput, maxWorkingInput }
      : previousFault
  const rememberedSeconds = previousFault ? Math.min(2 * previousFault.rememberedSeconds, MAX_SECONDS) : INITIAL_SECONDS
  return {
    tokenIn,
    tokenOut,
    minFailingInput,
    maxWorkingInput,
    hasOtherTokens: pool.tokens.length > 2,
    rememberedUntil: now + rememberedSeconds,
    rememberedSeconds,
  }
}

const affectsWholePool = ({ minFailingInput, hasOtherTokens }: Fault): boolean =>
  minFailingInput === 0n && !hasOtherTokens

const isActive = ({ rememberedUntil, rememberedSeconds }: Fault, now: number): boolean =>
  now < rememberedUntil && now >= rememberedUntil - rememberedSeconds

function isSameDirection(fault: Fault, { tokenIn, tokenOut }: Pick<Leg, 'tokenIn' | 'tokenOut'>): boolean {
  return fault.tokenIn === tokenIn && fault.tokenOut === tokenOut
}
