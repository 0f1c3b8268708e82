/** Executes a route leg by leg in exact integers and says what it pays: a router's own claim never counts. */
import { pairOut, type StableState, stableOut, type TickState, tickSwap } from './pool-maths.ts'
import type { ScenarioLeg } from './route.ts'
import type { Scenario, ScenarioPool, ScenarioTrade } from './scenario.ts'
import { YARDSTICK } from './yardstick.ts'

export type Evaluation = {
  readonly amountOut: bigint
  /** By the benchmark's yardstick. */
  readonly gas: number
  /** Legs whose pool had not enough liquidity: what they left unspent is lost. */
  readonly unspent: number
}

type PairState = { readonly reserves: readonly [bigint, bigint]; readonly feePpm: bigint }
type State =
  | { readonly type: 'v2'; readonly state: PairState }
  | { readonly type: 'v3'; readonly state: TickState }
  | { readonly type: 'stable'; readonly state: StableState }
type Swapped = { readonly after: State; readonly amountOut: bigint; readonly gas: number; readonly unspent: bigint }

/** Each leg swaps floor(what is held of its token × num / den), in order; a pool keeps what earlier legs did to it. */
export function evaluate(scenario: Scenario, trade: ScenarioTrade, legs: readonly ScenarioLeg[]): Evaluation {
  const states = new Map<number, State>()
  const held = new Map<number, bigint>([[trade.tokenIn, BigInt(trade.amountIn)]])
  let gas = YARDSTICK.route
  let unspent = 0
  for (const { pool: id, tokenIn, tokenOut, num, den } of legs) {
    const pool = scenario.pools[id]
    if (!pool) throw new RangeError(`the scenario has no pool ${id}`)
    const from = sideOf(pool, tokenIn, tokenOut)
    const balance = held.get(tokenIn) ?? 0n
    const amountIn = (balance * BigInt(num)) / BigInt(den)
    if (amountIn > balance) throw new RangeError(`pool ${id}: the leg spends more than is held`)
    if (amountIn <= 0n) continue
    const swapped = swap(states.get(id) ?? load(pool), from, amountIn)
    states.set(id, swapped.after)
    held.set(tokenIn, balance - amountIn)
    held.set(tokenOut, (held.get(tokenOut) ?? 0n) + swapped.amountOut)
    gas += swapped.gas
    if (swapped.unspent > 0n) unspent++
  }
  return { amountOut: held.get(trade.tokenOut) ?? 0n, gas, unspent }
}

function sideOf({ id, token0, token1 }: ScenarioPool, tokenIn: number, tokenOut: number): 0 | 1 {
  if (tokenIn === token0 && tokenOut === token1) return 0
  if (tokenIn === token1 && tokenOut === token0) return 1
  throw new RangeError(`pool ${id} does not trade ${tokenIn} for ${tokenOut}`)
}

function load(pool: ScenarioPool): State {
  const feePpm = BigInt(pool.feePpm)
  switch (pool.type) {
    case 'v2':
      return { type: 'v2', state: { reserves: [BigInt(pool.reserve0), BigInt(pool.reserve1)], feePpm } }
    case 'v3': {
      const { tick, tickSpacing: spacing } = pool
      const ticks = pool.ticks.map(([index, net]) => [index, BigInt(net)] as const)
      const [sqrtPrice, liquidity] = [BigInt(pool.sqrtPriceX96), BigInt(pool.liquidity)]
      return { type: 'v3', state: { sqrtPrice, tick, liquidity, ticks, spacing, feePpm } }
    }
    case 'stable': {
      const balances = [BigInt(pool.balance0), BigInt(pool.balance1)] as const
      const rates = [BigInt(pool.rate0), BigInt(pool.rate1)] as const
      return { type: 'stable', state: { balances, rates, A: BigInt(pool.A), feePpm } }
    }
  }
}

function swap(pool: State, from: 0 | 1, amountIn: bigint): Swapped {
  const { hop, tick } = YARDSTICK
  switch (pool.type) {
    case 'v2': {
      const { reserves, feePpm } = pool.state
      const amountOut = pairOut(reserves[from], reserves[1 - from]!, feePpm, amountIn)
      const after: State = { type: 'v2', state: { feePpm, reserves: moved(reserves, from, amountIn, amountOut) } }
      return { after, amountOut, gas: hop['uniswap-v2'], unspent: 0n }
    }
    case 'v3': {
      const { state, amountOut, crossed, unspent } = tickSwap(pool.state, amountIn, from === 0)
      return { after: { type: 'v3', state }, amountOut, gas: hop['uniswap-v3'] + tick * crossed, unspent }
    }
    case 'stable': {
      const amountOut = stableOut(pool.state, from, amountIn)
      const balances = moved(pool.state.balances, from, amountIn, amountOut)
      return {
        after: { type: 'stable', state: { ...pool.state, balances } },
        amountOut,
        gas: hop['curve-stable'],
        unspent: 0n,
      }
    }
  }
}

function moved(balances: readonly [bigint, bigint], from: 0 | 1, amountIn: bigint, amountOut: bigint) {
  const [a, b] = balances
  return from === 0 ? ([a + amountIn, b - amountOut] as const) : ([a - amountOut, b + amountIn] as const)
}
