/** Solves an auction: one solution for each order that can be settled at its limit price. */
import type { Address } from '@sluice/chains'
import { QuotingError } from '@sluice/quoting'
import type { Auction, Order } from './auction.ts'
import { AuctionRouter } from './auction-router.ts'
import type { ChainRouter } from './chain-router.ts'
import { type Fill, type FillSize, fillSizesOf } from './fill.ts'
import { type RankedSolution, type Solution, solutionOf } from './solution.ts'

/** Milliseconds before the auction's deadline at which the search ends and the response is sent. */
const RESPONSE_MARGIN_MS = 500
/** Maximum milliseconds for an auction, even if its deadline is later. */
const MAX_SOLVE_MS = 15_000
/** Maximum milliseconds per order. */
const MAX_ORDER_MS = 5_000
/** Maximum orders that are tried. */
const MAX_ORDERS = 2_000
/** Maximum orders that are tried at a time. */
const MAX_CONCURRENT = 4

const WAD = 10n ** 18n

/** Returns the time in Unix milliseconds. */
type Clock = () => number

export type SolveOptions = {
  /** Wrapped native token, in which gas is priced; null if the chain has none. */
  readonly wrappedNative: Address | null
  /** Routes orders over the chain's pools; if absent, only the liquidity of the auction is used. */
  readonly chain?: ChainRouter
  /** If aborted, the solutions found so far are returned. */
  readonly signal?: AbortSignal
  readonly now?: Clock
}

/** Solves an auction and returns the solutions found by its deadline. */
export async function solve(auction: Auction, { now = Date.now, ...options }: SolveOptions): Promise<Solution[]> {
  const remainingMs = Math.min(auction.deadline - now() - RESPONSE_MARGIN_MS, MAX_SOLVE_MS)
  if (remainingMs <= 0) return []
  const deadlineController = new AbortController()
  const timer = setTimeout(() => deadlineController.abort(), remainingMs)
  const signal = options.signal
    ? AbortSignal.any([deadlineController.signal, options.signal])
    : deadlineController.signal
  try {
    return await new AuctionSearch(auction, options, signal).run()
  } finally {
    clearTimeout(timer)
    deadlineController.abort()
  }
}

class AuctionSearch {
  private readonly auction: Auction
  private readonly chainRouter: ChainRouter | undefined
  private readonly auctionRouter: AuctionRouter
  private readonly signal: AbortSignal
  private readonly priceByToken = new Map<Address, Promise<bigint | null>>()
  /**
   * Best solution of each order so far. The id of a solution is the index of its order. Solutions are recorded as soon
   * as they are found, because routes over the chain may arrive after the deadline.
   */
  private readonly bestSolutionById = new Map<number, RankedSolution>()

  constructor(auction: Auction, { chain, wrappedNative }: SolveOptions, signal: AbortSignal) {
    this.auction = auction
    this.chainRouter = chain
    this.signal = signal
    this.auctionRouter = new AuctionRouter(auction.liquidity, auction.effectiveGasPrice, wrappedNative)
  }

  async run(): Promise<Solution[]> {
    const orders = ordersBySurplus(this.auction).slice(0, MAX_ORDERS)
    const pendingOrders = orders.values()
    const whenAborted = new Promise<void>((resolve) =>
      this.signal.addEventListener('abort', () => resolve(), { once: true }),
    )
    const workers = Array.from({ length: Math.min(MAX_CONCURRENT, orders.length) }, async () => {
      for (const [id, order] of pendingOrders) {
        if (this.signal.aborted) return
        await this.solveOrder(id, order)
        // Yields to the event loop, because routes over auction liquidity are synchronous and would delay the deadline
        // timer.
        await new Promise((resolve) => setImmediate(resolve))
      }
    })
    await Promise.race([Promise.all(workers), whenAborted])
    return [...this.bestSolutionById].sort(([a], [b]) => a - b).map(([, { solution }]) => solution)
  }

  private async solveOrder(id: number, order: Order): Promise<void> {
    const { auction, chainRouter } = this
    const signal = AbortSignal.any([this.signal, AbortSignal.timeout(MAX_ORDER_MS)])
    const sellPrice = await this.priceOf(order, signal)
    const keepIfBetter = (fill: Fill | null | undefined) => {
      const rankedSolution = fill && solutionOf(order, fill, { id, sellPrice, auction })
      const currentBest = this.bestSolutionById.get(id)
      if (rankedSolution && (!currentBest || rankedSolution.rate > currentBest.rate))
        this.bestSolutionById.set(id, rankedSolution)
    }
    for (const fillSize of fillSizesOf(order)) {
      if (signal.aborted) return
      if (order.sellToken === order.buyToken) keepIfBetter(fillWithSameToken(order, fillSize))
      else {
        const pendingChainFill = chainRouter?.fill(order, fillSize, auction.effectiveGasPrice, signal).catch(() => null)
        keepIfBetter(this.auctionRouter.fill(order, fillSize))
        keepIfBetter(await pendingChainFill)
      }
      if (this.bestSolutionById.has(id)) return
    }
  }

  /** Returns the price of the order's sell token in wei per 10^18 base units; null if unknown. */
  private priceOf({ sellToken }: Order, signal: AbortSignal): Promise<bigint | null> {
    const cachedPrice = this.priceByToken.get(sellToken)
    if (cachedPrice) return cachedPrice
    const price = this.findPrice(sellToken, signal)
    this.priceByToken.set(sellToken, price)
    return price
  }

  private async findPrice(token: Address, signal: AbortSignal): Promise<bigint | null> {
    const referencePrice = this.auction.tokens[token]?.referencePrice
    if (referencePrice) return referencePrice
    const wrappedNative = this.auctionRouter.wrappedNative
    if (token === wrappedNative) return WAD
    if (!wrappedNative) return null
    const oneNativeToken = { sellAmount: 0n, buyAmount: WAD }
    const nativeFill = this.auctionRouter.fill(
      { kind: 'buy', sellToken: token, buyToken: wrappedNative },
      oneNativeToken,
    )
    if (nativeFill) return (WAD * WAD) / nativeFill.input
    if (!this.chainRouter) return null
    return await this.chainRouter.priceOf(token, signal).catch((error: unknown) => {
      // Requests the price again for the next order after a failure of the node or a timeout. Without a price, a limit
      // order pays no fee for its gas.
      if (!(error instanceof QuotingError)) this.priceByToken.delete(token)
      return null
    })
  }
}

/** Fills an order whose sell token is also its buy token, without a swap. */
function fillWithSameToken({ kind }: Order, { sellAmount, buyAmount }: FillSize): Fill {
  const amount = kind === 'sell' ? sellAmount : buyAmount
  return { input: amount, output: amount, interactions: [], gas: 0n }
}

/**
 * Returns the orders with their indices, sorted by expected surplus: the value of the sell amount divided by the value
 * of the buy amount, at reference prices. The largest surplus comes first. Orders without prices come before all others.
 */
function ordersBySurplus({ orders, tokens }: Auction): readonly (readonly [number, Order])[] {
  const surplus = ({ sellToken, sellAmount, buyToken, buyAmount }: Order): bigint => {
    const [sellPrice, buyPrice] = [tokens[sellToken]?.referencePrice, tokens[buyToken]?.referencePrice]
    if (!sellPrice || !buyPrice || buyAmount === 0n) return 1n << 256n
    return (sellAmount * sellPrice * WAD) / (buyAmount * buyPrice)
  }
  const surpluses = new Map(orders.map((order) => [order, surplus(order)]))
  return [...orders.entries()].sort(([, a], [, b]) => {
    const [surplusA, surplusB] = [surpluses.get(a)!, surpluses.get(b)!]
    return surplusA > surplusB ? -1 : surplusA < surplusB ? 1 : 0
  })
}
