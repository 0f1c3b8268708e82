/** Approval by signature (EIP-2612) in the swap's own calldata, where the token has it: one transaction instead of two. */
import { encodeCall, selectors } from './abi.ts'
import { keccak256 } from './keccak.ts'
import type { GuardPermit } from './permit-abi.ts'
import type { MissingAllowance } from './simulate.ts'
import type { Hex } from './types.ts'
import type { Wallet } from './wallet.ts'

type Domain = {
  readonly name: string
  readonly version: string
  readonly chainId: number
  readonly verifyingContract: string
}

const DOMAIN_FIELDS = 'string name,string version,uint256 chainId,address verifyingContract'
const PERMIT_FIELDS = 'address owner,address spender,uint256 value,uint256 nonce,uint256 deadline'
const listed = (fields: string) =>
  fields.split(',').map((field) => ({ type: field.split(' ')[0], name: field.split(' ')[1] }))
const TYPES = { EIP712Domain: listed(DOMAIN_FIELDS), Permit: listed(PERMIT_FIELDS) }
/** Of tokens that do not tell theirs. */
const COMMON_VERSIONS = ['1', '2']
/** r, s and v. */
const SIGNATURE = /^0x[0-9a-fA-F]{130}$/
const ZERO_WORD = '0'.repeat(64)
/** EIP-1193: the owner declined. */
const USER_REJECTED = 4001

const word = (value: bigint | string): string =>
  (typeof value === 'bigint' ? value.toString(16) : value.slice(2).toLowerCase()).padStart(64, '0')

/**
 * The sender's signature that lets the Guard draw exactly the amount until the deadline.
 *
 * @returns undefined for a token without EIP-2612, such as DAI, whose permits are unlimited, and for a wallet that cannot sign
 *   for it as one key does
 */
export async function signPermit(
  wallet: Wallet,
  chainId: number,
  { token, spender, amount }: MissingAllowance,
  deadline: bigint,
): Promise<GuardPermit | undefined> {
  if (!wallet.request) return undefined
  const found = await permitOf(wallet, chainId, token)
  if (!found) return undefined
  const [value, nonce, until] = [amount, found.nonce, deadline].map(String)
  const message = { owner: wallet.address, spender, value, nonce, deadline: until }
  const typed = { types: TYPES, primaryType: 'Permit', domain: found.domain, message }
  let signature: unknown
  try {
    signature = await wallet.request('eth_signTypedData_v4', [wallet.address, JSON.stringify(typed)])
  } catch (error) {
    // Who says no to this says no to the swap; wallets that cannot sign say so in ways of their own.
    if ((error as { code?: unknown } | null)?.code === USER_REJECTED) throw error
    return undefined
  }
  if (typeof signature !== 'string' || !SIGNATURE.test(signature)) return undefined
  const v = Number.parseInt(signature.slice(-2), 16)
  // Some wallets sign with 0 or 1; tokens want 27 or 28.
  const plain: Hex = `0x${signature.slice(2, -2)}${(v < 27 ? v + 27 : v).toString(16)}`
  // The nonce is in the signature alone.
  return { kind: 'eip2612', amount, nonce: 0n, deadline, signature: plain }
}

/** The token's EIP-712 domain, where hashing it gives what the token says it is, and the sender's next nonce. */
async function permitOf(
  wallet: Wallet,
  chainId: number,
  token: string,
): Promise<{ readonly domain: Domain; readonly nonce: bigint } | undefined> {
  const ask = (data: Hex) => wallet.call(token, data).catch(() => '0x')
  const [nonce, separator, type, nameAnswer, versionAnswer] = await Promise.all([
    ask(encodeCall(selectors.nonces, wallet.address)),
    ask(selectors.domainSeparator),
    ask(selectors.permitTypehash),
    ask(selectors.name),
    ask(selectors.version),
  ])
  const name = textOf(nameAnswer)
  if (name === undefined || nonce.length !== 66 || separator.length !== 66) return undefined
  // Another permit than EIP-2612's, such as DAI's.
  if (type.length === 66 && type !== typehash(`Permit(${PERMIT_FIELDS})`)) return undefined
  const told = textOf(versionAnswer)
  for (const version of told === undefined ? COMMON_VERSIONS : [told, ...COMMON_VERSIONS]) {
    const domain = { name, version, chainId, verifyingContract: token }
    if (separatorOf(domain) === separator.toLowerCase()) return { domain, nonce: BigInt(nonce) }
  }
  return undefined
}

const hexOf = (text: string): Hex =>
  `0x${[...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
const typehash = (text: string): Hex => keccak256(hexOf(text))

function separatorOf({ name, version, chainId, verifyingContract }: Domain): Hex {
  const words = [
    typehash(`EIP712Domain(${DOMAIN_FIELDS})`),
    typehash(name),
    typehash(version),
    BigInt(chainId),
    verifyingContract,
  ]
  return keccak256(`0x${words.map(word).join('')}`)
}

/** A string as contracts answer with it; undefined for anything else. */
function textOf(answer: string): string | undefined {
  const digits = answer.slice(2)
  if (digits.slice(0, 64) !== word(32n) || digits.length > 2_000) return undefined
  const length = Number(BigInt(`0x${digits.slice(64, 128) || ZERO_WORD}`))
  const bytes = digits.slice(128, 128 + 2 * length)
  if (bytes.length !== 2 * length) return undefined
  return new TextDecoder().decode(Uint8Array.from(bytes.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)))
}
