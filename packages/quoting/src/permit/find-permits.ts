/** Forms of permission in the place of an approval: found on chain, ready for a wallet. */
import { PERMIT2_BITS } from '@sluice/bindings/guard'
import { type Address, type Hex, toAddress } from '@sluice/chains'
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
  const [nonce, separator, type, name, version, described] = await Promise.all([
    one('nonces', owner),
    one('DOMAIN_SEPARATOR'),
    one('PERMIT_TYPEHASH'),
    one('name'),
    one('version'),
    reader.read(tokenAbi, token, 'eip712Domain'),
  ])
  const own = described && describedDomain(asked, described)
  if (nonce === undefined || (separator === undefined && !own)) return undefined
  const isDai = type === id(`Permit(${DAI})`)
  // Not every token with EIP-2612 tells its type; one that tells another has neither form.
  if (type !== undefined && !isDai && type !== id(`Permit(${EIP2612})`)) return undefined
  const versions = isText(version) ? [version] : []
  const guessed = isText(name) ? domainsOf(asked, name, [...versions, ...COMMON_VERSIONS]) : []
  const domain = [...(own ? [own] : []), ...guessed].find(
    (one) => separator === undefined || TypedDataEncoder.hashDomain(one) === separator,
  )
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

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= MAX_NAME

/** With a version or, as some write it, without. */
function domainsOf(
  { token, chainId }: Asked,
  name: string,
  versions: readonly string[],
): readonly TypedData['domain'][] {
  const bare = { name, chainId, verifyingContract: token }
  return [...versions.map((version) => ({ name, version, chainId, verifyingContract: token })), bare]
}

/** Bits of the fields that a domain has, by EIP-5267; one with a salt or extensions is not offered. */
const NAME = 1
const VERSION = 2
const CHAIN_ID = 4
const CONTRACT = 8

/**
 * The domain that the token itself describes (EIP-5267), whatever `name` says; undefined unless it is of this very chain and contract,
 * for which alone a signature is asked for.
 */
function describedDomain({ token, chainId }: Asked, described: readonly unknown[]): TypedData['domain'] | undefined {
  const [fields, name, version, chain, contract, , extensions] = described
  const bits = Number(fields)
  const has = (bit: number) => (bits & bit) !== 0
  const isPlain =
    (bits & ~(NAME | VERSION | CHAIN_ID | CONTRACT)) === 0 && (extensions as readonly unknown[]).length === 0
  if (!isPlain || !has(CHAIN_ID) || chain !== BigInt(chainId)) return undefined
  if (!has(CONTRACT) || toAddress(contract as string) !== token) return undefined
  if ((has(NAME) && !isText(name)) || (has(VERSION) && !isText(version))) return undefined
  const texts = { ...(has(NAME) && { name: name as string }), ...(has(VERSION) && { version: version as string }) }
  return { ...texts, chainId, verifyingContract: token }
}

function typedDataOf(
  domain: TypedData['domain'],
  primaryType: string,
  types: TypedData['types'],
  message: TypedData['message'],
): TypedData {
  const name = 'name' in domain ? 'string name,' : ''
  const version = 'version' in domain ? 'string version,' : ''
  const ofDomain = fields(`${name}${version}uint256 chainId,address verifyingContract`)
  return { domain, types: { EIP712Domain: ofDomain, ...types }, primaryType, message }
}
