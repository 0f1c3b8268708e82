/** A swap from request to receipt by the client rules of the interface. */
import { decodeSwap } from './abi.ts'
import { amountOf } from './amounts.ts'
import { approvals, sendApproval } from './approve.ts'
import { canBatch, sendBatch, settledBatch } from './batch.ts'
import { checkedWallet } from './checked-wallet.ts'
import type { SluiceClient } from './client.ts'
import { trustedContracts } from './contracts.ts'
import { ClientError, messageOf, toClientError, withHash } from './errors.ts'
import { weiOf } from './explain.ts'
import { gasLimit, withMargin } from './gas-limit.ts'
import { aborted } from './http.ts'
import { KeptQuote, type QuoteTerms } from './kept-quote.ts'
import type { GuardPermit } from './order.ts'
import { signPermit } from './permit.ts'
import { encodePermitSwap } from './permit-abi.ts'
import { proveSwap } from './prove-swap.ts'
import { settled } from './receipt.ts'
import type { MissingAllowance } from './simulate.ts'
import { plainRequest, type SwapProgress, type SwapState } from './swap-state.ts'
import { type Hex, NATIVE, type Route, type RouteParameters, type SwapRequest, type Transaction } from './types.ts'
import type { Outgoing, Wallet } from './wallet.ts'

/** Allowances that are asked for when the input of an exact output grows in between. */
const MAX_ROUNDS = 3
/** Highest gas limit of a swap when the caller names none. */
const MAX_GAS = 10_000_000n

export type SwapOptions = QuoteTerms & {
  /**
   * Signs DAI's form of permit in place of an approval of exactly the amount. It is unlimited: the Guard may draw any amount, in
   * swaps of this sender alone, until its allowance is set back.
   */
  readonly unlimitedPermits?: boolean | undefined
  /** Ways in which the Guard gets its allowance, in the order in which they are tried; those that are left out never are. */
  readonly ways?: readonly AllowanceWay[] | undefined
  /** Highest gas limit of the swap; 10,000,000 when absent. */
  readonly maxGas?: bigint | undefined
  /** Called at each stage. Its own failures do not end the swap. */
  readonly onProgress?: ((progress: SwapProgress) => void) | undefined
}

/** `batch`: approval and swap as one (EIP-5792). `permit`: a signature in the swap itself. `approve`: a transaction of its own. */
export type AllowanceWay = 'batch' | 'permit' | 'approve'
const ALL_WAYS: readonly AllowanceWay[] = ['batch', 'permit', 'approve']

export type SwapOutcome = { readonly hash: string; readonly route: Route }

/**
 * Quotes, proves the transaction, has its amount confirmed by somebody else than the service, gets the Guard its allowance, quotes
 * again when more than two blocks have passed, and sends with the gas that the wallet's node estimates plus 20 %.
 *
 * The amount is confirmed by `minToAmount` (`maxFromAmount` for an exact output), by a witness, or by the wallet's own node, which
 * runs the transaction and compares it with known pools.
 *
 * @throws ClientError alone: `UNSAFE` before anything is signed, `REJECTED` by the owner, `REVERTED` when the mined transaction
 *   moved nothing, `PENDING` when it was not mined in time. After a transaction was sent, `details.hash` names it
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
  return run.guarded(() => run.start())
}

/**
 * Goes on with a swap after a reload, from the state that `onProgress` reported last. What was sent is waited for and never sent
 * again; a swap that was not sent is quoted and proven again.
 *
 * @throws ClientError as `swap` does; `PENDING` where the wallet was asked to send and nobody knows whether it did
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
  return run.guarded(() => run.resume(state))
}

/** One swap. */
class SwapRun {
  private readonly client: SluiceClient
  private readonly wallet: Wallet
  private readonly chainId: number
  private readonly request: SwapRequest
  private readonly options: SwapOptions
  /** Latest transaction that was sent. */
  private hash: string | undefined

  constructor(client: SluiceClient, wallet: Wallet, chainId: number, request: SwapRequest, options: SwapOptions) {
    this.client = client
    this.wallet = checkedWallet(wallet, chainId)
    this.chainId = chainId
    this.request = request
    this.options = options
  }

  /** Runs `act`; every failure is a ClientError with the latest hash. */
  async guarded(act: () => Promise<SwapOutcome>): Promise<SwapOutcome> {
    try {
      return await act()
    } catch (error) {
      throw withHash(toClientError(error, 'INVALID'), this.hash)
    }
  }

  async start(): Promise<SwapOutcome> {
    const { wallet, chainId, options } = this
    const current = await wallet.chainId()
    if (current !== chainId) throw new ClientError('WALLET', `the wallet is on chain ${current}, not ${chainId}`)
    const asked = { ...this.request, from: wallet.address } as RouteParameters
    if (asked.amount !== undefined) amountOf(asked.amount, 'amount')
    // The known contracts weigh half as much as the rest: a page loads them with its first swap.
    const { contractsOf } = await import('./contracts-of.ts')
    const contracts = trustedContracts(chainId, options.contracts, contractsOf(chainId))
    const { guard } = contracts
    if ((await wallet.code(guard)).length <= 2) throw new ClientError('UNSAFE', `the Guard ${guard} has no code`)
    const quote = await KeptQuote.ask({ client: this.client, wallet, chainId, contracts, asked, terms: options })
    this.report({ stage: 'quoted', route: quote.route, proven: quote.explanation })
    const isNative = asked.src.toLowerCase() === NATIVE.toLowerCase()
    for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
      const allowed = quote.explanation.amountIn
      const done = isNative ? undefined : await this.allow(quote, asked, guard)
      if (done) return done
      await quote.refresh()
      // A later quote of an exact output may take more than the allowance of the one before.
      if (isNative || quote.explanation.amountIn <= allowed) break
    }
    if (!quote.isSure && !(await quote.runs()))
      throw new ClientError('UNSAFE', `nothing but the service's word confirms the amount: ${quote.failure}`)
    return this.send(quote.route, quote.route.tx)
  }

  async resume(state: SwapState): Promise<SwapOutcome> {
    const { version, from, stage, hash, fromBlock, route } = state
    if (version !== 1 || typeof from !== 'string' || !Number.isSafeInteger(fromBlock))
      throw new ClientError('INVALID', 'this is no state of a swap')
    if (from.toLowerCase() !== this.wallet.address.toLowerCase())
      throw new ClientError('WALLET', `the swap belongs to ${from}, not to ${this.wallet.address}`)
    this.hash = hash
    if (stage === 'approved') return this.start()
    if (hash === undefined)
      throw new ClientError(
        'PENDING',
        'the wallet was asked to send, and did not answer: look for the transaction there',
      )
    if (stage === 'approving') {
      const { succeeded } = await settled(this.wallet, hash, fromBlock, this.options.signal)
      if (!succeeded) throw new ClientError('REVERTED', `the approval ${hash} reverted`)
      return this.start()
    }
    if (route === undefined) throw new ClientError('INVALID', 'this is no state of a swap')
    return this.settle(route, hash, fromBlock, stage === 'batching')
  }

  /** The first way that wallet and token take: with it the swap, or the allowance alone (undefined). */
  private async allow(quote: KeptQuote, asked: RouteParameters, guard: string): Promise<SwapOutcome | undefined> {
    const { wallet, chainId, options } = this
    const missing = { token: asked.src, spender: guard, amount: quote.explanation.amountIn }
    const needed = await approvals(wallet, asked.src, guard, missing.amount)
    if (needed.length === 0) return undefined
    // The allowance may be kept where no override reaches it: the swap is run once it is there.
    const isAhead = quote.isSure || (await quote.runs(quote.route.tx, missing))
    for (const way of options.ways ?? ALL_WAYS) {
      if (way === 'batch' && isAhead && (await canBatch(wallet, chainId))) {
        const done = await this.batch(quote, needed)
        if (done) return done
      }
      if (way === 'permit') {
        const done = await this.permit(quote, asked, missing)
        if (done) return done
      }
      if (way === 'approve') {
        for (const call of needed) {
          this.checkAborted()
          this.report({ stage: 'prompted', prompt: 'approval' })
          await sendApproval(wallet, call, (hash, fromBlock) => this.reached('approving', fromBlock, { hash }))
        }
        this.reached('approved', await wallet.blockNumber(), { hash: this.hash })
        return undefined
      }
    }
    throw new ClientError('WALLET', 'none of the ways that are left open gets the Guard its allowance')
  }

  private async batch(quote: KeptQuote, needed: readonly Outgoing[]): Promise<SwapOutcome | undefined> {
    const { wallet, chainId } = this
    const { route } = quote
    this.checkAborted()
    const current = await wallet.chainId()
    if (current !== chainId) throw new ClientError('WALLET', `the wallet is on chain ${current}, not ${chainId}`)
    const fromBlock = await wallet.blockNumber()
    this.reached('signing', fromBlock, { route })
    this.report({ stage: 'prompted', prompt: 'batch' })
    const id = await sendBatch(wallet, chainId, [...needed, outgoing(route.tx)])
    if (id === undefined) return undefined
    this.reached('batching', fromBlock, { hash: id, route })
    return this.settle(route, id, fromBlock, true)
  }

  private async permit(
    quote: KeptQuote,
    asked: RouteParameters,
    missing: MissingAllowance,
  ): Promise<SwapOutcome | undefined> {
    const { wallet, chainId, options } = this
    const { deadline } = quote.explanation
    const onSign = () => this.report({ stage: 'prompted', prompt: 'permit' })
    const unlimited = options.unlimitedPermits
    const permit = await signPermit(wallet, chainId, missing, deadline, { unlimited, onSign })
    if (!permit) return undefined
    this.report({ stage: 'permit-signed' })
    await quote.refresh()
    const { route } = quote
    const tx = withPermit(route.tx, permit)
    // Its calls carry the transaction without the signature.
    const { calls, ...bare } = route
    proveSwap(quote.contracts, { ...bare, tx }, asked, { ...options, permit })
    // A token that takes the signature in another way than it seemed to is swapped in the next way.
    return (await quote.runs(tx)) ? this.send(route, tx) : undefined
  }

  private async send(route: Route, tx: Transaction): Promise<SwapOutcome> {
    const { wallet } = this
    this.checkAborted()
    const gas = await this.gasOf(route, tx)
    const fromBlock = await wallet.blockNumber()
    this.reached('signing', fromBlock, { route })
    this.checkAborted()
    this.report({ stage: 'prompted', prompt: 'swap' })
    const hash = await wallet.send({ ...outgoing(tx), gas })
    this.reached('sent', fromBlock, { hash, route })
    return this.settle(route, hash, fromBlock, false)
  }

  /** Gas by the wallet's own node plus 20 %; the service's estimate where the wallet has no way to ask. */
  private async gasOf(route: Route, tx: Transaction): Promise<bigint> {
    const { wallet, options } = this
    const { maxGas = MAX_GAS } = options
    const gas = wallet.estimateGas ? withMargin(await wallet.estimateGas(outgoing(tx))) : gasLimit(route)
    if (gas > maxGas) throw new ClientError('UNSAFE', `the swap needs ${gas} gas, above the limit of ${maxGas}`)
    return gas
  }

  private async settle(route: Route, sent: string, fromBlock: number, isBatch: boolean): Promise<SwapOutcome> {
    const { wallet, options } = this
    const { hash, succeeded } = isBatch
      ? { hash: await settledBatch(wallet, sent, options.signal), succeeded: true }
      : await settled(wallet, sent, fromBlock, options.signal)
    this.hash = hash
    if (!succeeded)
      throw new ClientError('REVERTED', `transaction ${hash} reverted and moved nothing; ask for a new quote`)
    this.reached('done', fromBlock, { hash, route })
    return { hash, route }
  }

  private reached(
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
    try {
      this.options.onProgress?.(progress)
    } catch (error) {
      // A page that fails to draw must not end a swap of which a part is sent.
      console.error(`onProgress failed: ${messageOf(error)}`)
    }
  }

  /** @throws ClientError `ABORTED` */
  private checkAborted(): void {
    const { signal } = this.options
    if (signal?.aborted) throw aborted(signal)
  }
}

/**
 * The transaction of a swap with the signature that lets the Guard draw its input.
 *
 * @throws ClientError `UNSAFE` for anything but a swap of a token
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

function outgoing({ to, data, value }: Transaction): Outgoing {
  return { to, data, value: BigInt(value) }
}
