/**
 * Refuses states in which liquidity would be negative. A contract cannot have such a state, so a node that returns one
 * is broken or malicious. Without this check, the math of a family would compute outputs from negative liquidity.
 */
import type { DexFamily, Pool } from '../../family.ts'
import { PoolRefusal } from '../../family.ts'
import { emptyCurve } from '../../math/curves.ts'

/** Liquidity of a pool as a function of the price. */
export type LiquidityPath = {
  /** Liquidity at the current price. */
  readonly inRange: bigint
  /** Changes of liquidity as the price falls, nearest first. */
  readonly changesBelow: Iterable<bigint>
  /** Changes of liquidity as the price rises, nearest first. */
  readonly changesAbove: Iterable<bigint>
}

/** True if the liquidity is negative at any price. */
function isContradictory({ inRange, changesBelow, changesAbove }: LiquidityPath): boolean {
  if (inRange < 0n) return true
  for (const changes of [changesBelow, changesAbove]) {
    let liquidity = inRange
    for (const change of changes) {
      liquidity += change
      if (liquidity < 0n) return true
    }
  }
  return false
}

/**
 * Returns the liquidity path of a pool with ticks. The net liquidity of a tick is added when the price rises past it.
 *
 * @param inRange - liquidity at the current price
 * @param tick - tick at the current price
 * @param ticks - all initialized ticks, ascending
 */
export function pathOfTicks(
  inRange: bigint,
  tick: number,
  ticks: readonly (readonly [tick: number, liquidityNet: bigint, ...rest: unknown[]])[],
): LiquidityPath {
  let firstAbove = ticks.findIndex(([initializedTick]) => initializedTick > tick)
  if (firstAbove < 0) firstAbove = ticks.length
  return {
    inRange,
    changesBelow: ticks
      .slice(0, firstAbove)
      .reverse()
      .map(([, net]) => -net),
    changesAbove: ticks.slice(firstAbove).map(([, net]) => net),
  }
}

/** Functions of a family that depend on the state of a pool. */
type StateFunctions<State> = Pick<DexFamily<State>, 'quoteExactInput' | 'maxInput' | 'priceCurve' | 'reserves'> &
  Partial<Pick<DexFamily<State>, 'inputFor' | 'outline'>>

/**
 * Wraps functions of a family, so that they refuse states with negative liquidity. Checks each state once.
 *
 * @param pathOf - returns null for a pool that needs no check
 */
export function withConsistentState<State extends object, F extends StateFunctions<State>>(
  functions: F,
  pathOf: (pool: Pool<State>) => LiquidityPath | null,
): F {
  const isContradictoryByState = new WeakMap<object, boolean>()
  const isRefused = (pool: Pool<State>): boolean => {
    let isRefusedState = isContradictoryByState.get(pool.state)
    if (isRefusedState === undefined) {
      const path = pathOf(pool)
      isRefusedState = path !== null && isContradictory(path)
      isContradictoryByState.set(pool.state, isRefusedState)
    }
    return isRefusedState
  }
  const assertConsistent = (pool: Pool<State>) => {
    if (isRefused(pool)) throw new PoolRefusal('UNSUPPORTED', 'its liquidity would be negative')
  }
  const { quoteExactInput, maxInput, priceCurve, reserves, inputFor, outline } = functions
  return {
    ...functions,
    quoteExactInput: (pool, ...swap) => {
      assertConsistent(pool)
      return quoteExactInput(pool, ...swap)
    },
    maxInput: (pool, ...tokens) => (isRefused(pool) ? 0n : maxInput(pool, ...tokens)),
    priceCurve: (pool, ...tokens) => (isRefused(pool) ? emptyCurve(1) : priceCurve(pool, ...tokens)),
    reserves: (pool) => (isRefused(pool) ? pool.tokens.map(() => 0n) : reserves(pool)),
    ...(inputFor && {
      inputFor: (...[pool, ...swap]: Parameters<NonNullable<DexFamily<State>['inputFor']>>) => {
        assertConsistent(pool)
        return inputFor(pool, ...swap)
      },
    }),
    ...(outline && {
      outline: (...[pool, priceBand]: Parameters<NonNullable<DexFamily<State>['outline']>>) => {
        assertConsistent(pool)
        return outline(pool, priceBand)
      },
    }),
  }
}
