/** Scenarios of the router benchmark: pools, trades, and prices in one JSON file, and the corresponding snapshot. */
import { type Address, toAddress } from '@sluice/chains'
import type { CurveStableState, Pool, Snapshot, UniswapV2State, UniswapV3State } from '@sluice/liquidity'
import { snapshotOf } from '../lib/snapshot.ts'

/** A scenario, version 1. Large integers are decimal strings; `token0` has the lower address. */
export type Scenario = {
  readonly version: 1
  readonly name: string
  readonly seed: number
  readonly chainId: number
  readonly gasPriceWei: string
  /** Id of the wrapped native token. */
  readonly nativeToken: number
  readonly tokens: readonly ScenarioToken[]
  readonly pools: readonly ScenarioPool[]
  readonly trades: readonly ScenarioTrade[]
}

export type ScenarioToken = {
  readonly id: number
  readonly symbol: string
  readonly address: string
  readonly decimals: number
  readonly priceUsd: number
  /** True if the token is a hub. Most pools of other tokens are with a hub. */
  readonly hub: boolean
}

type PoolBase = {
  readonly id: number
  readonly address: string
  readonly token0: number
  readonly token1: number
  readonly feePpm: number
  readonly tvlUsd: number
}
export type PairPool = PoolBase & { readonly type: 'v2'; readonly reserve0: string; readonly reserve1: string }
export type TickPool = PoolBase & {
  readonly type: 'v3'
  readonly tickSpacing: number
  readonly sqrtPriceX96: string
  readonly tick: number
  readonly liquidity: string
  readonly ticks: readonly (readonly [tick: number, liquidityNet: string])[]
  readonly balance0: string
  readonly balance1: string
}
/**
 * A two-coin Curve pool with the amplification coefficient `A`. Its balances are multiplied by `rate0` and `rate1`, and
 * the fee is taken from the output.
 */
export type StablePool = PoolBase & {
  readonly type: 'stable'
  readonly A: string
  readonly balance0: string
  readonly balance1: string
  readonly rate0: string
  readonly rate1: string
}
export type ScenarioPool = PairPool | TickPool | StablePool

export type ScenarioTrade = {
  readonly id: number | string
  readonly tokenIn: number
  readonly tokenOut: number
  readonly amountIn: string
  /** Kinds of the sold and the bought token, such as "hub-tail". A tail token is any token that is not a hub. */
  readonly class?: string
  /** Value of the trade as a fraction of the smaller depth of the two tokens. */
  readonly sizeFrac?: number
  readonly usd?: number
}

export type LoadedScenario = {
  readonly snapshot: Snapshot
  readonly wrappedNative: Address
  readonly tokenOf: (id: number) => Address
  readonly idOf: (token: Address) => number
}

const WAD = 10n ** 18n

export function loadScenario({ chainId, tokens, pools, nativeToken }: Scenario): LoadedScenario {
  const addressById = new Map(tokens.map(({ id, address }) => [id, toAddress(address)]))
  const idByAddress = new Map([...addressById].map(([id, address]) => [address, id]))
  const tokenOf = (id: number) => {
    const token = addressById.get(id)
    if (!token) throw new RangeError(`the scenario has no token ${id}`)
    return token
  }
  const loadedPools = pools.map((pool): Pool => {
    const tokensOfPool = [tokenOf(pool.token0), tokenOf(pool.token1)]
    const { family, state } = stateOf(pool)
    return {
      id: String(pool.id),
      family,
      dex: pool.type,
      address: toAddress(pool.address),
      tokens: tokensOfPool,
      state,
    }
  })
  return {
    snapshot: snapshotOf(loadedPools, chainId),
    wrappedNative: tokenOf(nativeToken),
    tokenOf,
    idOf: (token) => idByAddress.get(token)!,
  }
}

function stateOf(pool: ScenarioPool): { readonly family: string; readonly state: unknown } {
  const { feePpm } = pool
  if (pool.type === 'v2') {
    const state: UniswapV2State = { reserve0: BigInt(pool.reserve0), reserve1: BigInt(pool.reserve1), feePpm }
    return { family: 'uniswap-v2', state }
  }
  if (pool.type === 'v3') {
    const state: UniswapV3State = {
      sqrtPriceX96: BigInt(pool.sqrtPriceX96),
      tick: pool.tick,
      liquidity: BigInt(pool.liquidity),
      feePpm,
      tickSpacing: pool.tickSpacing,
      ticks: pool.ticks.map(([tick, liquidityNet]) => [tick, BigInt(liquidityNet)]),
    }
    return { family: 'uniswap-v3', state }
  }
  const state: CurveStableState = {
    balances: [BigInt(pool.balance0), BigInt(pool.balance1)],
    rates: [BigInt(pool.rate0) * WAD, BigInt(pool.rate1) * WAD],
    amplification: { a: BigInt(pool.A), precision: 1n },
    feeE10: BigInt(feePpm) * 10_000n,
    adminFeeE10: 0n,
    offpegMultiplierE10: 0n,
    rounding: 'each',
    feeOrder: 'base',
    margin: 1n,
  }
  return { family: 'curve-stable', state }
}
