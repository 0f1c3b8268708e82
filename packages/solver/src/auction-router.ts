/** Routes orders over the liquidity that an auction lists. Called by `solve`. */
import { type Address, type Hex, ZERO_ADDRESS } from '@sluice/chains'
import {
  type BalancerV2State,
  balancerV2InputFor,
  familyOf,
  nullIfRefused,
  type Pool,
  type Snapshot,
} from '@sluice/liquidity'
import { buildGraph, findRoute, type Graph, type Leg, type RoutePlan, RoutingError } from '@sluice/routing'
import type { Liquidity, Order } from './auction.ts'
import { type AuctionPool, auctionPools, HOP_GAS, SWAP_GAS } from './auction-pools.ts'
import type { Fill, FillSize, LiquidityInteraction } from './fill.ts'

type Trade = { readonly tokenIn: Address; readonly tokenOut: Address }
type Hop = { readonly pool: Pool; readonly tokenIn: Address; readonly tokenOut: Address }
type Amounts = { readonly amountIn: bigint; readonly amountOut: bigint }

/**
 * Router of one auction. Every route starts from the states that the auction lists, so routes do not affect each other.
 */
export class AuctionRouter {
  private readonly pools: ReadonlyMap<string, AuctionPool>
  private readonly graph: Graph
  private readonly gasPriceWei: bigint
  readonly wrappedNative: Address | null

  constructor(liquidity: readonly Liquidity[], gasPriceWei: bigint, wrappedNative: Address | null) {
    this.pools = auctionPools(liquidity)
    this.graph = buildGraph(snapshotOf(this.pools), undefined, HOP_GAS)
    this.gasPriceWei = gasPriceWei
    this.wrappedNative = wrappedNative
  }

  /** Returns the best route for an order or a part of it (`fillSize`); null if the liquidity has no route. */
  fill({ kind, sellToken, buyToken }: Pick<Order, 'kind' | 'sellToken' | 'buyToken'>, fillSize: FillSize): Fill | null {
    const trade = { tokenIn: sellToken, tokenOut: buyToken }
    const legs =
      kind === 'sell' ? this.routeForInput(trade, fillSize.sellAmount) : this.routeForOutput(trade, fillSize.buyAmount)
    if (!legs) return null
    const sumOfLegs = (token: Address, amountField: keyof Amounts, tokenField: keyof Trade) =>
      legs.reduce((total, leg) => total + (leg[tokenField] === token ? leg[amountField] : 0n), 0n)
    return {
      input: sumOfLegs(sellToken, 'amountIn', 'tokenIn'),
      output: sumOfLegs(buyToken, 'amountOut', 'tokenOut'),
      interactions: legs.map((leg) => this.toInteraction(leg)),
      gas: legs.reduce((total, { pool }) => total + SWAP_GAS[this.pools.get(pool.id)!.liquidity.kind], 0n),
    }
  }

  private routeForInput(trade: Trade, amountIn: bigint): readonly (Hop & Amounts)[] | null {
    return this.search({ ...trade, amountIn })?.legs ?? this.bestSinglePool(trade, amountIn)
  }

  /**
   * Returns the single pool with the best output. The search leaves a tiny part of a pool's capacity unused, but a
   * trade may need a limit order in full.
   */
  private bestSinglePool({ tokenIn, tokenOut }: Trade, amountIn: bigint): readonly (Hop & Amounts)[] | null {
    let best: (Hop & Amounts) | null = null
    for (const { pool } of this.pools.values()) {
      if (!pool.tokens.includes(tokenIn) || !pool.tokens.includes(tokenOut)) continue
      const hop = { pool, tokenIn, tokenOut }
      const amountOut = outputOf(hop, amountIn)
      if (amountOut !== null && (!best || amountOut > best.amountOut)) best = { ...hop, amountIn, amountOut }
    }
    return best && [best]
  }

  /**
   * Returns a route for an exact output. The driver (the CoW Protocol service that executes solutions) requests exact
   * outputs from the pools of a buy order, and pools round the inputs up. So on a single path, each hop gets the input
   * that its pool requires for its output.
   */
  private routeForOutput(trade: Trade, amountOut: bigint): readonly (Hop & Amounts)[] | null {
    const legs = this.search({ ...trade, amountOut })?.legs
    if (!legs) return null
    const isPath = legs.every(({ tokenIn }, k) => k === 0 || tokenIn === legs[k - 1]!.tokenOut)
    return (isPath && solveBackward(legs, amountOut)) || legs
  }

  private search(request: Trade & ({ amountIn: bigint } | { amountOut: bigint })): RoutePlan | null {
    const { gasPriceWei, wrappedNative } = this
    try {
      const result = findRoute(this.graph, { ...request, gasPriceWei, wrappedNative, boundAfterGas: 'never' })
      return result.ok && result.route.legs.length > 0 ? result.route : null
    } catch (error) {
      // For example, the work budget of the search is used up. The auction continues without this route.
      if (error instanceof RoutingError) return null
      throw error
    }
  }

  private toInteraction({ pool, tokenIn, tokenOut, amountIn, amountOut }: Hop & Amounts): LiquidityInteraction {
    return {
      kind: 'liquidity',
      internalize: false,
      id: this.pools.get(pool.id)!.liquidity.id,
      inputToken: tokenIn,
      outputToken: tokenOut,
      inputAmount: String(amountIn),
      outputAmount: String(amountOut),
    }
  }
}

/**
 * Computes the inputs on a path backward from its exact output, and then the outputs forward. Returns null if a pool
 * refuses an amount or cannot compute an input.
 */
function solveBackward(legs: readonly Leg[], amountOut: bigint): readonly (Hop & Amounts)[] | null {
  let amountIn: bigint | null = amountOut
  for (const leg of legs.toReversed()) {
    amountIn = inputFor(leg, amountIn)
    if (amountIn === null) return null
  }
  const hops: (Hop & Amounts)[] = []
  for (const leg of legs) {
    const output = outputOf(leg, amountIn)
    if (output === null) return null
    hops.push({ ...leg, amountIn, amountOut: output })
    amountIn = output
  }
  return amountIn >= amountOut ? hops : null
}

/**
 * Maximum attempts to raise an input that pays too little because of rounding. The first attempt adds the estimated
 * shortfall to the input. Each further attempt adds ten times as much as the one before.
 */
const MAX_RAISES = 6

/**
 * Returns the input for an exact output; null if the pool cannot compute it. If a swap with exactly this input would
 * pay less than the output, raises the input.
 */
function inputFor(hop: Hop, amountOut: bigint): bigint | null {
  const input = nullIfRefused(() => exactOutputInput(hop, amountOut))
  const paidOutput = input && outputOf(hop, input)
  if (input === null || paidOutput === null || paidOutput >= amountOut) return input
  // Because of rounding, the input may buy nothing.
  const missingInput =
    paidOutput === 0n ? input + 1n : ((amountOut - paidOutput) * input + paidOutput - 1n) / paidOutput
  for (let k = 0; k < MAX_RAISES; k++) {
    const raisedInput = input + missingInput * 10n ** BigInt(k)
    if ((outputOf(hop, raisedInput) ?? 0n) >= amountOut) return raisedInput
  }
  return null
}

function exactOutputInput({ pool, tokenIn, tokenOut }: Hop, amountOut: bigint): bigint | null {
  const { tokens, state } = pool
  if (pool.family === 'balancer-v2')
    return balancerV2InputFor(state as BalancerV2State, tokens.indexOf(tokenIn), tokens.indexOf(tokenOut), amountOut)
  return familyOf(pool.family)?.inputFor?.(pool, tokenIn, tokenOut, amountOut) ?? null
}

function outputOf({ pool, tokenIn, tokenOut }: Hop, amountIn: bigint): bigint | null {
  return nullIfRefused(() => familyOf(pool.family)!.quoteExactInput(pool, tokenIn, tokenOut, amountIn).amountOut)
}

const ZERO_HASH = `0x${'0'.repeat(64)}` as Hex

/** Returns a snapshot with a placeholder block, because the auction does not name the block of its liquidity. */
function snapshotOf(pools: ReadonlyMap<string, AuctionPool>): Snapshot {
  return {
    chainId: 0,
    block: {
      ...{ number: 0, hash: ZERO_HASH, parentHash: ZERO_HASH, timestamp: 0, gasLimit: 0n },
      ...{ baseFeePerGas: null, miner: ZERO_ADDRESS },
    },
    pools: new Map([...pools].map(([id, { pool }]) => [id, pool])),
    changedIds: null,
  }
}
