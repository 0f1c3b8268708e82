/** Routes orders over the chain's pools: each route is a swap of the Guard, which the settlement contract calls. */
import { type Address, PPM } from '@sluice/chains'
import { type QuoteRequest, quoteRequest, type SwapQuote } from '@sluice/quoting'
import type { Order } from './auction.ts'
import type { CustomInteraction, Fill, FillSize } from './fill.ts'

/** Source of quotes on a chain. */
export type ChainQuotes = {
  readonly wrappedNative: Address | null
  readonly guard: Address
  /** Quotes a swap. @throws an error if there is no quote */
  readonly quote: (request: QuoteRequest, signal: AbortSignal) => Promise<SwapQuote>
}

/**
 * Intrinsic gas of a transaction. Each quote includes it. A settlement pays it only once, as a part of
 * `SETTLEMENT_GAS`.
 */
const TRANSACTION_GAS = 21_000n
const WAD = 10n ** 18n

/** Converts quotes of a chain to interactions of a settlement contract. */
export class ChainRouter {
  readonly wrappedNative: Address | null
  private readonly chainQuotes: ChainQuotes
  /** Contract that holds the input, calls the Guard, and receives the output. */
  private readonly settlement: Address

  constructor(chain: ChainQuotes, settlement: Address) {
    this.chainQuotes = chain
    this.settlement = settlement
    this.wrappedNative = chain.wrappedNative
  }

  /** Quotes an order or a part of it (`fillSize`). @throws an error if there is no quote */
  async fill(order: Order, fillSize: FillSize, gasPriceWei: bigint, signal: AbortSignal): Promise<Fill> {
    const { sellToken, buyToken, kind } = order
    const quoteParams = { ...this.quoteParams(sellToken, buyToken), gasPriceWei }
    const quote =
      kind === 'sell'
        ? await this.chainQuotes.quote({ ...quoteParams, amountIn: fillSize.sellAmount, slippagePpm: 'auto' }, signal)
        : await this.quoteForOutput(quoteParams, fillSize.buyAmount, signal)
    const { amountIn } = quote.route
    return {
      input: amountIn,
      output: quote.amountOut,
      interactions: [this.toInteraction(quote, { sellToken, buyToken, amountIn })],
      gas: quote.gasEstimate - TRANSACTION_GAS,
    }
  }

  /**
   * Quotes the minimum input for an output, and then quotes that input as an exact input with slippage tolerance. If
   * the second quote pays less than the output, returns the first one, which has no slippage tolerance.
   */
  private async quoteForOutput(quoteParams: QuoteRequest, amountOut: bigint, signal: AbortSignal): Promise<SwapQuote> {
    const exactQuote = await this.chainQuotes.quote({ ...quoteParams, amountOut, slippagePpm: 0n }, signal)
    const { amountIn } = exactQuote.route
    const quote = await this.chainQuotes
      .quote({ ...quoteParams, amountIn, slippagePpm: 'auto' }, signal)
      .catch(() => exactQuote)
    return quote.amountOut >= amountOut ? quote : exactQuote
  }

  /**
   * Returns the price of a token in wei per 10^18 base units, from the input that buys one native token. Null if the
   * chain has no wrapped native token.
   *
   * @throws an error if there is no quote
   */
  async priceOf(token: Address, signal: AbortSignal): Promise<bigint | null> {
    if (!this.wrappedNative) return null
    const quoteParams = this.quoteParams(token, this.wrappedNative)
    const { route } = await this.chainQuotes.quote({ ...quoteParams, amountOut: WAD, slippagePpm: 0n }, signal)
    return (WAD * WAD) / route.amountIn
  }

  private quoteParams(tokenIn: Address, tokenOut: Address): QuoteRequest {
    // The order has a limit price, so the price impact is not limited.
    return quoteRequest({ tokenIn, tokenOut, from: this.settlement, maxPriceImpactPpm: PPM })
  }

  private toInteraction(
    { swap, amountOut }: SwapQuote,
    { sellToken, buyToken, amountIn }: { sellToken: Address; buyToken: Address; amountIn: bigint },
  ): CustomInteraction {
    const input = { token: sellToken, amount: String(amountIn) }
    return {
      kind: 'custom',
      internalize: false,
      target: swap.to,
      value: '0',
      callData: swap.data,
      allowances: [{ ...input, spender: this.chainQuotes.guard }],
      inputs: [input],
      outputs: [{ token: buyToken, amount: String(amountOut) }],
    }
  }
}
