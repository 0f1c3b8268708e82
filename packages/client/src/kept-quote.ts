/** A quote from the first answer to the transaction that is sent: proven, fresh, confirmed, and requested again when it is too old. */

import { decodeSwap } from './abi.ts'
import { amountOf } from './amounts.ts'
import type { SluiceClient } from './client.ts'
import type { SwapContracts } from './contracts.ts'
import { ClientError, messageOf, toClientError } from './errors.ts'
import { weiOf } from './explain.ts'
import { bestOfKnownPools } from './pool-floor.ts'
import { type Proven, proveSwap, type SwapTerms } from './prove-swap.ts'
import { type MissingAllowance, simulate } from './simulate.ts'
import type { Route, RouteParameters } from './types.ts'
import type { Wallet } from './wallet.ts'
import { floorOf, type Witness } from './witness.ts'

/** A quote is used for the block it was simulated at and this many more. */
const MAX_AGE_BLOCKS = 2
const MAX_QUOTES = 5

export type QuoteTerms = Omit<SwapTerms, 'permit'> & {
  readonly witness?: Witness | undefined
  readonly tolerance?: number | string | undefined
  readonly trustQuote?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  readonly confirm?: ((route: Route, proven: Proven) => boolean | Promise<boolean>) | undefined
}

type Options = {
  readonly client: SluiceClient
  readonly wallet: Wallet
  readonly chainId: number
  /** Contracts that are trusted on the chain. */
  readonly contracts: SwapContracts
  readonly asked: RouteParameters
  readonly terms: QuoteTerms
}

type Current = {
  readonly route: Route
  readonly explanation: Proven
  /** Block that the quote counts from: its own, or the wallet's at its arrival when the quote claims a later one. */
  readonly block: number
}

export class KeptQuote {
  /** Reason why the wallet's node could not run the swap. */
  failure = ''
  private readonly options: Options
  private current: Current
  private confirmed: Proven | undefined
  /** Witnessed output by input amount: an exact output has another input with each quote. */
  private witnessed: { readonly amount: bigint; readonly output: bigint } | undefined

  private constructor(options: Options, current: Current) {
    this.options = options
    this.current = current
  }

  /** @throws ClientError `UNSAFE` for a quote that is not what was requested, `WALLET` where it is not confirmed */
  static async ask(options: Options): Promise<KeptQuote> {
    const quote = new KeptQuote(options, await next(options))
    await quote.refresh()
    return quote
  }

  get route(): Route {
    return this.current.route
  }

  get contracts(): SwapContracts {
    return this.options.contracts
  }

  get explanation(): Proven {
    return this.current.explanation
  }

  /** True when the caller's own terms confirm the amount, or the caller wants no confirmation. */
  get isSure(): boolean {
    const { trustQuote, minToAmount, maxFromAmount, witness } = this.options.terms
    const limit = this.options.asked.amountOut === undefined ? minToAmount : maxFromAmount
    return trustQuote === true || limit !== undefined || witness !== undefined
  }

  /**
   * Requests again while the quote is too old, and has the caller confirm it when anything differs from what it confirmed, but a
   * better amount.
   *
   * @throws ClientError `STALE`
   */
  async refresh(): Promise<void> {
    const { wallet } = this.options
    for (let quotes = 1; (await wallet.blockNumber()) - this.current.block > MAX_AGE_BLOCKS; quotes++) {
      if (quotes === MAX_QUOTES) throw new ClientError('STALE', 'blocks pass faster than quotes arrive')
      this.current = await next(this.options)
    }
    await this.checkWitness()
    if (this.confirmed && isCovered(this.explanation, this.confirmed)) return
    await confirm(this.options.terms, this.route, this.explanation)
    this.confirmed = this.explanation
  }

  /**
   * Runs the swap on the wallet's node.
   *
   * @returns false when the node cannot, with the reason in `failure`
   * @throws ClientError `UNSAFE` when nobody else confirms the amount and the lowest output is below what this route brings, or
   *   below what known pools bring
   */
  async runs(tx = this.route.tx, missing?: MissingAllowance): Promise<boolean> {
    const { wallet, asked, terms, contracts } = this.options
    let output: bigint
    try {
      output = await simulate(wallet, tx, missing)
    } catch (cause) {
      this.failure = messageOf(cause)
      return false
    }
    if (this.isSure) return true
    const { minOutput } = this.explanation
    if (minOutput < floorOf(output, asked, terms.tolerance))
      throw new ClientError('UNSAFE', `the swap brings ${output}, and its least output is ${minOutput}`)
    const known = await bestOfKnownPools(wallet, tx, decodeSwap(tx.data, weiOf(tx)), contracts, missing)
    if (known === undefined)
      throw new ClientError(
        'UNSAFE',
        'no known pool of these tokens confirms the amount: name `minToAmount`, a `witness`, or `trustQuote: true`',
      )
    if (minOutput < floorOf(known, asked, terms.tolerance))
      throw new ClientError('UNSAFE', `a known pool brings ${known}, and the least output is ${minOutput}`)
    return true
  }

  private async checkWitness(): Promise<void> {
    const { asked, terms, wallet } = this.options
    const { witness, tolerance } = terms
    if (!witness) return
    const { amountIn: amount, minOutput } = this.explanation
    if (this.witnessed?.amount !== amount) {
      const { amountOut, ...rest } = asked
      const output = await Promise.resolve()
        .then(() => witness({ ...rest, amount }, wallet))
        .catch((error) => {
          throw toClientError(error, 'UNSAFE', 'the witness knows no answer: ')
        })
      this.witnessed = { amount, output: amountOf(output, 'the witnessed amount') }
    }
    const floor = floorOf(this.witnessed.output, asked, tolerance)
    if (minOutput < floor)
      throw new ClientError('UNSAFE', `the least output ${minOutput} is below minToAmount ${floor} of the witness`)
  }
}

async function next({ client, wallet, chainId, contracts, asked, terms }: Options): Promise<Current> {
  const route = await client.getSwap(chainId, asked, terms.signal)
  const explanation = proveSwap(contracts, route, asked, terms)
  return { route, explanation, block: Math.min(route.simulationBlock, await wallet.blockNumber()) }
}

async function confirm({ confirm }: QuoteTerms, route: Route, proven: Proven): Promise<void> {
  if (!confirm) return
  const isConfirmed = await Promise.resolve()
    .then(() => confirm(route, proven))
    .catch((error) => {
      throw toClientError(error, 'WALLET', '`confirm` failed: ')
    })
  if (isConfirmed !== true) throw new ClientError('WALLET', 'the swap was not confirmed')
}

/** True when a later quote is what was confirmed, but for its deadline, its split, and an amount that is at least as good. */
function isCovered(later: Proven, confirmed: Proven): boolean {
  return (
    later.minOutput >= confirmed.minOutput &&
    later.amountIn <= confirmed.amountIn &&
    essence(later) === essence(confirmed)
  )
}

/** Terms that a caller confirms in addition to the amounts. */
function essence({ steps, ...rest }: Proven): string {
  const { deadline, minOutput, amountIn, ...terms } = rest
  const paths = steps.map(({ input, ...step }) => ({ ...step, input: input.kind }))
  return JSON.stringify([terms, paths], (_, value) => (typeof value === 'bigint' ? String(value) : value))
}
