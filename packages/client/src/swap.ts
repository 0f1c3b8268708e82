/** A swap from wish to receipt by the client rules of the interface. */
import { encodeCall, selectors } from './abi.ts'
import type { SluiceClient } from './client.ts'
import { ClientError } from './errors.ts'
import { verify } from './explain.ts'
import { trustedGuard } from './guards.ts'
import { NATIVE, type Route, type SwapParameters } from './types.ts'
import type { Wallet } from './wallet.ts'

/** A quote is used for the block it was simulated at and this many more. */
const MAX_AGE_BLOCKS = 2
const MAX_QUOTES = 5

export type SwapOptions = {
  /** Guard Contract that the caller knows for the chain, such as that of a local one; else the one this package knows. */
  readonly guard?: string
  /** Called before anything is signed; false stops. */
  readonly confirm?: (route: Route) => boolean | Promise<boolean>
}

export type SwapOutcome = { readonly hash: string; readonly route: Route }

/**
 * Quotes, proves the transaction, approves the Guard when the allowance is short, quotes again when more than two blocks
 * have passed, and sends with a gas limit 20 % above the estimate.
 *
 * @throws ClientError: `UNSAFE` before anything is signed, `REVERTED` when the mined transaction moved nothing
 */
export async function swap(
  client: SluiceClient,
  wallet: Wallet,
  chainId: number,
  parameters: Omit<SwapParameters, 'from'>,
  { guard, confirm }: SwapOptions = {},
): Promise<SwapOutcome> {
  if ((await wallet.chainId()) !== chainId)
    throw new ClientError('WALLET', `the wallet is on chain ${await wallet.chainId()}, not ${chainId}`)
  const asked: SwapParameters = { ...parameters, from: wallet.address }
  const trusted = trustedGuard(chainId, guard)
  const quote = async () => {
    const route = await client.getSwap(chainId, asked)
    verify(route, asked, trusted)
    return route
  }

  let route = await quote()
  if (confirm && !(await confirm(route))) throw new ClientError('WALLET', 'the swap was not confirmed')
  if ((await wallet.code(trusted)).length <= 2) throw new ClientError('UNSAFE', `the Guard ${trusted} has no code`)
  if (asked.src.toLowerCase() !== NATIVE.toLowerCase()) await approve(wallet, asked.src, trusted, BigInt(asked.amount))

  for (let quotes = 1; (await wallet.blockNumber()) - route.simulationBlock > MAX_AGE_BLOCKS; quotes++) {
    if (quotes === MAX_QUOTES) throw new ClientError('STALE', 'blocks pass faster than quotes arrive')
    route = await quote()
  }
  const { to, data, value } = route.tx
  const hash = await wallet.send({ to, data, value: BigInt(value), gas: gasLimit(route) })
  if (!(await wallet.succeeded(hash)))
    throw new ClientError('REVERTED', `transaction ${hash} reverted and moved nothing; ask for a new quote`)
  return { hash, route }
}

/** The estimate plus 20 %, rounded up. */
export function gasLimit(route: Pick<Route, 'gasEstimate'>): bigint {
  return (BigInt(route.gasEstimate) * 12n + 9n) / 10n
}

/**
 * Lets the spender draw exactly `amount`. A smaller allowance that is not zero is first set to zero where the token
 * insists on it.
 */
export async function approve(wallet: Wallet, token: string, spender: string, amount: bigint): Promise<void> {
  const allowance = BigInt(await wallet.call(token, encodeCall(selectors.allowance, wallet.address, spender)))
  if (allowance >= amount) return
  const set = async (value: bigint) => {
    const hash = await wallet.send({ to: token, data: encodeCall(selectors.approve, spender, value), value: 0n })
    if (!(await wallet.succeeded(hash))) throw new ClientError('REVERTED', `the approval ${hash} reverted`)
  }
  if (allowance > 0n && !(await accepts(wallet, token, encodeCall(selectors.approve, spender, amount)))) await set(0n)
  await set(amount)
}

/** Whether a call would go through as things stand. */
async function accepts(wallet: Wallet, token: string, data: `0x${string}`): Promise<boolean> {
  try {
    await wallet.call(token, data)
    return true
  } catch {
    // Wallets report a revert in ways of their own; a node that failed for another reason only costs a reset.
    return false
  }
}
