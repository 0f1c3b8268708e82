/**
 * Executes a swap: requests a quote, proves the transaction, obtains the allowance, sends, and waits for the receipt.
 */
import { decodeSwap } from './abi.ts'
import { amountOf } from './amounts.ts'
import { missingApprovals, sendApproval } from './approve.ts'
import { canBatch, sendBatch, waitForBatch } from './batch.ts'
import { checkedWallet } from './checked-wallet.ts'
import type { SluiceClient } from './client.ts'
import { trustedContracts } from './contracts.ts'
import { ClientError, messageOf, toClientError, withHash } from './errors.ts'
import { weiOf } from './explain.ts'
import { gasLimit, withMargin } from './gas-limit.ts'
import { abortError } from './http.ts'
import { KeptQuote, type QuoteTerms } from './kept-quote.ts'
import type { GuardPermit } from './order.ts'
import { signPermit } from './permit.ts'
import { encodePermitSwap } from './permit-abi.ts'
import { proveSwap } from './prove-swap.ts'
import { waitForReceipt } from './receipt.ts'
import type { MissingAllowance } from './simulate.ts'
import { plainRequest, type SwapProgress, type SwapState } from './swap-state.ts'
import { type Hex, NATIVE, type Route, type RouteParameters, type SwapRequest, type Transaction } from './types.ts'
import type { Outgoing, Wallet } from './wallet.ts'

/**
 * Maximum number of allowances that a swap obtains. An exact output may need several, because its input may grow from
 * quote to quote.
 */
const MAX_ALLOWANCE_ROUNDS = 3
/** Default of `SwapOptions.maxGas`. */
const MAX_GAS = 10_000_000n

/** Options of `swap` and `resumeSwap`. */
export type SwapOptions = QuoteTerms & {
  /**
   * Allows a DAI permit instead of an approval. A DAI permit is unlimited: until the allowance is reset, the Guard may
   * draw any amount, but only in swaps of this sender.
   */
  readonly unlimitedPermits?: boolean | undefined
  /** Ways to give the Guard its allowance, in order of preference. Ways that are not listed are never used. */
  readonly ways?: readonly AllowanceWay[] | undefined
  /** Maximum gas limit of the swap. Default: 10,000,000. */
  readonly maxGas?: bigint | undefined
  /** Called at each stage. Errors that it throws, or rejects with, do not end the swap. */
  readonly onProgress?: ((progress: SwapProgress) => void) | undefined
}

/**
 * `batch`: approval and swap in one batch (EIP-5792). `permit`: a signature in the calldata. `approve`: a separate
 * transaction.
 */
export type AllowanceWay = 'batch' | 'permit' | 'approve'
const ALL_WAYS: readonly AllowanceWay[] = ['batch', 'permit', 'approve']

/** Hash of the mined transaction, and its route. */
export type SwapOutcome = { readonly hash: string; readonly route: Route }

/**
 * Executes a swap: requests a quote, proves that the transaction does what was requested, confirms the amount
 * independently of the service, gives the Guard its allowance, and sends. Requests a new quote if more than two blocks
 * have passed. The gas limit is the estimate of the wallet's node plus 20 %.
 *
 * The amount is confirmed by `minToAmount` (for an exact output: `maxFromAmount`) or by a witness. Without these, the
 * wallet's node simulates the transaction, and the minimum output is compared with the simulated output and with the
 * output of known pools.
 *
 * @throws ClientError only. `UNSAFE`: nothing has been signed. `REJECTED`: the owner declined, or canceled the
 *   transaction in the wallet. `REVERTED`: the transaction was mined and failed. `PENDING`: it was not mined in time.
 *   `details.hash` is the latest transaction that was sent
 * @example
 * ```ts
 * const request = { src, dst, amount: 10n ** 18n, slippage: 0.5 }
 * const { hash } = await swap(sluice, wallet, 1, request, { minToAmount: 2_450_000_000n })
 * ```
 */
export function swap(
  client: SluiceClient,
  wallet: Wallet,
  chainId: number,
  request: SwapRequest,
  options: SwapOptions = {},
): Promise<SwapOutcome> {
  const run = new SwapRun(client, wallet, chainId, request, options)
  return run.toOutcome(() => run.start())
}

/**
 * Resumes a swap after a page reload, from the state that `onProgress` reported last. If the transaction was already
 * sent, waits for it and never sends it again. If not, requests a new quote and continues as `swap` does.
 *
 * @throws ClientError as `swap` does; `PENDING` also if the wallet was asked to send and its response is unknown
 * @example
 * ```ts
 * const state = JSON.parse(localStorage.getItem('swap')!)
 * const { hash } = await resumeSwap(sluice, wallet, state, { minToAmount: 2_450_000_000n })
 * ```
 */
export function resumeSwap(
  client: SluiceClient,
  wallet: Wallet,
  state: SwapState,
  options: SwapOptions = {},
): Promise<SwapOutcome> {
  const run = new SwapRun(client, wallet, Object(state).chainId, Object(state).request, options)
  return run.toOutcome(() => run.resume(state))
}

/** State and steps of one swap. */
class SwapRun {
  private readonly client: SluiceClient
  private readonly wallet: Wallet
  private readonly chainId: number
  private readonly request: SwapRequest
  private readonly options: SwapOptions
  /** Hash of the latest transaction that was sent, or the wallet's id of a batch. */
  private hash: string | undefined

  constructor(client: SluiceClient, wallet: Wallet, chainId: number, request: SwapRequest, options: SwapOptions) {
    this.client = client
    this.wallet = checkedWallet(wallet, chainId)
    this.chainId = chainId
    this.request = request
    this.options = options
  }

  /** Runs `act` and converts every failure to a ClientError that contains the latest hash. */
  async toOutcome(act: () => Promise<SwapOutcome>): Promise<SwapOutcome> {
    try {
      return await act()
    } catch (error) {
      throw withHash(toClientError(error, 'INVALID'), this.hash)
    }
  }

  async start(): Promise<SwapOutcome> {
    const { wallet, chainId, options } = this
    await this.checkChain()
    const request = { ...this.request, from: wallet.address } as RouteParameters
    if (request.amount !== undefined) amountOf(request.amount, 'amount')
    // Loaded lazily: the list of known contracts is half as large as the rest of the package.
    const { contractsOf } = await import('./contracts-of.ts')
    const contracts = trustedContracts(chainId, options.contracts, contractsOf(chainId))
    const { guard } = contracts
    if ((await wallet.code(guard)).length <= 2) throw new ClientError('UNSAFE', `the Guard ${guard} has no code`)
    const quote = await KeptQuote.request({ client: this.client, wallet, chainId, contracts, request, terms: options })
    this.report({ stage: 'quoted', route: quote.route, proven: quote.explanation })
    const isNative = request.src.toLowerCase() === NATIVE.toLowerCase()
    for (let round = 0; round < MAX_ALLOWANCE_ROUNDS; round++) {
      const neededAllowance = quote.explanation.amountIn
      const outcome = isNative ? undefined : await this.obtainAllowance(quote, request, guard)
      if (outcome) return outcome
      await quote.refresh()
      // For an exact output, the new quote may need more input than the allowance covers.
      if (isNative || quote.explanation.amountIn <= neededAllowance) break
    }
    if (!quote.isAmountConfirmed && !(await quote.canExecute()))
      throw new ClientError('UNSAFE', `nothing but the service's word confirms the amount: ${quote.simulationFailure}`)
    return this.send(quote.route, quote.route.tx)
  }

  async resume(state: SwapState): Promise<SwapOutcome> {
    const { version, from, stage, hash, fromBlock, route } = state
    if (version !== 1 || typeof from !== 'string' || !Number.isSafeInteger(fromBlock))
      throw new ClientError('INVALID', 'this is no state of a swap')
    if (from.toLowerCase() !== this.wallet.address.toLowerCase())
      throw new ClientError('WALLET', `the swap belongs to ${from}, not to ${this.wallet.address}`)
    this.hash = hash
    if (stage === 'approved' || stage === 'unsent') return this.start()
    if (hash === undefined)
      throw new ClientError(
        'PENDING',
        'the wallet was asked to send, and did not answer: look for the transaction there',
      )
    if (stage === 'approving') {
      const { succeeded } = await waitForReceipt(this.wallet, hash, fromBlock, this.options.signal)
      if (!succeeded) throw new ClientError('REVERTED', `the approval ${hash} reverted`)
      return this.start()
    }
    if (route === undefined) throw new ClientError('INVALID', 'this is no state of a swap')
    return this.waitForOutcome(route, hash, fromBlock, stage === 'batching')
  }

  /**
   * Obtains the allowance for the Guard in the first way that both wallet and token support.
   *
   * @returns the outcome if that way also sent the swap; undefined if only the allowance exists now
   */
  private async obtainAllowance(
    quote: KeptQuote,
    request: RouteParameters,
    guard: string,
  ): Promise<SwapOutcome | undefined> {
    const { wallet, chainId, options } = this
    const missingAllowance = { token: request.src, spender: guard, amount: quote.explanation.amountIn }
    const neededApprovals = await missingApprovals(wallet, request.src, guard, missingAllowance.amount)
    if (neededApprovals.length === 0) return undefined
    // State overrides cannot set the allowance of some tokens. Such a swap can be simulated only after the approval.
    const checkReadiness = async () =>
      quote.isAmountConfirmed || (await quote.canExecute(quote.route.tx, missingAllowance))
    const { route: checkedRoute } = quote
    const isCheckedRouteReady = await checkReadiness()
    /**
     * Returns false if the current quote's amount is not confirmed, or if a renewed quote needs more input than the
     * approvals cover.
     */
    const isReadyToBatch = async () =>
      quote.route === checkedRoute
        ? isCheckedRouteReady
        : quote.explanation.amountIn <= missingAllowance.amount && (await checkReadiness())
    for (const allowanceWay of options.ways ?? ALL_WAYS) {
      if (allowanceWay === 'batch' && (await isReadyToBatch()) && (await canBatch(wallet, chainId))) {
        const outcome = await this.tryBatch(quote, neededApprovals)
        if (outcome) return outcome
      }
      if (allowanceWay === 'permit') {
        const outcome = await this.tryPermit(quote, request, missingAllowance)
        if (outcome) return outcome
      }
      if (allowanceWay === 'approve') {
        for (const call of neededApprovals) {
          this.checkAborted()
          this.report({ stage: 'prompted', prompt: 'approval' })
          const onSent = (hash: string, fromBlock: number) => this.reachStage('approving', fromBlock, { hash })
          await sendApproval(wallet, call, onSent, options.signal)
        }
        this.reachStage('approved', await wallet.blockNumber(), { hash: this.hash })
        return undefined
      }
    }
    throw new ClientError('WALLET', 'none of the ways that are left open gets the Guard its allowance')
  }

  private async tryBatch(quote: KeptQuote, neededApprovals: readonly Outgoing[]): Promise<SwapOutcome | undefined> {
    const { wallet, chainId } = this
    const { route } = quote
    this.checkAborted()
    await this.checkChain()
    const fromBlock = await wallet.blockNumber()
    this.reachStage('signing', fromBlock, { route })
    this.report({ stage: 'prompted', prompt: 'batch' })
    const sentBatch = sendBatch(wallet, chainId, [...neededApprovals, toOutgoing(route.tx)])
    const id = await this.unsentIfDeclined(sentBatch, fromBlock)
    if (id === undefined) {
      // Replaces the stage `signing`: after a reload, the swap would otherwise count as possibly sent.
      this.reachStage('unsent', fromBlock, {})
      return undefined
    }
    this.reachStage('batching', fromBlock, { hash: id, route })
    return this.waitForOutcome(route, id, fromBlock, true)
  }

  private async tryPermit(
    quote: KeptQuote,
    request: RouteParameters,
    missingAllowance: MissingAllowance,
  ): Promise<SwapOutcome | undefined> {
    const { wallet, chainId, options } = this
    const { deadline } = quote.explanation
    const onSign = () => this.report({ stage: 'prompted', prompt: 'permit' })
    const unlimitedPermits = options.unlimitedPermits
    const permit = await signPermit(wallet, chainId, missingAllowance, deadline, {
      unlimited: unlimitedPermits,
      onSign,
    })
    if (!permit) return undefined
    this.report({ stage: 'permit-signed' })
    await quote.refresh()
    const { route } = quote
    const tx = withPermit(route.tx, permit)
    // `calls` contains the transaction without the signature, so drop it.
    const { calls, ...routeWithoutCalls } = route
    proveSwap(quote.contracts, { ...routeWithoutCalls, tx }, request, { ...options, permit })
    // If the token does not accept the signature, try the next way.
    return (await quote.canExecute(tx)) ? this.send(route, tx) : undefined
  }

  private async send(route: Route, tx: Transaction): Promise<SwapOutcome> {
    const { wallet } = this
    this.checkAborted()
    const gas = await this.gasOf(route, tx)
    const fromBlock = await wallet.blockNumber()
    await this.checkChain()
    this.reachStage('signing', fromBlock, { route })
    this.checkAborted()
    this.report({ stage: 'prompted', prompt: 'swap' })
    const hash = await this.unsentIfDeclined(wallet.send({ ...toOutgoing(tx), gas }), fromBlock)
    this.reachStage('sent', fromBlock, { hash, route })
    return this.waitForOutcome(route, hash, fromBlock, false)
  }

  /** Awaits the wallet's answer. If the owner declines, nothing was sent, and the swap can be resumed. */
  private async unsentIfDeclined<T>(answer: Promise<T>, fromBlock: number): Promise<T> {
    try {
      return await answer
    } catch (error) {
      if (toClientError(error, 'WALLET').code === 'REJECTED') this.reachStage('unsent', fromBlock, {})
      throw error
    }
  }

  /**
   * Returns the gas limit: the estimate of the wallet's node plus 20 %. If the wallet lacks `estimateGas`, uses the
   * estimate of the service.
   */
  private async gasOf(route: Route, tx: Transaction): Promise<bigint> {
    const { wallet, options } = this
    const { maxGas = MAX_GAS } = options
    const gas = wallet.estimateGas ? withMargin(await wallet.estimateGas(toOutgoing(tx))) : gasLimit(route)
    if (gas > maxGas) throw new ClientError('UNSAFE', `the swap needs ${gas} gas, above the limit of ${maxGas}`)
    return gas
  }

  private async waitForOutcome(
    route: Route,
    sentHash: string,
    fromBlock: number,
    isBatch: boolean,
  ): Promise<SwapOutcome> {
    const { wallet, options } = this
    const { hash, succeeded } = isBatch
      ? { hash: await waitForBatch(wallet, sentHash, options.signal), succeeded: true }
      : await waitForReceipt(wallet, sentHash, fromBlock, options.signal)
    this.hash = hash
    if (!succeeded)
      throw new ClientError('REVERTED', `transaction ${hash} reverted and moved nothing; ask for a new quote`)
    this.reachStage('done', fromBlock, { hash, route })
    return { hash, route }
  }

  private reachStage(
    stage: SwapState['stage'],
    fromBlock: number,
    { hash, route }: { readonly hash?: string | undefined; readonly route?: Route },
  ): void {
    this.hash = hash ?? this.hash
    const state: SwapState = {
      ...{ version: 1, chainId: this.chainId, from: this.wallet.address, request: plainRequest(this.request) },
      ...{ stage, fromBlock },
      ...(hash !== undefined && { hash }),
      ...(route && { route }),
    }
    this.report({ stage, state, ...(hash !== undefined && { hash }) })
  }

  private report(progress: SwapProgress): void {
    const { onProgress } = this.options
    if (!onProgress) return
    // A transaction may already be sent, so an error of the callback must not end the swap. The callback may be
    // asynchronous, and an unhandled rejection ends a process of Node.js.
    new Promise<void>((resolve) => resolve(onProgress(progress))).catch((error: unknown) =>
      console.error(`onProgress failed: ${messageOf(error)}`),
    )
  }

  /** Checks the chain of the wallet, before a stage says that the wallet was asked to send. @throws ClientError `WALLET` */
  private async checkChain(): Promise<void> {
    const walletChainId = await this.wallet.chainId()
    if (walletChainId !== this.chainId)
      throw new ClientError('WALLET', `the wallet is on chain ${walletChainId}, not ${this.chainId}`)
  }

  /** Checks the caller's signal. @throws ClientError `ABORTED` */
  private checkAborted(): void {
    const { signal } = this.options
    if (signal?.aborted) throw abortError(signal)
  }
}

/**
 * Adds a permit to the transaction of a swap, so that the Guard can draw the input without an approval.
 *
 * @throws ClientError `UNSAFE` if the transaction is not a swap of the Guard or its calldata is malformed
 * @example
 * ```ts
 * const tx = withPermit(route.tx, permit)
 * verify(1, { ...route, tx }, request, { permit, minToAmount })
 * ```
 */
export function withPermit(tx: Transaction, permit: GuardPermit): Transaction {
  try {
    const order = decodeSwap(tx.data, weiOf(tx))
    const { recipient = tx.from as Hex } = order
    return { ...tx, data: encodePermitSwap({ ...order, recipient }, permit) }
  } catch (error) {
    throw toClientError(error, 'UNSAFE', 'the transaction is malformed: ')
  }
}

function toOutgoing({ to, data, value }: Transaction): Outgoing {
  return { to, data, value: BigInt(value) }
}
