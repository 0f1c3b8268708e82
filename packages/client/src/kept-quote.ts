/** A quote from the first answer to the transaction that is sent: proven, confirmed, and asked for again when it is too old. */
import type { SluiceClient } from './client.ts'
import { ClientError } from './errors.ts'
import { type MissingAllowance, simulate } from './simulate.ts'
import type { Route, SwapParameters } from './types.ts'
import { type Proven, type SwapTerms, verify } from './verify.ts'
import type { Wallet } from './wallet.ts'
import { floorOf } from './witness.ts'

/** A quote is used for the block it was simulated at and this many more. */
const MAX_AGE_BLOCKS = 2
const MAX_QUOTES = 5

export type QuoteTerms = Omit<SwapTerms, 'permit'> & {
  readonly tolerance?: number | string
  readonly trustQuote?: boolean
  readonly signal?: AbortSignal
  readonly confirm?: (route: Route, proven: Proven) => boolean | Promise<boolean>
}

type Options = {
  readonly client: SluiceClient
  readonly wallet: Wallet
  readonly chainId: number
  readonly asked: SwapParameters
  readonly terms: QuoteTerms
}

export class KeptQuote {
  /** Somebody else than the service confirms the amount, or nobody is to. */
  readonly isSure: boolean
  /** The reason why the wallet's node could not run the swap. */
  failure = ''
  private readonly options: Options
  private promised: bigint
  private current: { readonly route: Route; readonly explanation: Proven }

  private constructor(options: Options, first: KeptQuote['current']) {
    const { trustQuote = false, minToAmount } = options.terms
    this.options = options
    this.current = first
    this.promised = first.explanation.minOutput
    this.isSure = trustQuote || minToAmount !== undefined
  }

  /** @throws ClientError `UNSAFE` for a quote that is not what was asked for, `WALLET` where it is not confirmed */
  static async ask(options: Options): Promise<KeptQuote> {
    const quote = new KeptQuote(options, await KeptQuote.next(options))
    await quote.confirm()
    return quote
  }

  get route(): Route {
    return this.current.route
  }

  get explanation(): Proven {
    return this.current.explanation
  }

  /** Asks again while more than two blocks have passed. @throws ClientError `STALE` */
  async refresh(): Promise<void> {
    const { wallet } = this.options
    for (let quotes = 1; (await wallet.blockNumber()) - this.route.simulationBlock > MAX_AGE_BLOCKS; quotes++) {
      if (quotes === MAX_QUOTES) throw new ClientError('STALE', 'blocks pass faster than quotes arrive')
      this.current = await KeptQuote.next(this.options)
      if (this.explanation.minOutput >= this.promised) continue
      await this.confirm()
      this.promised = this.explanation.minOutput
    }
  }

  /** True where the wallet's node can run the swap. @throws ClientError `UNSAFE` where that brings more than the quote promises */
  async runs(tx = this.route.tx, missing?: MissingAllowance): Promise<boolean> {
    const { wallet, asked, terms } = this.options
    let brought: bigint
    try {
      brought = await simulate(wallet, tx, missing)
    } catch (cause) {
      this.failure = (cause as Error).message
      return false
    }
    const { minOutput } = this.explanation
    if (!this.isSure && minOutput < floorOf(brought, asked, terms.tolerance))
      throw new ClientError('UNSAFE', `the swap brings ${brought}, and its least output is ${minOutput}`)
    return true
  }

  private static async next({ client, chainId, asked, terms }: Options): Promise<KeptQuote['current']> {
    const route = await client.getSwap(chainId, asked, terms.signal)
    return { route, explanation: verify(chainId, route, asked, terms) }
  }

  private async confirm(): Promise<void> {
    const { confirm } = this.options.terms
    if (confirm && !(await confirm(this.route, this.explanation)))
      throw new ClientError('WALLET', 'the swap was not confirmed')
  }
}
