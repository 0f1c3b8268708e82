/** A swap from wish to receipt by the client rules of the interface. */
import { decodeSwap } from './abi.ts'
import { approvals, approve } from './approve.ts'
import { canBatch, sendBatch } from './batch.ts'
import type { SluiceClient } from './client.ts'
import { trustedContracts } from './contracts.ts'
import { ClientError } from './errors.ts'
import { weiOf } from './explain.ts'
import { aborted } from './http.ts'
import { KeptQuote } from './kept-quote.ts'
import type { GuardPermit } from './order.ts'
import { signPermit } from './permit.ts'
import { encodePermitSwap } from './permit-abi.ts'
import type { MissingAllowance } from './simulate.ts'
import { NATIVE, type Route, type SwapParameters, type Transaction } from './types.ts'
import { type Proven, type SwapTerms, verify } from './verify.ts'
import type { Outgoing, Wallet } from './wallet.ts'
import { floorOf, type Witness } from './witness.ts'

/** Most that passing a signature on to a token costs beyond the estimate: calldata, the check, two slots. */
const PERMIT_GAS = 120_000n

export type SwapOptions = Omit<SwapTerms, 'permit'> & {
  /** Who else says what the swap should bring, where the caller names no `minToAmount`. */
  readonly witness?: Witness
  /** Percent that the quote may lie below the witness, or the least output below the simulation, beside the slippage; 1 by default. */
  readonly tolerance?: number | string
  /** Signs a quote that nothing but the service's own word confirms. */
  readonly trustQuote?: boolean
  /**
   * Signs DAI's form of permit in the place of an approval of exactly the amount. It is unlimited: the Guard may draw any
   * amount, in swaps of this sender alone, until its allowance is set back.
   */
  readonly unlimitedPermits?: boolean
  /** Ways in which the Guard gets its allowance, in the order in which they are tried; those that are left out never are. */
  readonly ways?: readonly AllowanceWay[]
  /** Ends the swap where nothing has been sent yet; what is on its way stays. */
  readonly signal?: AbortSignal
  /** Called before anything is signed, and again for a later quote that promises less; false stops. */
  readonly confirm?: (route: Route, proven: Proven) => boolean | Promise<boolean>
}

/** `batch`: approval and swap as one (EIP-5792). `permit`: a signature in the swap itself. `approve`: a transaction of its own. */
export type AllowanceWay = 'batch' | 'permit' | 'approve'
const ALL_WAYS: readonly AllowanceWay[] = ['batch', 'permit', 'approve']

export type SwapOutcome = { readonly hash: string; readonly route: Route }

/**
 * Quotes, proves the transaction, has its amount confirmed by somebody else than the service, approves the Guard when the
 * allowance is short (in one transaction with the swap where the wallet can or the token takes a signature), quotes again when more than two blocks have
 * passed, and sends with a gas limit 20 % above the estimate.
 *
 * The amount is confirmed by `minToAmount`, by a witness, or by simulating the transaction on the wallet's own node.
 *
 * @throws ClientError: `UNSAFE` before the swap is signed, `REVERTED` when the mined transaction moved nothing
 */
export async function swap(
  client: SluiceClient,
  wallet: Wallet,
  chainId: number,
  parameters: Omit<SwapParameters, 'from' | 'permit'>,
  options: SwapOptions = {},
): Promise<SwapOutcome> {
  if ((await wallet.chainId()) !== chainId)
    throw new ClientError('WALLET', `the wallet is on chain ${await wallet.chainId()}, not ${chainId}`)
  const asked: SwapParameters = { ...parameters, from: wallet.address }
  const { guard } = trustedContracts(chainId, options.contracts)
  const { witness, tolerance } = options
  const least = witness ? floorOf(await witness(asked, wallet), asked, tolerance) : undefined
  const terms = { ...options, minToAmount: highest(options.minToAmount, least) }
  const quote = await KeptQuote.ask({ client, wallet, chainId, asked, terms })
  if ((await wallet.code(guard)).length <= 2) throw new ClientError('UNSAFE', `the Guard ${guard} has no code`)
  const missing = { token: asked.src, spender: guard, amount: BigInt(asked.amount) }
  const isNative = asked.src.toLowerCase() === NATIVE.toLowerCase()
  const needed = isNative ? [] : await approvals(wallet, asked.src, guard, missing.amount)
  if (needed.length > 0) {
    const done = await allow({ quote, wallet, chainId, asked, terms, missing, needed })
    if (done !== 'approved') return done
  }
  await quote.refresh()
  if (!quote.isSure && !(await quote.runs()))
    throw new ClientError('UNSAFE', `nothing but the service's word confirms the amount: ${quote.failure}`)
  return send({ wallet, route: quote.route, tx: quote.route.tx }, options.signal)
}

type Allowing = {
  readonly quote: KeptQuote
  readonly wallet: Wallet
  readonly chainId: number
  readonly asked: SwapParameters
  readonly terms: SwapOptions
  readonly missing: MissingAllowance
  readonly needed: readonly Outgoing[]
}

/** The first way that wallet and token take: with it the swap, or the approval alone. */
async function allow(allowing: Allowing): Promise<SwapOutcome | 'approved'> {
  const { quote, wallet, chainId, asked, terms, missing, needed } = allowing
  await quote.refresh()
  // The allowance may stand where no override reaches it: run once it is there.
  const ahead = quote.isSure || (await quote.runs(quote.route.tx, missing))
  const by: Readonly<Record<AllowanceWay, () => Promise<SwapOutcome | 'approved' | undefined>>> = {
    batch: async () => {
      if (!ahead || !(await canBatch(wallet, chainId))) return undefined
      checkAborted(terms.signal)
      const hash = await sendBatch(wallet, chainId, [...needed, outgoing(quote.route.tx)])
      return hash === undefined ? undefined : { hash, route: quote.route }
    },
    permit: async () => {
      const { deadline } = quote.explanation
      const permit = await signPermit(wallet, chainId, missing, deadline, { unlimited: terms.unlimitedPermits })
      if (!permit) return undefined
      await quote.refresh()
      const { route } = quote
      const tx = withPermit(route.tx, permit)
      verify(chainId, { ...route, tx }, asked, { ...terms, permit })
      // A token that takes the signature in another way than it seemed to is swapped in the next way.
      return (await quote.runs(tx)) ? send({ wallet, route, tx, more: PERMIT_GAS }, terms.signal) : undefined
    },
    approve: async () => {
      checkAborted(terms.signal)
      await approve(wallet, asked.src, missing.spender, missing.amount)
      return 'approved'
    },
  }
  for (const way of terms.ways ?? ALL_WAYS) {
    const done = await by[way]()
    if (done) return done
  }
  throw new ClientError('WALLET', 'none of the ways that are left open gets the Guard its allowance')
}

/**
 * The transaction of a swap with the signature that lets the Guard draw its input.
 *
 * @throws ClientError `UNSAFE` for anything but a swap of a token
 */
export function withPermit(tx: Transaction, permit: GuardPermit): Transaction {
  return { ...tx, data: encodePermitSwap(decodeSwap(tx.data, weiOf(tx)), permit) }
}

type Sent = { readonly wallet: Wallet; readonly route: Route; readonly tx: Transaction; readonly more?: bigint }

async function send({ wallet, route, tx, more = 0n }: Sent, signal?: AbortSignal): Promise<SwapOutcome> {
  checkAborted(signal)
  const hash = await wallet.send({ ...outgoing(tx), gas: gasLimit(route) + more })
  if (!(await wallet.succeeded(hash)))
    throw new ClientError('REVERTED', `transaction ${hash} reverted and moved nothing; ask for a new quote`)
  return { hash, route }
}

/** @throws ClientError `ABORTED` */
function checkAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw aborted(signal)
}

/** The estimate plus 20 %, rounded up. */
export function gasLimit(route: Pick<Route, 'gasEstimate'>): bigint {
  return (BigInt(route.gasEstimate) * 12n + 9n) / 10n
}

function outgoing({ to, data, value }: Transaction): Outgoing {
  return { to, data, value: BigInt(value) }
}

function highest(named: bigint | string | undefined, witnessed: bigint | undefined): bigint | undefined {
  if (named === undefined) return witnessed
  return witnessed !== undefined && witnessed > BigInt(named) ? witnessed : BigInt(named)
}
