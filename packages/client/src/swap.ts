/** A swap from wish to receipt by the client rules of the interface. */
import { decodeSwap } from './abi.ts'
import { approvals, approve } from './approve.ts'
import { canBatch, sendBatch } from './batch.ts'
import type { SluiceClient } from './client.ts'
import { trustedContracts } from './contracts.ts'
import { ClientError } from './errors.ts'
import type { Explanation } from './explain.ts'
import { signPermit } from './permit.ts'
import { encodePermitSwap } from './permit-abi.ts'
import { type MissingAllowance, simulate } from './simulate.ts'
import { NATIVE, type Route, type SwapParameters, type Transaction } from './types.ts'
import { type SwapTerms, verify } from './verify.ts'
import type { Outgoing, Wallet } from './wallet.ts'
import { floorOf, type Witness } from './witness.ts'

/** A quote is used for the block it was simulated at and this many more. */
const MAX_AGE_BLOCKS = 2
const MAX_QUOTES = 5
/** Most that passing a signature on to a token costs beyond the estimate: calldata, the check, two slots. */
const PERMIT_GAS = 120_000n

export type SwapOptions = SwapTerms & {
  /** Who else says what the swap should bring, where the caller names no `minToAmount`. */
  readonly witness?: Witness
  /** Percent that the quote may lie below the witness, or the least output below the simulation, beside the slippage; 1 by default. */
  readonly tolerance?: number | string
  /** Signs a quote that nothing but the service's own word confirms. */
  readonly trustQuote?: boolean
  /** Called before anything is signed, and again for a later quote that promises less; false stops. */
  readonly confirm?: (route: Route, explanation: Explanation) => boolean | Promise<boolean>
}

export type SwapOutcome = { readonly hash: string; readonly route: Route }

type Quoted = { readonly route: Route; readonly explanation: Explanation }

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
  parameters: Omit<SwapParameters, 'from'>,
  options: SwapOptions = {},
): Promise<SwapOutcome> {
  if ((await wallet.chainId()) !== chainId)
    throw new ClientError('WALLET', `the wallet is on chain ${await wallet.chainId()}, not ${chainId}`)
  const { confirm, witness, tolerance, trustQuote = false } = options
  const asked: SwapParameters = { ...parameters, from: wallet.address }
  const { guard } = trustedContracts(chainId, options.contracts)
  const least = witness ? floorOf(await witness(asked, wallet), asked, tolerance) : undefined
  const minToAmount = highest(options.minToAmount, least)
  const quote = async (): Promise<Quoted> => {
    const route = await client.getSwap(chainId, asked)
    return { route, explanation: verify(chainId, route, asked, { ...options, minToAmount }) }
  }
  const agreed = async ({ route, explanation }: Quoted) => {
    if (confirm && !(await confirm(route, explanation))) throw new ClientError('WALLET', 'the swap was not confirmed')
  }
  const sure = trustQuote || minToAmount !== undefined
  /** Whether the wallet's node can run the swap. @throws ClientError `UNSAFE` where that brings more than the quote promises */
  const runs = async ({ route, explanation }: Quoted, tx = route.tx, missing?: MissingAllowance): Promise<boolean> => {
    let brought: bigint
    try {
      brought = await simulate(wallet, tx, missing)
    } catch (cause) {
      failure = (cause as Error).message
      return false
    }
    if (!sure && explanation.minOutput < floorOf(brought, asked, tolerance))
      throw new ClientError('UNSAFE', `the swap brings ${brought}, and its least output is ${explanation.minOutput}`)
    return true
  }
  let failure = ''
  let quoted = await quote()
  let promised = quoted.explanation.minOutput
  await agreed(quoted)
  const fresh = async () => {
    for (let quotes = 1; (await wallet.blockNumber()) - quoted.route.simulationBlock > MAX_AGE_BLOCKS; quotes++) {
      if (quotes === MAX_QUOTES) throw new ClientError('STALE', 'blocks pass faster than quotes arrive')
      quoted = await quote()
      if (quoted.explanation.minOutput >= promised) continue
      await agreed(quoted)
      promised = quoted.explanation.minOutput
    }
  }

  if ((await wallet.code(guard)).length <= 2) throw new ClientError('UNSAFE', `the Guard ${guard} has no code`)
  const token = asked.src.toLowerCase() === NATIVE.toLowerCase() ? undefined : asked.src
  const missing = { token: asked.src, spender: guard, amount: BigInt(asked.amount) }
  const needed = token ? await approvals(wallet, token, guard, missing.amount) : []
  if (needed.length > 0) {
    await fresh()
    // The allowance may stand where no override reaches it: run once it is there.
    const ahead = sure || (await runs(quoted, quoted.route.tx, missing))
    if (ahead && (await canBatch(wallet, chainId))) {
      const hash = await sendBatch(wallet, chainId, [...needed, outgoing(quoted.route.tx)])
      if (hash) return { hash, route: quoted.route }
    }
    const permit = await signPermit(wallet, chainId, missing, quoted.explanation.deadline)
    if (permit) {
      await fresh()
      const { tx } = quoted.route
      const signed = { ...tx, data: encodePermitSwap(decodeSwap(tx.data, 0n), permit) }
      // A token that takes the signature in another way than it seemed to is approved instead.
      if (await runs(quoted, signed)) return send(wallet, quoted.route, signed, PERMIT_GAS)
    }
    await approve(wallet, asked.src, guard, missing.amount)
  }
  await fresh()
  if (!sure && !(await runs(quoted)))
    throw new ClientError('UNSAFE', `nothing but the service's word confirms the amount: ${failure}`)
  return send(wallet, quoted.route, quoted.route.tx)
}

async function send(wallet: Wallet, route: Route, tx: Transaction, more = 0n): Promise<SwapOutcome> {
  const hash = await wallet.send({ ...outgoing(tx), gas: gasLimit(route) + more })
  if (!(await wallet.succeeded(hash)))
    throw new ClientError('REVERTED', `transaction ${hash} reverted and moved nothing; ask for a new quote`)
  return { hash, route }
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
