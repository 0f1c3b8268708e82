/** Finds the permit types that a token and chain support, ready to sign in a wallet. */
import { PERMIT2_BITS } from '@sluice/bindings/guard'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import type { BlockHeader, Rpc } from '@sluice/rpc'
import { PERMIT2 } from '@sluice/simulation'
import { id, TypedDataEncoder } from 'ethers'
import { type AccountCall, acceptsApproval, approvalOf } from '../approval.ts'
import { type Clock, checkDeadline, defaultDeadline } from '../deadline.ts'
import { QuotingError } from '../errors.ts'
import {
  DELEGATION_CODE,
  type Permit,
  type PermitTypedData,
  permit2Abi,
  type Reader,
  readerAt,
  type TypedDataField,
  tokenAbi,
} from './permit.ts'
import { acceptsPermit, TRIAL_OWNER } from './permit-trial.ts'

/** A request for permits that an owner can sign. */
export type PermitRequest = {
  readonly token: Address
  readonly owner: Address
  /** Base units. */
  readonly amount: bigint
  /** Unix time in seconds; 20 minutes from now if absent. */
  readonly deadline: number | undefined
}

/** A permit that the sender can sign instead of sending an approval. */
export type AvailablePermit = {
  /** The permit without its signature. A quote request takes it together with the signature. */
  readonly permit: Omit<Permit, 'signature'>
  readonly typedData: PermitTypedData
  /** Transaction that approves Permit2 once, before the permit can be used; null if not needed. */
  readonly approval: PermitApproval | null
}

/** Approval of Permit2. */
type PermitApproval = AccountCall & {
  /** True if it sets the maximum allowance. False for tokens that refuse it. */
  readonly isUnlimited: boolean
  /** Transaction to send before, for tokens that change an allowance only from zero. */
  readonly reset?: AccountCall
}

/** Permits that let the Guard (our entry contract) take an amount of a token once. */
export type PermitOffers = {
  readonly spender: Address
  readonly deadline: number
  readonly block: BlockHeader
  /** Permits of the token itself come before Permit2. */
  readonly offers: readonly AvailablePermit[]
}

type PermitContext = {
  readonly chainId: number
  readonly spender: Address
  readonly block: BlockHeader
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Parses the fields of an EIP-712 type, such as `address owner,uint256 value`. */
const parseFields = (text: string): readonly TypedDataField[] =>
  text.split(',').map((field) => {
    const [type, name] = field.split(' ') as [string, string]
    return { name, type }
  })

/** Fields of the EIP-712 types of permits: of tokens with EIP-2612, of DAI, and of Permit2. */
const EIP2612 = 'address owner,address spender,uint256 value,uint256 nonce,uint256 deadline'
const DAI = 'address holder,address spender,uint256 nonce,uint256 expiry,bool allowed'
const PERMIT_SINGLE = 'PermitDetails details,address spender,uint256 sigDeadline'
const PERMIT_DETAILS = 'address token,uint160 amount,uint48 expiration,uint48 nonce'
/** Domain versions to try if a token has no `version` function. */
const COMMON_VERSIONS = ['1', '2']
/** Maximum seconds from the default to the requested deadline, so that a signature cannot be used much later. */
const MAX_DEADLINE_SECONDS = 86_400
/** Maximum characters of a name that the owner sees in the wallet. */
const MAX_NAME_LENGTH = 200
const UNLIMITED = 2n ** 256n - 1n

/**
 * Returns the permits that the token and the chain support at the block.
 *
 * @throws QuotingError if the deadline has passed, or is more than a day after the default
 * @throws RpcError if the node fails
 */
export async function findPermits(rpc: Rpc, request: PermitRequest, context: PermitContext): Promise<PermitOffers> {
  const { block, signal, spender } = context
  const reader = readerAt(rpc, { blockHash: block.hash }, { signal })
  const deadline = request.deadline ?? defaultDeadline(block.timestamp, context.clock())
  checkDeadline(request.deadline, block.timestamp)
  const maxDeadline = defaultDeadline(block.timestamp, context.clock()) + MAX_DEADLINE_SECONDS
  if (deadline > maxDeadline)
    throw new QuotingError('DEADLINE_FAR', `deadline must be at most ${maxDeadline}, a day after the default`)
  const ownerCode = rpc.getCode(request.owner, { blockHash: block.hash }, { signal })
  // A failure is handled where it is awaited.
  ownerCode.catch(() => {})
  const resolvedRequest = { ...request, ...context, ownerCode, deadline: BigInt(deadline) }
  const offers = await Promise.all([tokenOffer(reader, resolvedRequest), permit2Offer(rpc, reader, resolvedRequest)])
  return { spender, deadline, block, offers: offers.filter((offer) => offer !== undefined) }
}

type ResolvedRequest = Omit<PermitRequest, 'deadline'> &
  PermitContext & { readonly ownerCode: Promise<Hex>; readonly deadline: bigint }

/**
 * Returns the token's own permit. Undefined if no known EIP-712 domain hashes to the domain separator that the token
 * reports, or if the token refuses a trial permit of an invented account.
 */
async function tokenOffer(reader: Reader, resolvedRequest: ResolvedRequest): Promise<AvailablePermit | undefined> {
  const { token, owner, spender, amount, deadline } = resolvedRequest
  const readGetter = async (name: string, ...args: readonly unknown[]) =>
    (await reader.read(tokenAbi, token, name, ...args))?.[0]
  const [nonce, trialNonce, domainSeparator, typeHash, name, version, domainResult] = await Promise.all([
    readGetter('nonces', owner),
    readGetter('nonces', TRIAL_OWNER),
    readGetter('DOMAIN_SEPARATOR'),
    readGetter('PERMIT_TYPEHASH'),
    readGetter('name'),
    readGetter('version'),
    reader.read(tokenAbi, token, 'eip712Domain'),
  ])
  const reportedDomain = domainResult && domainByEip5267(resolvedRequest, domainResult)
  if (nonce === undefined || (domainSeparator === undefined && !reportedDomain)) return undefined
  const isDai = typeHash === id(`Permit(${DAI})`)
  // Many EIP-2612 tokens have no `PERMIT_TYPEHASH`. A token with another type supports neither form.
  if (typeHash !== undefined && !isDai && typeHash !== id(`Permit(${EIP2612})`)) return undefined
  const versions = isText(version) ? [version] : []
  const candidates = isText(name) ? domainsOf(resolvedRequest, name, [...versions, ...COMMON_VERSIONS]) : []
  const domain = [...(reportedDomain ? [reportedDomain] : []), ...candidates].find(
    (domain) => domainSeparator === undefined || TypedDataEncoder.hashDomain(domain) === domainSeparator,
  )
  if (!domain) return undefined
  const permitOf = (account: Address, accountNonce: bigint) => {
    const commonFields = { spender, nonce: String(accountNonce) }
    const message = isDai
      ? { holder: account, ...commonFields, expiry: String(deadline), allowed: true }
      : { owner: account, ...commonFields, value: String(amount), deadline: String(deadline) }
    const permit = { kind: isDai ? ('dai' as const) : ('eip2612' as const), amount, nonce: accountNonce, deadline }
    return {
      permit,
      typedData: typedDataOf(domain, 'Permit', { Permit: parseFields(isDai ? DAI : EIP2612) }, message),
    }
  }
  const ownerCode = await resolvedRequest.ownerCode
  const trial = { token, spender, ownerCode, ...permitOf(TRIAL_OWNER, (trialNonce ?? 0n) as bigint) }
  return (await acceptsPermit(reader, trial)) ? { ...permitOf(owner, nonce as bigint), approval: null } : undefined
}

/**
 * Returns the permit of Permit2. Undefined if the chain has no Permit2, if the amount or deadline is too large, or if
 * the token accepts no approval of Permit2. Also undefined if the owner's EIP-7702 delegate refuses signatures when
 * Permit2 asks it.
 */
async function permit2Offer(
  rpc: Rpc,
  reader: Reader,
  resolvedRequest: ResolvedRequest,
): Promise<AvailablePermit | undefined> {
  const { token, owner, spender, amount, deadline, chainId } = resolvedRequest
  if (amount >> PERMIT2_BITS.amount !== 0n || deadline >> PERMIT2_BITS.deadline !== 0n) return undefined
  const [spenderAllowance, permit2Allowance] = await Promise.all([
    reader.read(permit2Abi, PERMIT2, 'allowance', owner, token, spender),
    reader.read(tokenAbi, token, 'allowance', owner, PERMIT2),
  ])
  if (!spenderAllowance || !permit2Allowance) return undefined
  const deadlineText = String(deadline)
  const domain = { name: 'Permit2', chainId, verifyingContract: PERMIT2 }
  const types = { PermitSingle: parseFields(PERMIT_SINGLE), PermitDetails: parseFields(PERMIT_DETAILS) }
  const withNonce = (nonce: bigint) => {
    const details = { token, amount: String(amount), expiration: deadlineText, nonce: String(nonce) }
    const message = { details, spender, sigDeadline: deadlineText }
    return {
      permit: { kind: 'permit2' as const, amount, nonce, deadline },
      typedData: typedDataOf(domain, 'PermitSingle', types, message),
    }
  }
  const ownerCode = await resolvedRequest.ownerCode
  // Permit2 needs no trial, because its code is known. The code of a delegate is not known.
  if (DELEGATION_CODE.test(ownerCode)) {
    const isAccepted = await acceptsPermit(reader, { token, spender, ownerCode, ...withNonce(0n) })
    if (!isAccepted) return undefined
  }
  const allowance = permit2Allowance[0] as bigint
  const approval = allowance >= amount ? null : await permit2Approval(rpc, resolvedRequest, allowance)
  return approval === undefined ? undefined : { ...withNonce(spenderAllowance[2] as bigint), approval }
}

/** Returns an approval of Permit2 that the token accepts: unlimited if possible. Undefined if there is none. */
async function permit2Approval(
  rpc: Rpc,
  { token, owner, amount, block, signal }: ResolvedRequest,
  allowance: bigint,
): Promise<PermitApproval | undefined> {
  const approve = (units: bigint) => approvalOf(token, PERMIT2, units)
  const accepts = (call: AccountCall) =>
    acceptsApproval(rpc, call, { owner, block: { blockHash: block.hash } }, { signal })
  if (await accepts(approve(UNLIMITED))) return { ...approve(UNLIMITED), isUnlimited: true }
  if (await accepts(approve(amount))) return { ...approve(amount), isUnlimited: false }
  if (allowance > 0n && (await accepts(approve(0n))))
    return { ...approve(UNLIMITED), isUnlimited: true, reset: approve(0n) }
  return undefined
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= MAX_NAME_LENGTH

/**
 * Lists domains that the token may use: a domain with each version, and a domain without a version, which some tokens
 * omit.
 */
function domainsOf(
  { token, chainId }: ResolvedRequest,
  name: string,
  versions: readonly string[],
): readonly PermitTypedData['domain'][] {
  const unversionedDomain = { name, chainId, verifyingContract: token }
  return [...versions.map((version) => ({ name, version, chainId, verifyingContract: token })), unversionedDomain]
}

/** Bits that mark the present fields of a domain (EIP-5267). Domains with a salt or extensions are not supported. */
const NAME_BIT = 1
const VERSION_BIT = 2
const CHAIN_ID_BIT = 4
const CONTRACT_BIT = 8

/**
 * Returns the domain that the token reports by EIP-5267. Undefined if the domain names another chain or contract, for
 * which the owner must not sign.
 */
function domainByEip5267(
  { token, chainId }: ResolvedRequest,
  domainResult: readonly unknown[],
): PermitTypedData['domain'] | undefined {
  const [presentFields, name, version, reportedChainId, reportedContract, , extensions] = domainResult
  const bits = Number(presentFields)
  const hasField = (bit: number) => (bits & bit) !== 0
  const isPlain =
    (bits & ~(NAME_BIT | VERSION_BIT | CHAIN_ID_BIT | CONTRACT_BIT)) === 0 &&
    (extensions as readonly unknown[]).length === 0
  if (!isPlain || !hasField(CHAIN_ID_BIT) || reportedChainId !== BigInt(chainId)) return undefined
  if (!hasField(CONTRACT_BIT) || toAddress(reportedContract as string) !== token) return undefined
  if ((hasField(NAME_BIT) && !isText(name)) || (hasField(VERSION_BIT) && !isText(version))) return undefined
  const texts = {
    ...(hasField(NAME_BIT) && { name: name as string }),
    ...(hasField(VERSION_BIT) && { version: version as string }),
  }
  return { ...texts, chainId, verifyingContract: token }
}

function typedDataOf(
  domain: PermitTypedData['domain'],
  primaryType: string,
  types: PermitTypedData['types'],
  message: PermitTypedData['message'],
): PermitTypedData {
  const name = 'name' in domain ? 'string name,' : ''
  const version = 'version' in domain ? 'string version,' : ''
  const domainFields = parseFields(`${name}${version}uint256 chainId,address verifyingContract`)
  return { domain, types: { EIP712Domain: domainFields, ...types }, primaryType, message }
}
