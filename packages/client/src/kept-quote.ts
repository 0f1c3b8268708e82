/** Renews the quote of a swap until the swap's transaction is sent. Each new quote is proven and confirmed. */

import { decodeSwap } from './abi.ts'
import { amountOf } from './amounts.ts'
import type { SluiceClient } from './client.ts'
import type { SwapContracts } from './contracts.ts'
import { ClientError, messageOf, toClientError } from './errors.ts'
import { weiOf } from './explain.ts'
import { gasLimit } from './gas-limit.ts'
import { bestKnownPoolOutput } from './pool-floor.ts'
import { type Proven, proveSwap, type SwapTerms } from './prove-swap.ts'
import { type MissingAllowance, simulate } from './simulate.ts'
import type { Route, RouteParameters } from './types.ts'
import type { Wallet } from './wallet.ts'
import { minOutputFrom, type Witness } from './witness.ts'

/**
 * Maximum age of a quote in blocks, from its simulation to now. For a quote that was just requested, the age at its
 * request counts.
 */
const MAX_AGE_BLOCKS = 2
/** Maximum gas of a transaction (EIP-7825). */
const MAX_TRANSACTION_GAS = 1n << 24n
/** Maximum number of quotes that are requested in a row until one of them is fresh. */
const MAX_QUOTES = 5

/** Terms on which the caller accepts a quote. */
export type QuoteTerms = Omit<SwapTerms, 'permit'> & {
  /** Independent source of the expected output. */
  readonly witness?: Witness | undefined
  /**
   * Percent by which the minimum output may be below the output of the witness or of a known pool, in addition to the
   * slippage. Default: 1.
   */
  readonly tolerance?: number | string | undefined
  /** True accepts the service's amount without independent confirmation. */
  readonly trustQuote?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  /**
   * Called with the first quote, and with later quotes whose terms are worse or different. The swap continues only if
   * the result is true.
   */
  readonly confirm?: ((route: Route, proof: Proven) => boolean | Promise<boolean>) | undefined
}

type KeptQuoteOptions = {
  readonly client: SluiceClient
  readonly wallet: Wallet
  readonly chainId: number
  /** Trusted contracts of the chain. */
  readonly contracts: SwapContracts
  readonly request: RouteParameters
  readonly terms: QuoteTerms
}

type ProvenQuote = {
  readonly route: Route
  readonly explanation: Proven
  /**
   * Block from which the age is counted: the quote's block, or the wallet's block when the quote arrived, if that is
   * lower.
   */
  readonly block: number
}

/** A proven quote that is renewed when it is too old. */
export class KeptQuote {
  /** Reason of the last failed simulation; empty if none failed. */
  simulationFailure = ''
  private readonly options: KeptQuoteOptions
  private currentQuote: ProvenQuote
  private confirmedProof: Proven | undefined
  /**
   * Last answer of the witness, with the input that it was asked about. For an exact output, each quote may have
   * another input.
   */
  private witnessedTrade: { readonly amount: bigint; readonly output: bigint } | undefined

  private constructor(options: KeptQuoteOptions, firstQuote: ProvenQuote) {
    this.options = options
    this.currentQuote = firstQuote
  }

  /**
   * Requests the first quote.
   *
   * @throws ClientError `UNSAFE` if it does not match the request, `WALLET` if it is not confirmed
   */
  static async request(options: KeptQuoteOptions): Promise<KeptQuote> {
    const quote = new KeptQuote(options, await requestQuote(options))
    await quote.refresh()
    return quote
  }

  get route(): Route {
    return this.currentQuote.route
  }

  get contracts(): SwapContracts {
    return this.options.contracts
  }

  get explanation(): Proven {
    return this.currentQuote.explanation
  }

  /**
   * True if the caller's terms confirm the amount by a limit or a witness, or waive the confirmation (`trustQuote`).
   */
  get isAmountConfirmed(): boolean {
    const { trustQuote, minToAmount, maxFromAmount, witness } = this.options.terms
    const limit = this.options.request.amountOut === undefined ? minToAmount : maxFromAmount
    return trustQuote === true || limit !== undefined || witness !== undefined
  }

  /**
   * Renews the quote while it is too old. Calls `confirm`, unless the caller has already confirmed a quote with equal
   * or worse terms.
   *
   * @throws ClientError `STALE` if each of `MAX_QUOTES` quotes is too old, and the errors of `request`
   */
  async refresh(): Promise<void> {
    const { wallet } = this.options
    let head = await wallet.blockNumber()
    for (let quotes = 1; head - this.currentQuote.block > MAX_AGE_BLOCKS; quotes++) {
      if (quotes === MAX_QUOTES) throw new ClientError('STALE', 'blocks pass faster than quotes arrive')
      this.currentQuote = await requestQuote(this.options)
      // On a chain with many blocks per second, more than two blocks pass until a quote arrives. So a quote that was
      // fresh at its request is accepted.
      if (head - this.currentQuote.block <= MAX_AGE_BLOCKS) break
      head = await wallet.blockNumber()
    }
    await this.checkWitness()
    if (this.confirmedProof && isCovered(this.explanation, this.confirmedProof)) return
    await requestConfirmation(this.options.terms, this.route, this.explanation)
    this.confirmedProof = this.explanation
  }

  /**
   * Simulates the swap on the wallet's node. If the caller's terms do not confirm the amount, also compares the minimum
   * output with the simulated output and with known pools.
   *
   * @returns false if the simulation fails; `simulationFailure` is then the reason
   * @throws ClientError `UNSAFE` if the minimum output is too low, or no known pool can confirm it
   */
  async canExecute(tx = this.route.tx, missingAllowance?: MissingAllowance): Promise<boolean> {
    const { wallet, request, terms, contracts } = this.options
    let output: bigint
    try {
      output = await simulate(wallet, tx, missingAllowance, simulatedGas(this.route))
    } catch (cause) {
      this.simulationFailure = messageOf(cause)
      return false
    }
    if (this.isAmountConfirmed) return true
    const { minOutput } = this.explanation
    if (minOutput < minOutputFrom(output, request, terms.tolerance))
      throw new ClientError('UNSAFE', `the swap brings ${output}, and its minimum output is ${minOutput}`)
    const poolOutput = await bestKnownPoolOutput(
      wallet,
      tx,
      decodeSwap(tx.data, weiOf(tx)),
      contracts,
      missingAllowance,
    )
    if (poolOutput === undefined)
      throw new ClientError(
        'UNSAFE',
        'no known pool of these tokens confirms the amount: name `minToAmount`, a `witness`, or `trustQuote: true`',
      )
    if (minOutput < minOutputFrom(poolOutput, request, terms.tolerance))
      throw new ClientError('UNSAFE', `a known pool brings ${poolOutput}, and the minimum output is ${minOutput}`)
    return true
  }

  private async checkWitness(): Promise<void> {
    const { request, terms, wallet } = this.options
    const { witness, tolerance } = terms
    if (!witness) return
    const { amountIn: amount, minOutput } = this.explanation
    if (this.witnessedTrade?.amount !== amount) {
      const { amountOut, ...rest } = request
      const output = await Promise.resolve()
        .then(() => witness({ ...rest, amount }, wallet))
        .catch((error) => {
          throw toClientError(error, 'UNSAFE', 'the witness knows no answer: ')
        })
      this.witnessedTrade = { amount, output: amountOf(output, 'the witnessed amount') }
    }
    const minAcceptable = minOutputFrom(this.witnessedTrade.output, request, tolerance)
    if (minOutput < minAcceptable)
      throw new ClientError(
        'UNSAFE',
        `the minimum output ${minOutput} is below minToAmount ${minAcceptable} of the witness`,
      )
  }
}

/**
 * Returns the gas limit of a simulation: twice the gas limit of the transaction, so that the simulation does not run
 * out of gas.
 */
function simulatedGas(route: Route): bigint {
  const gas = 2n * gasLimit(route)
  return gas < MAX_TRANSACTION_GAS ? gas : MAX_TRANSACTION_GAS
}

async function requestQuote({
  client,
  wallet,
  chainId,
  contracts,
  request,
  terms,
}: KeptQuoteOptions): Promise<ProvenQuote> {
  const route = await client.getSwap(chainId, request, terms.signal)
  const explanation = proveSwap(contracts, route, request, terms)
  return { route, explanation, block: Math.min(route.simulationBlock, await wallet.blockNumber()) }
}

async function requestConfirmation({ confirm }: QuoteTerms, route: Route, proof: Proven): Promise<void> {
  if (!confirm) return
  const isConfirmed = await Promise.resolve()
    .then(() => confirm(route, proof))
    .catch((error) => {
      throw toClientError(error, 'WALLET', '`confirm` failed: ')
    })
  if (isConfirmed !== true) throw new ClientError('WALLET', 'the swap was not confirmed')
}

/**
 * Returns true if a later quote needs no new confirmation: only its deadline, its split over the pools, or its amounts
 * may differ, and no amount may be worse.
 */
function isCovered(laterProof: Proven, confirmedProof: Proven): boolean {
  return (
    laterProof.minOutput >= confirmedProof.minOutput &&
    laterProof.amountIn <= confirmedProof.amountIn &&
    confirmedTermsOf(laterProof) === confirmedTermsOf(confirmedProof)
  )
}

/** Serializes the terms that a caller confirms in addition to the amounts. */
function confirmedTermsOf({ steps, ...rest }: Proven): string {
  const { deadline, minOutput, amountIn, ...terms } = rest
  const paths = steps.map(({ input, ...step }) => ({ ...step, input: input.kind }))
  return JSON.stringify([terms, paths], (_, value) => (typeof value === 'bigint' ? String(value) : value))
}
