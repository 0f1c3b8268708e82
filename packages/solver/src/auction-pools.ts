/** Converts the liquidity of an auction to pools of the matching families. */
import { type Address, PPM, ZERO_ADDRESS } from '@sluice/chains'
import type { BalancerV2State, Pool, UniswapV2State, UniswapV3State } from '@sluice/liquidity'
import { type Liquidity, toFixed18 } from './auction.ts'

/** Pool with the auction liquidity that it represents. */
export type AuctionPool = { readonly pool: Pool; readonly liquidity: Liquidity }

type LiquidityOf<Kind extends Liquidity['kind']> = Extract<Liquidity, { kind: Kind }>

/**
 * Gas of a swap by kind of liquidity, as in the protocol's reference solver.
 *
 * @see `gas_cost` in crates/liquidity-sources and crates/solvers/src/boundary of cowprotocol/services
 */
export const SWAP_GAS: Readonly<Record<Liquidity['kind'], bigint>> = {
  constantProduct: 60_000n,
  weightedProduct: 100_000n,
  stable: 183_520n,
  concentratedLiquidity: 106_000n,
  limitOrder: 66_358n,
}

/**
 * Gas table by which the search ranks routes over auction liquidity. Weighted and stable pools both belong to family
 * `balancer-v2`, so the figure of this family lies between their figures in `SWAP_GAS`.
 */
export const HOP_GAS = {
  hop: { 'uniswap-v2': 60_000, 'balancer-v2': 140_000, 'uniswap-v3': 106_000, 'prop-amm': 66_358 },
  tick: 0,
}

const WAD = 10n ** 18n
/** One ppm in units of 10^-18. */
const WAD_PER_PPM = WAD / PPM
/** Denominator of the amplification parameter in the state of a stable pool. */
const AMPLIFICATION_PRECISION = 1_000n
/** Tick spacing of Uniswap V3 pools, by fee in ppm. */
const TICK_SPACINGS: Readonly<Record<number, number>> = { 100: 1, 500: 10, 3000: 60, 10000: 200 }

/** Returns a pool for each item of liquidity, keyed by the item's index. Skips items with invalid parameters. */
export function auctionPools(liquidity: readonly Liquidity[]): ReadonlyMap<string, AuctionPool> {
  const pools = new Map<string, AuctionPool>()
  for (const [index, item] of liquidity.entries()) {
    const poolData = poolDataOf(item)
    // An auction may contain an item id twice, so the id of a pool is the index of its item.
    const id = String(index)
    // These pools are not encoded for a chain, so they need no address.
    if (poolData) pools.set(id, { pool: { ...poolData, id, dex: item.kind, address: ZERO_ADDRESS }, liquidity: item })
  }
  return pools
}

type PoolData = Pick<Pool, 'family' | 'tokens' | 'state'>

function poolDataOf(item: Liquidity): PoolData | null {
  switch (item.kind) {
    case 'constantProduct':
      return constantProductPool(item)
    case 'weightedProduct':
      return weightedPool(item)
    case 'stable':
      return stablePool(item)
    case 'concentratedLiquidity':
      return concentratedPool(item)
    case 'limitOrder':
      return limitOrderPool(item)
  }
}

function constantProductPool({ tokens, fee }: LiquidityOf<'constantProduct'>): PoolData | null {
  const feePpm = feePpmOf(fee)
  if (tokens.length !== 2 || feePpm === null) return null
  const [[token0, reserve0], [token1, reserve1]] = tokens as [(typeof tokens)[0], (typeof tokens)[0]]
  const state: UniswapV2State = { reserve0: reserve0.balance, reserve1: reserve1.balance, feePpm }
  return { family: 'uniswap-v2', tokens: [token0, token1], state }
}

function weightedPool({ tokens, fee, version }: LiquidityOf<'weightedProduct'>): PoolData | null {
  const weights = tokens.map(([, { weight }]) => toFixed18(weight))
  const scaledState = balancerState(tokens, fee)
  if (!scaledState || weights.includes(0n)) return null
  const state: BalancerV2State = { ...scaledState, kind: 'weighted', weights, exactPowers: version === 'v3Plus' }
  return { family: 'balancer-v2', tokens: tokens.map(([token]) => token), state }
}

function stablePool({ tokens, fee, amplificationParameter, address }: LiquidityOf<'stable'>): PoolData | null {
  // Composable pools list their own LP token, which is not traded.
  const tradedTokens = tokens.filter(([token]) => token !== address)
  const amp = toFixed18(amplificationParameter) / (WAD / AMPLIFICATION_PRECISION)
  const scaledState = balancerState(tradedTokens, fee)
  if (!scaledState || amp === 0n || tradedTokens.length < 2) return null
  // The auction does not state the version of a stable pool. The first version rounds its invariant up by at most one
  // unit, which is neglected here.
  const state: BalancerV2State = { ...scaledState, kind: 'stable', amp, roundsUp: false }
  return { family: 'balancer-v2', tokens: tradedTokens.map(([token]) => token), state }
}

type ScaledReserves = readonly (readonly [Address, { readonly balance: bigint; readonly scalingFactor: string }])[]

function balancerState(tokens: ScaledReserves, fee: string) {
  const scaling = tokens.map(([, { scalingFactor }]) => toFixed18(scalingFactor))
  const swapFee = toFixed18(fee)
  if (scaling.includes(0n) || swapFee >= WAD) return null
  return { balances: tokens.map(([, { balance }]) => balance), scaling, swapFee }
}

function concentratedPool(item: LiquidityOf<'concentratedLiquidity'>): PoolData | null {
  const feePpm = feePpmOf(item.fee)
  const [tokenA, tokenB] = item.tokens
  if (feePpm === null || item.sqrtPrice === 0n || tokenA === tokenB) return null
  const ticks = Object.entries(item.liquidityNet)
    .map(([tick, liquidityNet]) => [Number(tick), liquidityNet] as const)
    .sort(([indexA], [indexB]) => indexA - indexB)
  const state: UniswapV3State = {
    ...{ sqrtPriceX96: item.sqrtPrice, tick: item.tick, liquidity: item.liquidity, feePpm, ticks },
    tickSpacing: TICK_SPACINGS[feePpm] ?? 1,
  }
  return { family: 'uniswap-v3', tokens: tokenA < tokenB ? [tokenA, tokenB] : [tokenB, tokenA], state }
}

/**
 * Converts a limit order to a pool whose price is fixed up to the order's amounts. Returns null for an order with a
 * taker fee, because the taker pays this fee in addition to the input.
 */
function limitOrderPool(item: LiquidityOf<'limitOrder'>): PoolData | null {
  const { takerToken, makerToken, takerAmount, makerAmount, takerTokenFeeAmount } = item
  if (takerAmount === 0n || makerAmount === 0n || takerTokenFeeAmount > 0n || takerToken === makerToken) return null
  const state = { samples: [[[takerAmount, makerAmount]], []], sold: [0n, 0n] }
  return { family: 'prop-amm', tokens: [takerToken, makerToken], state }
}

/** Converts a fee to ppm, rounded up, so that a pool never seems cheaper than it is. Null for a fee of 100 % or more. */
function feePpmOf(fee: string): number | null {
  const ppm = (toFixed18(fee) + WAD_PER_PPM - 1n) / WAD_PER_PPM
  return ppm < PPM ? Number(ppm) : null
}
