/** Forms of permission in the place of an approval: found on chain, ready for a wallet. */
import { PERMIT2_BITS } from '@sluice/bindings/guard'
import type { Address, Hex } from '@sluice/chains'
import type { BlockHeader, Rpc } from '@sluice/rpc'
import { id, TypedDataEncoder } from 'ethers'
import { type Clock, checkDeadline, defaultDeadline } from '../deadline.ts'
import { QuotingError } from '../errors.ts'
import { PERMIT2, type Permit, permit2Abi, type Reader, readerAt, tokenAbi } from './permit.ts'

export type WantedPermit = {
  readonly token: Address
  readonly owner: Address
  /** Base units. */
  readonly amount: bigint
  /** Unix seconds; 20 minutes from now when absent. */
  readonly deadline: number | undefined
}

type Field = { readonly name: string; readonly type: string }
/** Input of `eth_signTypedData_v4` takes. Numbers are decimal texts. */
export type TypedData = {
  readonly domain: Readonly<Record<string, string | number>>
  readonly types: Readonly<Record<string, readonly Field[]>>
  readonly primaryType: string
  readonly message: Readonly<Record<string, unknown>>
}

export type PermitOffer = {
  /** With the owner's signature, what a quote takes. */
  readonly permit: Omit<Permit, 'signature'>
  readonly typedData: TypedData
  /** The transaction that has to come first, once: approve Permit2. */
  readonly approval: { readonly to: Address; readonly data: Hex; readonly value: bigint } | null
}

export type Offers = {
  readonly spender: Address
  readonly deadline: number
  readonly block: BlockHeader
  /** The token's own form first. */
  readonly offers: readonly PermitOffer[]
}

type About = {
  readonly chainId: number
  readonly spender: Address
  readonly block: BlockHeader
  readonly clock: Clock
  readonly signal: AbortSignal
}

const fields = (text: string): readonly Field[] =>
  text.split(',').map((field) => {
    const [type, name] = field.split(' ') as [string, string]
    return { name, type }
  })

const EIP2612 = 'address owner,address spender,uint256 value,uint256 nonce,uint256 deadline'
const DAI = 'address holder,address spender,uint256 nonce,uint256 expiry,bool allowed'
const PERMIT_SINGLE = 'PermitDetails details,address spender,uint256 sigDeadline'
const PERMIT_DETAILS = 'address token,uint160 amount,uint48 expiration,uint48 nonce'
/** Versions of tokens that do not tell theirs. */
const COMMON_VERSIONS = ['1', '2']
/** A signature is good for a swap, not for later. */
const MAX_SECONDS = 86_400
/** Characters of a name that is put before an owner. */
const MAX_NAME = 200
const UNLIMITED = 2n ** 256n - 1n

/**
 * The forms of permission that the token and the chain know, at the block.
 *
 * @throws QuotingError for a deadline that has passed, or is more than a day away
 * @throws RpcError
 */
export async function findPermits(rpc: Rpc, wanted: WantedPermit, about: About): Promise<Offers> {
  const { block, signal, spender } = about
  const reader = readerAt(rpc, { blockHash: block.hash }, { signal })
  const deadline = wanted.deadline ?? defaultDeadline(block.timestamp, about.clock())
  checkDeadline(wanted.deadline, block.timestamp)
  const latest = defaultDeadline(block.timestamp, about.clock()) + MAX_SECONDS
  if (deadline > latest) throw new QuotingError('DEADLINE_FAR', `deadline must be at most ${latest}, a day from now`)
  const asked = { ...wanted, ...about, deadline: BigInt(deadline) }
  const offers = await Promise.all([tokenOffer(reader, asked), permit2Offer(reader, asked)])
  return { spender, deadline, block, offers: offers.filter((offer) => offer !== undefined) }
}

type Asked = Omit<WantedPermit, 'deadline'> & About & { readonly deadline: bigint }

/** Only where hashing the domain gives what the token says it is: anything else would be signed in vain. */
async function tokenOffer(reader: Reader, asked: Asked): Promise<PermitOffer | undefined> {
  const { token, owner, spender, amount, deadline } = asked
  const one = async (name: string, ...values: readonly unknown[]) =>
    (await reader.read(tokenAbi, token, name, ...values))?.[0]
  const [nonce, separator, type, name, version] = await Promise.all([
    one('nonces', owner),
    one('DOMAIN_SEPARATOR'),
    one('PERMIT_TYPEHASH'),
    one('name'),
    one('version'),
  ])
  if (nonce === undefined || separator === undefined || typeof name !== 'string' || name.length > MAX_NAME)
    return undefined
  const isDai = type === id(`Permit(${DAI})`)
  // Not every token with EIP-2612 tells its type; one that tells another has neither form.
  if (type !== undefined && !isDai && type !== id(`Permit(${EIP2612})`)) return undefined
  const versions = typeof version === 'string' && version.length <= MAX_NAME ? [version] : []
  const domain = domainOf(asked, name, [...versions, ...COMMON_VERSIONS], separator as string)
  if (!domain) return undefined
  const common = { spender, nonce: String(nonce) }
  const message = isDai
    ? { holder: owner, ...common, expiry: String(deadline), allowed: true }
    : { owner, ...common, value: String(amount), deadline: String(deadline) }
  return {
    permit: { kind: isDai ? 'dai' : 'eip2612', amount, nonce: nonce as bigint, deadline },
    typedData: typedDataOf(domain, 'Permit', { Permit: fields(isDai ? DAI : EIP2612) }, message),
    approval: null,
  }
}

async function permit2Offer(reader: Reader, asked: Asked): Promise<PermitOffer | undefined> {
  const { token, owner, spender, amount, deadline, chainId } = asked
  if (amount >> PERMIT2_BITS.amount !== 0n || deadline >> PERMIT2_BITS.deadline !== 0n) return undefined
  const [granted, approved] = await Promise.all([
    reader.read(permit2Abi, PERMIT2, 'allowance', owner, token, spender),
    reader.read(tokenAbi, token, 'allowance', owner, PERMIT2),
  ])
  if (!granted || !approved) return undefined
  const nonce = granted[2] as bigint
  const until = String(deadline)
  const details = { token, amount: String(amount), expiration: until, nonce: String(nonce) }
  const domain = { name: 'Permit2', chainId, verifyingContract: PERMIT2 }
  const types = { PermitSingle: fields(PERMIT_SINGLE), PermitDetails: fields(PERMIT_DETAILS) }
  const data = tokenAbi.encodeFunctionData('approve', [PERMIT2, UNLIMITED]) as Hex
  return {
    permit: { kind: 'permit2', amount, nonce, deadline },
    typedData: typedDataOf(domain, 'PermitSingle', types, { details, spender, sigDeadline: until }),
    approval: (approved[0] as bigint) >= amount ? null : { to: token, data, value: 0n },
  }
}

/** With a version or, as some write it, without. */
function domainOf(
  { token, chainId }: Asked,
  name: string,
  versions: readonly string[],
  separator: string,
): TypedData['domain'] | undefined {
  const bare = { name, chainId, verifyingContract: token }
  const all = [...versions.map((version) => ({ name, version, chainId, verifyingContract: token })), bare]
  return all.find((domain) => TypedDataEncoder.hashDomain(domain) === separator)
}

function typedDataOf(
  domain: TypedData['domain'],
  primaryType: string,
  types: TypedData['types'],
  message: TypedData['message'],
): TypedData {
  const version = 'version' in domain ? 'string version,' : ''
  const ofDomain = fields(`string name,${version}uint256 chainId,address verifyingContract`)
  return { domain, types: { EIP712Domain: ofDomain, ...types }, primaryType, message }
}
