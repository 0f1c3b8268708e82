/**
 * A signature in the place of an approval, in the swap's own calldata: one transaction instead of two. By the token's own
 * permit (EIP-2612, or DAI's form where the caller takes one without a limit), or by Permit2 where the token's owner approved that.
 */
import { allowanceOf } from './approve.ts'
import { encodeCall, selectors } from './calls.ts'
import { checkedWallet } from './checked-wallet.ts'
import { isRejection, toClientError } from './errors.ts'
import type { GuardPermit } from './order.ts'
import { DAI_FIELDS, EIP2612_FIELDS, PERMIT2, PERMIT2_TYPES } from './permit-types.ts'
import type { MissingAllowance } from './simulate.ts'
import { type Domain, separatorOf, type TypedData, typedData, typehash } from './typed-data.ts'
import type { Hex } from './types.ts'
import type { Wallet } from './wallet.ts'

/** Permit2 keeps amounts in so many bits, and times in so many. */
const PERMIT2_AMOUNT_BITS = 160n
const PERMIT2_TIME_BITS = 48n
/** Amount, expiration and nonce, a word each. */
const PERMIT2_ALLOWANCE = /^0x[0-9a-fA-F]{192}$/
/** Versions tried for tokens that do not tell theirs. */
const COMMON_VERSIONS = ['1', '2']
/** r, s and v. */
const KEY_SIGNATURE = /^0x[0-9a-fA-F]{130}$/
/** Signatures of contract wallets, of their own choosing (ERC-1271); so many bytes are passed on. */
const ANY_SIGNATURE = /^0x([0-9a-fA-F]{2}){1,4096}$/
const WORD = /^0x[0-9a-fA-F]{64}$/
const ZERO_WORD = '0'.repeat(64)

export type PermitOptions = {
  /** Takes DAI's form of permit too, by which the spender may draw any amount until the owner takes that back. */
  readonly unlimited?: boolean | undefined
  /** Called right before the wallet is asked to sign. */
  readonly onSign?: (() => void) | undefined
}

/** Message that is put before the owner, and the permit that the signature makes. */
type Request = {
  readonly typed: TypedData
  readonly permit: Omit<GuardPermit, 'signature'>
}

/**
 * The sender's signature that lets the Guard draw the input until the deadline: exactly the amount, but by DAI's form.
 *
 * @param deadline - Unix seconds
 * @example
 * ```ts
 * const permit = await signPermit(wallet, 1, { token: src, spender: guardOf(1)!, amount }, deadline)
 * ```
 * @returns undefined where no form serves: the token has none, its owner has not approved Permit2, or the wallet cannot sign
 */
export async function signPermit(
  wallet: Wallet,
  chainId: number,
  wanted: MissingAllowance,
  deadline: bigint,
  options: PermitOptions = {},
): Promise<GuardPermit | undefined> {
  return signWith(checkedWallet(wallet, chainId), chainId, wanted, deadline, options)
}

async function signWith(
  wallet: Wallet,
  chainId: number,
  wanted: MissingAllowance,
  deadline: bigint,
  { unlimited = false, onSign }: PermitOptions,
): Promise<GuardPermit | undefined> {
  const { token } = wanted
  const byKey = isKey(await wallet.code(wallet.address))
  const own = byKey ? await tokenPermit(wallet, chainId, token) : undefined
  const request =
    (own?.kind === 'eip2612' && eip2612(wallet, wanted, deadline, own)) ||
    (await permit2(wallet, chainId, wanted, deadline)) ||
    (own?.kind === 'dai' && unlimited && dai(wallet, wanted, deadline, own)) ||
    undefined
  if (!request) return undefined
  onSign?.()
  const signature = await signed(wallet, request.typed)
  const fits = request.permit.kind === 'permit2' && !byKey ? ANY_SIGNATURE : KEY_SIGNATURE
  if (signature === undefined || !fits.test(signature)) return undefined
  return { ...request.permit, signature: byKey ? withWholeV(signature) : signature }
}

/** True for an account whose key signs: one without code, and one that delegates to code by EIP-7702 and still has its key. */
function isKey(code: string): boolean {
  return code.length <= 2 || /^0xef0100[0-9a-fA-F]{40}$/.test(code)
}

type TokenPermit = { readonly kind: 'eip2612' | 'dai'; readonly domain: Domain; readonly nonce: bigint }

function eip2612(
  { address }: Wallet,
  { spender, amount }: MissingAllowance,
  deadline: bigint,
  { domain, nonce }: TokenPermit,
): Request {
  const message = {
    ...{ owner: address, spender, value: String(amount) },
    ...{ nonce: String(nonce), deadline: String(deadline) },
  }
  return {
    typed: typedData(domain, 'Permit', { Permit: EIP2612_FIELDS }, message),
    // The nonce is in the signature alone.
    permit: { kind: 'eip2612', amount, nonce: 0n, deadline },
  }
}

function dai({ address }: Wallet, { spender }: MissingAllowance, deadline: bigint, own: TokenPermit): Request {
  const { domain, nonce } = own
  const message = {
    ...{ holder: address, spender, nonce: String(nonce) },
    ...{ expiry: String(deadline), allowed: true },
  }
  return {
    typed: typedData(domain, 'Permit', { Permit: DAI_FIELDS }, message),
    permit: { kind: 'dai', amount: 0n, nonce, deadline },
  }
}

/** For an owner who has approved Permit2 for the token, which then draws as much of it as is signed for. */
async function permit2(
  wallet: Wallet,
  chainId: number,
  { token, spender, amount }: MissingAllowance,
  deadline: bigint,
): Promise<Request | undefined> {
  if (amount >> PERMIT2_AMOUNT_BITS !== 0n || deadline >> PERMIT2_TIME_BITS !== 0n) return undefined
  const [approved, answer] = await Promise.all([
    allowanceOf(wallet, token, PERMIT2),
    wallet.call(PERMIT2, encodeCall(selectors.permit2Allowance, wallet.address, token, spender)).catch(() => '0x'),
  ])
  if (approved < amount || !PERMIT2_ALLOWANCE.test(answer)) return undefined
  const nonce = BigInt(`0x${answer.slice(-64)}`)
  const until = String(deadline)
  const details = { token, amount: String(amount), expiration: until, nonce: String(nonce) }
  const domain = { name: 'Permit2', chainId, verifyingContract: PERMIT2 }
  return {
    typed: typedData(domain, 'PermitSingle', PERMIT2_TYPES, { details, spender, sigDeadline: until }),
    permit: { kind: 'permit2', amount, nonce, deadline },
  }
}

/**
 * Undefined where the wallet cannot sign such a message.
 *
 * @throws ClientError `REJECTED` by the owner, who then does not want the swap either
 */
async function signed(wallet: Wallet, typed: TypedData): Promise<Hex | undefined> {
  try {
    const signature = wallet.signTypedData
      ? await wallet.signTypedData(typed)
      : await wallet.request?.('eth_signTypedData_v4', [wallet.address, JSON.stringify(typed)])
    return typeof signature === 'string' ? (signature as Hex) : undefined
  } catch (error) {
    if (isRejection(error)) throw toClientError(error, 'REJECTED')
    return undefined
  }
}

/** Some wallets sign with 0 or 1; tokens and Permit2 want 27 or 28. */
function withWholeV(signature: Hex): Hex {
  const v = Number.parseInt(signature.slice(-2), 16)
  return `0x${signature.slice(2, -2)}${(v < 27 ? v + 27 : v).toString(16).padStart(2, '0')}`
}

/** The token's own permit, where hashing its domain gives what the token says it is, and the sender's next nonce. */
async function tokenPermit(wallet: Wallet, chainId: number, token: string): Promise<TokenPermit | undefined> {
  const ask = (data: Hex) => wallet.call(token, data).catch(() => '0x')
  const [nonce, separator, type, nameAnswer, versionAnswer] = await Promise.all([
    ask(encodeCall(selectors.nonces, wallet.address)),
    ask(selectors.domainSeparator),
    ask(selectors.permitTypehash),
    ask(selectors.name),
    ask(selectors.version),
  ])
  const name = textOf(nameAnswer)
  if (name === undefined || !WORD.test(nonce) || !WORD.test(separator)) return undefined
  // Not every token with EIP-2612 tells its type; one that tells another has neither form.
  const isDai = type === typehash(`Permit(${DAI_FIELDS})`)
  if (WORD.test(type) && !isDai && type !== typehash(`Permit(${EIP2612_FIELDS})`)) return undefined
  const told = textOf(versionAnswer)
  for (const version of told === undefined ? COMMON_VERSIONS : [told, ...COMMON_VERSIONS]) {
    const domain = { name, version, chainId, verifyingContract: token }
    if (separatorOf(domain) === separator.toLowerCase())
      return { kind: isDai ? 'dai' : 'eip2612', domain, nonce: BigInt(nonce) }
  }
  return undefined
}

/** A string as contracts answer with it; undefined for anything else. */
function textOf(answer: string): string | undefined {
  const digits = answer.slice(2)
  if (digits.slice(0, 64) !== '20'.padStart(64, '0') || digits.length > 2_000) return undefined
  const length = Number(BigInt(`0x${digits.slice(64, 128) || ZERO_WORD}`))
  const bytes = digits.slice(128, 128 + 2 * length)
  if (bytes.length !== 2 * length) return undefined
  return new TextDecoder().decode(Uint8Array.from(bytes.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)))
}
