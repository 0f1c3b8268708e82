/** Evaluates the route of any router: executes it leg by leg on the scenario's pools, in exact integers. */

import { COMPARISON_GAS } from './comparison-gas.ts'
import { pairOutput, type StableState, stableOutput, swapThroughTicks, type TickState } from './pool-math.ts'
import type { ScenarioLeg } from './route.ts'
import type { Scenario, ScenarioPool, ScenarioTrade } from './scenario.ts'

export type Evaluation = {
  readonly amountOut: bigint
  /** Gas of the route by `COMPARISON_GAS`. */
  readonly gas: number
  /** Number of legs whose pool had too little liquidity for their input. The unspent input is lost. */
  readonly incompleteLegs: number
}

type V2State = { readonly reserves: readonly [bigint, bigint]; readonly feePpm: bigint }
type State =
  | { readonly type: 'v2'; readonly state: V2State }
  | { readonly type: 'v3'; readonly state: TickState }
  | { readonly type: 'stable'; readonly state: StableState }
type EvaluatedSwap = {
  /** State of the pool after the swap. */
  readonly stateAfter: State
  readonly amountOut: bigint
  readonly gas: number
  /** Part of the input that the pool has no liquidity for, in base units. */
  readonly unspentInput: bigint
}

/** Current states of a scenario's pools. `swap` changes the state of a pool; `quote` does not. */
export class PoolStates {
  private readonly scenario: Scenario
  private readonly states = new Map<number, State>()

  constructor(scenario: Scenario) {
    this.scenario = scenario
  }

  quote(pool: number, tokenIn: number, tokenOut: number, amountIn: bigint): EvaluatedSwap {
    return swapInState(this.stateOf(pool), sideOf(this.poolOf(pool), tokenIn, tokenOut), amountIn)
  }

  swap(pool: number, tokenIn: number, tokenOut: number, amountIn: bigint): EvaluatedSwap {
    const swapResult = this.quote(pool, tokenIn, tokenOut, amountIn)
    this.states.set(pool, swapResult.stateAfter)
    return swapResult
  }

  otherToken(pool: number, token: number): number {
    const { token0, token1 } = this.poolOf(pool)
    return token === token0 ? token1 : token0
  }

  familyOf(pool: number): keyof typeof COMPARISON_GAS.hop {
    return ({ v2: 'uniswap-v2', v3: 'uniswap-v3', stable: 'curve-stable' } as const)[this.poolOf(pool).type]
  }

  private stateOf(id: number): State {
    const cached = this.states.get(id)
    if (cached) return cached
    const loadedState = stateOfPool(this.poolOf(id))
    this.states.set(id, loadedState)
    return loadedState
  }

  private poolOf(id: number): ScenarioPool {
    const pool = this.scenario.pools[id]
    if (!pool) throw new RangeError(`the scenario has no pool ${id}`)
    return pool
  }
}

/**
 * Executes the legs in order. Each leg swaps floor(balance × num / den), where the balance is the amount of its
 * `tokenIn` after the earlier legs. The states of pools include the changes by earlier legs.
 */
export function evaluate(scenario: Scenario, trade: ScenarioTrade, legs: readonly ScenarioLeg[]): Evaluation {
  const poolStates = new PoolStates(scenario)
  const balances = new Map<number, bigint>([[trade.tokenIn, BigInt(trade.amountIn)]])
  let gas = COMPARISON_GAS.route
  let incompleteLegs = 0
  for (const { pool, tokenIn, tokenOut, num, den } of legs) {
    const balance = balances.get(tokenIn) ?? 0n
    const amountIn = (balance * BigInt(num)) / BigInt(den)
    if (amountIn > balance) throw new RangeError(`pool ${pool}: the leg spends more than the balance`)
    if (amountIn <= 0n) continue
    const swapResult = poolStates.swap(pool, tokenIn, tokenOut, amountIn)
    balances.set(tokenIn, balance - amountIn)
    balances.set(tokenOut, (balances.get(tokenOut) ?? 0n) + swapResult.amountOut)
    gas += swapResult.gas
    if (swapResult.unspentInput > 0n) incompleteLegs++
  }
  return { amountOut: balances.get(trade.tokenOut) ?? 0n, gas, incompleteLegs }
}

/**
 * Executes paths one after the other, each with its own part of the amount. The states of pools include the changes by
 * earlier paths.
 */
export function evaluatePaths(
  scenario: Scenario,
  trade: ScenarioTrade,
  paths: readonly { readonly amountIn: bigint | string; readonly hops: readonly Omit<ScenarioLeg, 'num' | 'den'>[] }[],
): Evaluation {
  const poolStates = new PoolStates(scenario)
  const gasByPool = new Map<number, number>()
  let amountOut = 0n
  let spentAmount = 0n
  let incompleteLegs = 0
  for (const path of paths) {
    let balance = BigInt(path.amountIn)
    let token = trade.tokenIn
    spentAmount += balance
    for (const { pool, tokenIn, tokenOut } of path.hops) {
      if (tokenIn !== token) throw new RangeError(`the path breaks off before pool ${pool}`)
      const swapResult = poolStates.swap(pool, tokenIn, tokenOut, balance)
      balance = swapResult.amountOut
      token = tokenOut
      const baseGas = COMPARISON_GAS.hop[poolStates.familyOf(pool)]
      // One leg can serve all paths through a pool. Its base gas counts once, and the ticks of each path count.
      gasByPool.set(pool, (gasByPool.get(pool) ?? baseGas) + swapResult.gas - baseGas)
      if (swapResult.unspentInput > 0n) incompleteLegs++
    }
    if (token !== trade.tokenOut) throw new RangeError('a path ends at another token')
    amountOut += balance
  }
  if (spentAmount > BigInt(trade.amountIn)) throw new RangeError('the paths spend more than the amount')
  return {
    amountOut,
    gas: [...gasByPool.values()].reduce((sum, gas) => sum + gas, COMPARISON_GAS.route),
    incompleteLegs,
  }
}

/** Returns the index of the input token in the pool. */
function sideOf({ id, token0, token1 }: ScenarioPool, tokenIn: number, tokenOut: number): 0 | 1 {
  if (tokenIn === token0 && tokenOut === token1) return 0
  if (tokenIn === token1 && tokenOut === token0) return 1
  throw new RangeError(`pool ${id} does not trade ${tokenIn} for ${tokenOut}`)
}

function stateOfPool(pool: ScenarioPool): State {
  const feePpm = BigInt(pool.feePpm)
  switch (pool.type) {
    case 'v2':
      return { type: 'v2', state: { reserves: [BigInt(pool.reserve0), BigInt(pool.reserve1)], feePpm } }
    case 'v3': {
      const { tick, tickSpacing: spacing } = pool
      const ticks = pool.ticks.map(
        ([initializedTick, liquidityNet]) => [initializedTick, BigInt(liquidityNet)] as const,
      )
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

function swapInState(pool: State, inputSide: 0 | 1, amountIn: bigint): EvaluatedSwap {
  const { hop, tick } = COMPARISON_GAS
  switch (pool.type) {
    case 'v2': {
      const { reserves, feePpm } = pool.state
      const amountOut = pairOutput(reserves[inputSide], reserves[1 - inputSide]!, feePpm, amountIn)
      const stateAfter: State = {
        type: 'v2',
        state: { feePpm, reserves: moveBalances(reserves, inputSide, amountIn, amountOut) },
      }
      return { stateAfter, amountOut, gas: hop['uniswap-v2'], unspentInput: 0n }
    }
    case 'v3': {
      const { state, amountOut, crossedTicks, unspentInput } = swapThroughTicks(pool.state, amountIn, inputSide === 0)
      return {
        stateAfter: { type: 'v3', state },
        amountOut,
        gas: hop['uniswap-v3'] + tick * crossedTicks,
        unspentInput,
      }
    }
    case 'stable': {
      const amountOut = stableOutput(pool.state, inputSide, amountIn)
      const balances = moveBalances(pool.state.balances, inputSide, amountIn, amountOut)
      return {
        stateAfter: { type: 'stable', state: { ...pool.state, balances } },
        amountOut,
        gas: hop['curve-stable'],
        unspentInput: 0n,
      }
    }
  }
}

function moveBalances(balances: readonly [bigint, bigint], inputSide: 0 | 1, amountIn: bigint, amountOut: bigint) {
  const [a, b] = balances
  return inputSide === 0 ? ([a + amountIn, b - amountOut] as const) : ([a - amountOut, b + amountIn] as const)
}
