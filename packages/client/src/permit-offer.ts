/** Checks a permit offer of the service before the owner signs it. */
import { equalsIgnoringCase, isApprovalCall } from './checked-calls.ts'
import { latestDefaultDeadline } from './deadline.ts'
import { ClientError } from './errors.ts'
import { knownGuards } from './known-guards.ts'
import { DAI_FIELDS, EIP2612_FIELDS, PERMIT2, PERMIT2_TYPES } from './permit-types.ts'
import { typesOf } from './typed-data.ts'
import type { PermitOffer, PermitParameters } from './types.ts'

type Json = Readonly<Record<string, unknown>>
type TypedData = {
  readonly domain?: Json
  readonly primaryType?: unknown
  readonly types?: unknown
  readonly message?: Json
}

/** Allowance of an unlimited approval of Permit2. */
const UNLIMITED = 2n ** 256n - 1n

/**
 * Checks that signing an offer lets only the Guard draw the input, and only the requested amount. Owner, token, chain,
 * spender, types, amount and deadline must match the request. Only a DAI permit may be unlimited.
 *
 * @throws ClientError `UNSAFE` with the name of the first mismatch
 */
export function checkOffer(chainId: number, offer: Partial<PermitOffer>, request: PermitParameters): void {
  const { src, from, amount, deadline, guard } = request
  const requireThat = (holds: boolean, mismatch: string) => {
    if (!holds) throw new ClientError('UNSAFE', `the service offers a permit that was not requested: ${mismatch}`)
  }
  const { domain = {}, primaryType, types, message = {} } = Object(offer.typedData) as TypedData
  const [typeFields, type] = typesForKind(offer.kind)
  const details = Object(message.details) as Json
  requireThat(typeFields !== undefined, `kind ${String(offer.kind).slice(0, 20)}`)
  const hasVersion = typeof domain.version === 'string'
  requireThat(primaryType === type && hasSameTypes(types, typesOf(hasVersion, typeFields!)), 'the types')
  requireThat(domain.chainId === chainId || String(domain.chainId) === String(chainId), 'the chain')
  const isPermit2 = offer.kind === 'permit2'
  requireThat(equalsIgnoringCase(domain.verifyingContract, isPermit2 ? PERMIT2 : src), 'the contract')
  requireThat(
    [...knownGuards, ...(guard ? [guard] : [])].some((spender) => equalsIgnoringCase(message.spender, spender)),
    'the spender',
  )
  const isDai = offer.kind === 'dai'
  if (!isPermit2) requireThat(equalsIgnoringCase(isDai ? message.holder : message.owner, from), 'the owner')
  if (isPermit2) requireThat(equalsIgnoringCase(details.token, src), 'the token')
  requireThat(offer.unlimited === isDai, 'the limit')
  if (!isDai) requireThat(String(isPermit2 ? details.amount : message.value) === String(amount), 'the amount')
  const permitDeadline = isPermit2 ? message.sigDeadline : isDai ? message.expiry : message.deadline
  const isInteger = /^\d{1,15}$/.test(String(permitDeadline))
  // Until its deadline, anyone who has the signature can submit it.
  const isSoon = isInteger && Number(permitDeadline) <= latestDefaultDeadline()
  requireThat(deadline === undefined ? isSoon : String(permitDeadline) === String(deadline), 'the deadline')
  if (isPermit2) requireThat(String(details.expiration) === String(permitDeadline), 'the expiration')
  requireThat(typeof offer.permit === 'string', 'its text')
  const isPermit2Approval = (call: Json) =>
    isPermit2 &&
    [BigInt(amount), UNLIMITED].some((limit) => isApprovalCall(call, src, PERMIT2, limit)) &&
    (call.reset === undefined || isApprovalCall(Object(call.reset), src, PERMIT2, 0n))
  requireThat(offer.approval === null || isPermit2Approval(Object(offer.approval)), 'the approval')
}

/** Returns the EIP-712 types of a kind of permit, and its primary type. */
function typesForKind(kind: unknown): readonly [Readonly<Record<string, string>> | undefined, string] {
  if (kind === 'eip2612') return [{ Permit: EIP2612_FIELDS }, 'Permit']
  if (kind === 'dai') return [{ Permit: DAI_FIELDS }, 'Permit']
  return kind === 'permit2' ? [PERMIT2_TYPES, 'PermitSingle'] : [undefined, '']
}

/** Returns true if both have the same types, in any order of type names. */
function hasSameTypes(types: unknown, expected: Readonly<Record<string, unknown>>): boolean {
  const offeredTypes = Object(types) as Json
  const { EIP712Domain, ...named } = expected
  const names = Object.keys(offeredTypes).filter((name) => name !== 'EIP712Domain')
  const isDomain =
    offeredTypes.EIP712Domain === undefined || fieldsText(offeredTypes.EIP712Domain) === fieldsText(EIP712Domain)
  return (
    isDomain &&
    names.length === Object.keys(named).length &&
    names.every((name) => fieldsText(offeredTypes[name]) === fieldsText(named[name]))
  )
}

function fieldsText(list: unknown): string {
  return Array.isArray(list) ? list.map((field) => `${Object(field).type} ${Object(field).name}`).join() : ''
}
