/** Solves an auction: one solution for each order that can be settled at its limit price. */
import type { Address } from '@sluice/chains'
import type { Auction, Order } from './auction.ts'
import { AuctionRouter } from './auction-router.ts'
import type { ChainRouter } from './chain-router.ts'
import { type Fill, type OrderFill, fillSizesOf } from './fill.ts'
import { type RankedSolution, type Solution, solutionOf } from './solution.ts'

/** Milliseconds before the deadline at which the response is sent. */
const SLACK_MS = 500
/** Maximum time for an auction, even if its deadline is later. */
const MAX_SOLVE_MS = 15_000
/** Maximum time per order. */
const ORDER_MS = 5_000
/** Maximum orders to try, and orders tried concurrently. */
const MAX_ORDERS = 2_000
const MAX_CONCURRENT = 4

const WAD = 10n ** 18n

type Clock = () => number

export type SolveOptions = {
  /** Wrapped native token, which prices gas. */
  readonly wrappedNative: Address | null
  /** Router over the chain's pools; if absent, only the liquidity of the auction is used. */
  readonly chain?: ChainRouter
  readonly signal?: AbortSignal
  readonly now?: Clock
}

/** Solves an auction and returns the solutions found by its deadline. */
export async function solve(auction: Auction, { now = Date.now, ...options }: SolveOptions): Promise<Solution[]> {
  const remainingMs = Math.min(auction.deadline - now() - SLACK_MS, MAX_SOLVE_MS)
  if (remainingMs <= 0) return []
  const deadlineController = new AbortController()
  const timer = setTimeout(() => deadlineController.abort(), remainingMs)
  const signal = options.signal ? AbortSignal.any([deadlineController.signal, options.signal]) : deadlineController.signal
  try {
    return await new AuctionSearch(auction, options, signal).run()
  } finally {
    clearTimeout(timer)
    deadlineController.abort()
  }
}

class AuctionSearch {
  private readonly auction: Auction
  private readonly chain: ChainRouter | undefined
  private readonly router: AuctionRouter
  private readonly signal: AbortSignal
  private readonly priceByToken = new Map<Address, Promise<bigint | null>>()
  /** Best solution so far by order id. Kept as they are found, because routes over the chain may arrive too late. */
  private readonly bestSolutionById = new Map<number, RankedSolution>()

  constructor(auction: Auction, { chain, wrappedNative }: SolveOptions, signal: AbortSignal) {
    this.auction = auction
    this.chain = chain
    this.signal = signal
    this.router = new AuctionRouter(auction.liquidity, auction.effectiveGasPrice, wrappedNative)
  }

  async run(): Promise<Solution[]> {
    const orders = byExpectedSurplus(this.auction).slice(0, MAX_ORDERS)
    const pendingOrders = orders.values()
    const aborted = new Promise<void>((resolve) =>
      this.signal.addEventListener('abort', () => resolve(), { once: true }),
    )
    const workers = Array.from({ length: Math.min(MAX_CONCURRENT, orders.length) }, async () => {
      for (const [id, order] of pendingOrders) {
        if (this.signal.aborted) return
        await this.solveOrder(id, order)
        // Yield, because routes over auction liquidity are synchronous and would delay the deadline timer.
        await new Promise((resolve) => setImmediate(resolve))
      }
    })
    await Promise.race([Promise.all(workers), aborted])
    return [...this.bestSolutionById].sort(([a], [b]) => a - b).map(([, { solution }]) => solution)
  }

  private async solveOrder(id: number, order: Order): Promise<void> {
    const { auction, chain } = this
    const signal = AbortSignal.any([this.signal, AbortSignal.timeout(ORDER_MS)])
    const sellPrice = await this.priceOf(order, signal)
    const keepIfBetter = (fill: Fill | null | undefined) => {
      const rankedSolution = fill && solutionOf(order, fill, { id, sellPrice, auction })
      const best = this.bestSolutionById.get(id)
      if (rankedSolution && (!best || rankedSolution.rate > best.rate)) this.bestSolutionById.set(id, rankedSolution)
    }
    for (const orderFill of fillSizesOf(order)) {
      if (signal.aborted) return
      if (order.sellToken === order.buyToken) keepIfBetter(fillWithSameToken(order, orderFill))
      else {
        const pendingChainFill = chain?.fill(order, orderFill, auction.effectiveGasPrice, signal).catch(() => null)
        keepIfBetter(this.router.fill(order, orderFill))
        keepIfBetter(await pendingChainFill)
      }
      if (this.bestSolutionById.has(id)) return
    }
  }

  /** Returns the price of the order's sell token in wei per 10^18 base units; null if unknown. */
  private priceOf({ sellToken }: Order, signal: AbortSignal): Promise<bigint | null> {
    const cached = this.priceByToken.get(sellToken)
    if (cached) return cached
    const price = this.findPrice(sellToken, signal)
    this.priceByToken.set(sellToken, price)
    return price
  }

  private async findPrice(token: Address, signal: AbortSignal): Promise<bigint | null> {
    const reference = this.auction.tokens[token]?.referencePrice
    if (reference) return reference
    const wrappedNative = this.router.wrappedNative
    if (token === wrappedNative) return WAD
    if (!wrappedNative) return null
    const oneEtherOrder = { sellAmount: 0n, buyAmount: WAD }
    const nativeFill = this.router.fill({ kind: 'buy', sellToken: token, buyToken: wrappedNative }, oneEtherOrder)
    if (nativeFill) return (WAD * WAD) / nativeFill.input
    return this.chain ? await this.chain.priceOf(token, signal).catch(() => null) : null
  }
}

/** Fills an order whose sell and buy tokens are the same with its own input. */
function fillWithSameToken({ kind }: Order, { sellAmount, buyAmount }: OrderFill): Fill {
  const amount = kind === 'sell' ? sellAmount : buyAmount
  return { input: amount, output: amount, interactions: [], gas: 0n }
}

/**
 * Returns the orders with their ids, in order of decreasing surplus of the limit over reference prices. Orders without
 * prices come first.
 */
function byExpectedSurplus({ orders, tokens }: Auction): readonly (readonly [number, Order])[] {
  const surplus = ({ sellToken, sellAmount, buyToken, buyAmount }: Order): bigint => {
    const [sell, buy] = [tokens[sellToken]?.referencePrice, tokens[buyToken]?.referencePrice]
    if (!sell || !buy || buyAmount === 0n) return 1n << 256n
    return (sellAmount * sell * WAD) / (buyAmount * buy)
  }
  const surpluses = new Map(orders.map((order) => [order, surplus(order)]))
  return [...orders.entries()].sort(([, a], [, b]) => {
    const [surplusA, surplusB] = [surpluses.get(a)!, surpluses.get(b)!]
    return surplusA > surplusB ? -1 : surplusA < surplusB ? 1 : 0
  })
}
