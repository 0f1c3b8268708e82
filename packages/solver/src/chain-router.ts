/** Routes over the chain's pools: a swap of the Guard, sent by the settlement contract. */
import { type Address, PPM } from '@sluice/chains'
import { type Quote, type QuoteRequest, quoteRequest } from '@sluice/quoting'
import type { Order } from './auction.ts'
import type { CustomInteraction, Fill, Part } from './fill.ts'

/** One chain's quotes, as the solver needs them. */
export type ChainQuotes = {
  readonly wrappedNative: Address | null
  readonly guard: Address
  /** @throws an error for every quote that cannot be made */
  readonly quote: (request: QuoteRequest, signal: AbortSignal) => Promise<Quote>
}

/** Gas of a transaction before its first call, which the settlement's own gas contains. */
const TRANSACTION_GAS = 21_000n
const ONE = 10n ** 18n

export class ChainRouter {
  readonly wrappedNative: Address | null
  private readonly chain: ChainQuotes
  /** Contract that holds the input, calls the Guard, and receives the output. */
  private readonly settlement: Address

  constructor(chain: ChainQuotes, settlement: Address) {
    this.chain = chain
    this.settlement = settlement
    this.wrappedNative = chain.wrappedNative
  }

  /** @throws an error if the part cannot be quoted */
  async fill(order: Order, part: Part, gasPriceWei: bigint, signal: AbortSignal): Promise<Fill> {
    const { sellToken, buyToken, kind } = order
    const terms = { ...this.terms(sellToken, buyToken), gasPriceWei }
    const quote =
      kind === 'sell'
        ? await this.chain.quote({ ...terms, amountIn: part.sellAmount, slippagePpm: 'auto' }, signal)
        : await this.forOutput(terms, part.buyAmount, signal)
    const { amountIn } = quote.route
    return {
      input: amountIn,
      output: quote.amountOut,
      interactions: [this.interaction(quote, { sellToken, buyToken, amountIn })],
      gas: quote.gasEstimate - TRANSACTION_GAS,
    }
  }

  /**
   * The least input for an output, quoted again by that input: it then tolerates a price that moves before the settlement. If less gas
   * makes that pay less than the output, the quote for the output stands, which tolerates nothing.
   */
  private async forOutput(terms: QuoteRequest, amountOut: bigint, signal: AbortSignal): Promise<Quote> {
    const exact = await this.chain.quote({ ...terms, amountOut, slippagePpm: 0n }, signal)
    const { amountIn } = exact.route
    const quote = await this.chain.quote({ ...terms, amountIn, slippagePpm: 'auto' }, signal).catch(() => exact)
    return quote.amountOut >= amountOut ? quote : exact
  }

  /**
   * Wei of the native token for 10^18 base units of a token, by the input that buys one whole native token.
   *
   * @throws an error if it cannot be quoted
   */
  async price(token: Address, signal: AbortSignal): Promise<bigint | null> {
    if (!this.wrappedNative) return null
    const terms = this.terms(token, this.wrappedNative)
    const { route } = await this.chain.quote({ ...terms, amountOut: ONE, slippagePpm: 0n }, signal)
    return (ONE * ONE) / route.amountIn
  }

  private terms(tokenIn: Address, tokenOut: Address): QuoteRequest {
    // The order's own limit decides whether the price is good enough.
    return quoteRequest({ tokenIn, tokenOut, from: this.settlement, maxPriceImpactPpm: PPM })
  }

  private interaction(
    { swap, amountOut }: Quote,
    { sellToken, buyToken, amountIn }: { sellToken: Address; buyToken: Address; amountIn: bigint },
  ): CustomInteraction {
    const input = { token: sellToken, amount: String(amountIn) }
    return {
      kind: 'custom',
      internalize: false,
      target: swap.to,
      value: '0',
      callData: swap.data,
      allowances: [{ ...input, spender: this.chain.guard }],
      inputs: [input],
      outputs: [{ token: buyToken, amount: String(amountOut) }],
    }
  }
}
