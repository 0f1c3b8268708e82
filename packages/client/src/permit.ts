/**
 * Signs permits. A permit is a signature in the swap's calldata that replaces an approval transaction. Supports
 * EIP-2612, Permit2 if the owner has approved it, and DAI's form if the caller allows an unlimited permit.
 */
import { allowanceOf } from './approve.ts'
import { encodeCall, selectors } from './calls.ts'
import { checkedWallet } from './checked-wallet.ts'
import { isRejection, toClientError } from './errors.ts'
import type { GuardPermit } from './order.ts'
import { DAI_FIELDS, EIP2612_FIELDS, PERMIT2, PERMIT2_TYPES } from './permit-types.ts'
import type { MissingAllowance } from './simulate.ts'
import { buildTypedData, type Domain, separatorOf, type TypedData, typehash } from './typed-data.ts'
import type { Hex } from './types.ts'
import type { Wallet } from './wallet.ts'

/** Number of bits of Permit2's amounts (uint160) and times (uint48). */
const PERMIT2_AMOUNT_BITS = 160n
const PERMIT2_TIME_BITS = 48n
/** Result of Permit2's `allowance`: three words with amount, expiration and nonce. */
const PERMIT2_ALLOWANCE = /^0x[0-9a-fA-F]{192}$/
/** Versions of a token's EIP-712 domain to try, after the version that the token itself reports. */
const COMMON_VERSIONS = ['1', '2']
/** ECDSA signature: r, s and v, 65 bytes. */
const KEY_SIGNATURE = /^0x[0-9a-fA-F]{130}$/
/** Signature of a contract wallet (ERC-1271): any format, at most 4,096 bytes. */
const ANY_SIGNATURE = /^0x([0-9a-fA-F]{2}){1,4096}$/
const WORD = /^0x[0-9a-fA-F]{64}$/
const ZERO_WORD = '0'.repeat(64)

/** Options of `signPermit`. */
export type PermitOptions = {
  /** Allows a DAI permit, which lets the spender draw any amount until the owner revokes it. Default: false. */
  readonly unlimited?: boolean | undefined
  /** Called immediately before the wallet is asked to sign. */
  readonly onSign?: (() => void) | undefined
}

/** Message to sign, and the permit that its signature completes. */
type SigningRequest = {
  readonly typedMessage: TypedData
  readonly permit: Omit<GuardPermit, 'signature'>
}

/**
 * Asks the wallet to sign a permit that lets the Guard draw exactly the amount until the deadline. A DAI permit is
 * unlimited.
 *
 * @param deadline - Unix seconds
 * @example
 * ```ts
 * const permit = await signPermit(wallet, 1, { token: src, spender: guardOf(1)!, amount }, deadline)
 * ```
 * @returns undefined if neither the token nor Permit2 allows a permit, or the wallet cannot sign it
 * @throws ClientError `REJECTED` if the owner declines
 */
export async function signPermit(
  wallet: Wallet,
  chainId: number,
  missingAllowance: MissingAllowance,
  deadline: bigint,
  options: PermitOptions = {},
): Promise<GuardPermit | undefined> {
  return signWithCheckedWallet(checkedWallet(wallet, chainId), chainId, missingAllowance, deadline, options)
}

async function signWithCheckedWallet(
  wallet: Wallet,
  chainId: number,
  missingAllowance: MissingAllowance,
  deadline: bigint,
  { unlimited = false, onSign }: PermitOptions,
): Promise<GuardPermit | undefined> {
  const { token } = missingAllowance
  const signsWithKey = isKeyAccount(await wallet.code(wallet.address))
  const supportedPermit = signsWithKey ? await readTokenPermit(wallet, chainId, token) : undefined
  const request =
    (supportedPermit?.kind === 'eip2612' && buildEip2612Request(wallet, missingAllowance, deadline, supportedPermit)) ||
    (await buildPermit2Request(wallet, chainId, missingAllowance, deadline)) ||
    (supportedPermit?.kind === 'dai' &&
      unlimited &&
      buildDaiRequest(wallet, missingAllowance, deadline, supportedPermit)) ||
    undefined
  if (!request) return undefined
  onSign?.()
  const signature = await requestSignature(wallet, request.typedMessage)
  const signatureFormat = request.permit.kind === 'permit2' && !signsWithKey ? ANY_SIGNATURE : KEY_SIGNATURE
  if (signature === undefined || !signatureFormat.test(signature)) return undefined
  return { ...request.permit, signature: signsWithKey ? withStandardV(signature) : signature }
}

/** Returns true if the account signs with a key: it has no code, or delegates to code by EIP-7702. */
function isKeyAccount(code: string): boolean {
  return code.length <= 2 || /^0xef0100[0-9a-fA-F]{40}$/.test(code)
}

/** The permit that a token itself supports, with the owner's next nonce. */
type TokenPermit = { readonly kind: 'eip2612' | 'dai'; readonly domain: Domain; readonly nonce: bigint }

function buildEip2612Request(
  { address }: Wallet,
  { spender, amount }: MissingAllowance,
  deadline: bigint,
  { domain, nonce }: TokenPermit,
): SigningRequest {
  const message = {
    ...{ owner: address, spender, value: String(amount) },
    ...{ nonce: String(nonce), deadline: String(deadline) },
  }
  return {
    typedMessage: buildTypedData(domain, 'Permit', { Permit: EIP2612_FIELDS }, message),
    // The calldata of an EIP-2612 permit has no nonce; only the signature covers it.
    permit: { kind: 'eip2612', amount, nonce: 0n, deadline },
  }
}

function buildDaiRequest(
  { address }: Wallet,
  { spender }: MissingAllowance,
  deadline: bigint,
  supportedPermit: TokenPermit,
): SigningRequest {
  const { domain, nonce } = supportedPermit
  const message = {
    ...{ holder: address, spender, nonce: String(nonce) },
    ...{ expiry: String(deadline), allowed: true },
  }
  return {
    typedMessage: buildTypedData(domain, 'Permit', { Permit: DAI_FIELDS }, message),
    permit: { kind: 'dai', amount: 0n, nonce, deadline },
  }
}

/** Builds a Permit2 permit; undefined if the owner has not approved Permit2 for the amount. */
async function buildPermit2Request(
  wallet: Wallet,
  chainId: number,
  { token, spender, amount }: MissingAllowance,
  deadline: bigint,
): Promise<SigningRequest | undefined> {
  if (amount >> PERMIT2_AMOUNT_BITS !== 0n || deadline >> PERMIT2_TIME_BITS !== 0n) return undefined
  const [permit2Allowance, answer] = await Promise.all([
    allowanceOf(wallet, token, PERMIT2),
    wallet.call(PERMIT2, encodeCall(selectors.permit2Allowance, wallet.address, token, spender)).catch(() => '0x'),
  ])
  if (permit2Allowance < amount || !PERMIT2_ALLOWANCE.test(answer)) return undefined
  const nonce = BigInt(`0x${answer.slice(-64)}`)
  const deadlineText = String(deadline)
  const details = { token, amount: String(amount), expiration: deadlineText, nonce: String(nonce) }
  const domain = { name: 'Permit2', chainId, verifyingContract: PERMIT2 }
  return {
    typedMessage: buildTypedData(domain, 'PermitSingle', PERMIT2_TYPES, {
      details,
      spender,
      sigDeadline: deadlineText,
    }),
    permit: { kind: 'permit2', amount, nonce, deadline },
  }
}

/**
 * Asks the wallet to sign.
 *
 * @returns undefined if the wallet cannot sign typed data
 * @throws ClientError `REJECTED` if the owner declines
 */
async function requestSignature(wallet: Wallet, typedPermit: TypedData): Promise<Hex | undefined> {
  try {
    const signature = wallet.signTypedData
      ? await wallet.signTypedData(typedPermit)
      : await wallet.request?.('eth_signTypedData_v4', [wallet.address, JSON.stringify(typedPermit)])
    return typeof signature === 'string' ? (signature as Hex) : undefined
  } catch (error) {
    if (isRejection(error)) throw toClientError(error, 'REJECTED')
    return undefined
  }
}

/** Normalizes the last byte of a signature (v). Some wallets return 0 or 1, but tokens and Permit2 require 27 or 28. */
function withStandardV(signature: Hex): Hex {
  const v = Number.parseInt(signature.slice(-2), 16)
  return `0x${signature.slice(2, -2)}${(v < 27 ? v + 27 : v).toString(16).padStart(2, '0')}`
}

/**
 * Reads which permit the token itself supports, and the owner's nonce. Returns undefined if the token supports none, or
 * if no domain that is tried has the token's `DOMAIN_SEPARATOR()`.
 */
async function readTokenPermit(wallet: Wallet, chainId: number, token: string): Promise<TokenPermit | undefined> {
  const readToken = (data: Hex) => wallet.call(token, data).catch(() => '0x')
  const [nonce, separator, type, nameAnswer, versionAnswer] = await Promise.all([
    readToken(encodeCall(selectors.nonces, wallet.address)),
    readToken(selectors.domainSeparator),
    readToken(selectors.permitTypehash),
    readToken(selectors.name),
    readToken(selectors.version),
  ])
  const name = textOf(nameAnswer)
  if (name === undefined || !WORD.test(nonce) || !WORD.test(separator)) return undefined
  // `PERMIT_TYPEHASH()` is optional in EIP-2612. A token with another type hash supports neither kind of permit.
  const isDai = type === typehash(`Permit(${DAI_FIELDS})`)
  if (WORD.test(type) && !isDai && type !== typehash(`Permit(${EIP2612_FIELDS})`)) return undefined
  const reportedVersion = textOf(versionAnswer)
  for (const version of reportedVersion === undefined ? COMMON_VERSIONS : [reportedVersion, ...COMMON_VERSIONS]) {
    const domain = { name, version, chainId, verifyingContract: token }
    if (separatorOf(domain) === separator.toLowerCase())
      return { kind: isDai ? 'dai' : 'eip2612', domain, nonce: BigInt(nonce) }
  }
  return undefined
}

/** Decodes an ABI-encoded string. Returns undefined for other data. */
function textOf(answer: string): string | undefined {
  const digits = answer.slice(2)
  if (digits.slice(0, 64) !== '20'.padStart(64, '0') || digits.length > 2_000) return undefined
  const length = Number(BigInt(`0x${digits.slice(64, 128) || ZERO_WORD}`))
  const bytes = digits.slice(128, 128 + 2 * length)
  if (bytes.length !== 2 * length) return undefined
  return new TextDecoder().decode(Uint8Array.from(bytes.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)))
}
