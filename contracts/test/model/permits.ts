/**
 * Signs permits like a wallet. Each signature comes with a statement, which is a text of the signed fields. The model
 * does not verify signatures, but compares statements.
 */
import { AbiCoder, id, keccak256, SigningKey } from 'ethers'
import { type Account, ADDRESSES, GUARD, type PermitKind, type Signature, USERS } from './calls.ts'

/** Maximum number of cached signatures. */
const MAX_CACHED = 200_000
const LOW_160 = (1n << 160n) - 1n
const LOW_48 = (1n << 48n) - 1n
const coder = AbiCoder.defaultAbiCoder()
const keys = USERS.map((user) => new SigningKey(`0x${(user + 1).toString(16).padStart(64, '0')}`))
const DOMAIN = id('EIP712Domain(uint256 chainId,address verifyingContract)')
const NAMED_DOMAIN = id('EIP712Domain(string name,uint256 chainId,address verifyingContract)')
const EIP2612 = id('Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)')
const DAI = id('Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)')
const DETAILS_TYPE = 'PermitDetails(address token,uint160 amount,uint48 expiration,uint48 nonce)'
const DETAILS = id(DETAILS_TYPE)
const SINGLE = id(`PermitSingle(PermitDetails details,address spender,uint256 sigDeadline)${DETAILS_TYPE}`)

/** Fields of a permit of any kind. */
export type PermitFields = {
  readonly kind: PermitKind
  readonly owner: Account
  readonly token: Account
  readonly amount: bigint
  readonly nonce: bigint
  readonly deadline: bigint
}

/** Returns the statement of a permit: the fields that a signature of its kind covers. */
export function statementOf({ kind, owner, token, amount, nonce, deadline }: PermitFields): string {
  if (kind === 'dai') return `dai ${owner} ${token} ${nonce} ${deadline}`
  if (kind === 'eip2612') return `eip2612 ${owner} ${token} ${amount} ${nonce} ${deadline}`
  return `permit2 ${owner} ${token} ${amount & LOW_160} ${nonce & LOW_48} ${deadline}`
}

export class Signer {
  readonly #chainId: bigint
  readonly #cache = new Map<string, Signature>()

  constructor(chainId: bigint) {
    this.#chainId = chainId
  }

  /** Returns the owner's signature of a permit with the Guard as spender. */
  sign(fields: PermitFields): Signature {
    const statement = statementOf(fields)
    const cached = this.#cache.get(statement)
    if (cached) return cached
    const { r, s, v } = keys[fields.owner]!.sign(this.#digestOf(fields))
    const hex = r.slice(2) + s.slice(2) + v.toString(16).padStart(2, '0')
    const signature = { statement, hex }
    if (this.#cache.size < MAX_CACHED) this.#cache.set(statement, signature)
    return signature
  }

  #digestOf({ kind, owner, token, amount, nonce, deadline }: PermitFields): string {
    const [from, spender, asset] = [owner, GUARD, token].map((account) => `0x${ADDRESSES[account]!}`)
    const encode = (types: string[], values: unknown[]) => keccak256(coder.encode(types, values))
    const separator = (verifier: string) => encode(['bytes32', 'uint256', 'address'], [DOMAIN, this.#chainId, verifier])
    const typed = (domain: string, hash: string) => keccak256(`0x1901${domain.slice(2)}${hash.slice(2)}`)
    if (kind === 'eip2612') {
      const types = ['bytes32', 'address', 'address', 'uint256', 'uint256', 'uint256']
      return typed(separator(asset!), encode(types, [EIP2612, from, spender, amount, nonce, deadline]))
    }
    if (kind === 'dai') {
      const types = ['bytes32', 'address', 'address', 'uint256', 'uint256', 'bool']
      return typed(separator(asset!), encode(types, [DAI, from, spender, nonce, deadline, true]))
    }
    const details = encode(
      ['bytes32', 'address', 'uint256', 'uint256', 'uint256'],
      [DETAILS, asset, amount & LOW_160, deadline & LOW_48, nonce & LOW_48],
    )
    const domain = encode(
      ['bytes32', 'bytes32', 'uint256', 'address'],
      [NAMED_DOMAIN, id('Permit2'), this.#chainId, '0x000000000022D473030F116dDEE9F6B43aC78BA3'],
    )
    return typed(domain, encode(['bytes32', 'bytes32', 'address', 'uint256'], [SINGLE, details, spender, deadline]))
  }
}

/** A signature that no account made. */
export const FORGED: Signature = { statement: '', hex: `${'11'.repeat(32)}${'22'.repeat(32)}1b` }
