/** Builds EIP-712 messages of tokens and Permit2, and hashes their types and domains. */
import { keccak256 } from './keccak.ts'
import type { Hex } from './types.ts'

/** EIP-712 domain. Permit2's domain has no version. */
export type Domain = {
  readonly name: string
  readonly version?: string
  readonly chainId: number
  readonly verifyingContract: string
}

const DOMAIN_FIELDS = 'string name,string version,uint256 chainId,address verifyingContract'
const DOMAIN_FIELDS_WITHOUT_VERSION = 'string name,uint256 chainId,address verifyingContract'

/** Field of an EIP-712 type. */
export type Field = { readonly type: string; readonly name: string }

/** Parses a list such as 'uint256 value,address to'. */
function parseFields(list: string): readonly Field[] {
  return list.split(',').map((field) => {
    const [type, name] = field.split(' ') as [string, string]
    return { type, name }
  })
}

/**
 * Parses the field lists of EIP-712 types, and adds the type `EIP712Domain`.
 *
 * @param hasVersion - true if the domain has a version
 */
export function typesOf(
  hasVersion: boolean,
  types: Readonly<Record<string, string>>,
): Readonly<Record<string, readonly Field[]>> {
  const allTypes = { EIP712Domain: hasVersion ? DOMAIN_FIELDS : DOMAIN_FIELDS_WITHOUT_VERSION, ...types }
  return Object.fromEntries(Object.entries(allTypes).map(([name, fields]) => [name, parseFields(fields)]))
}

/** EIP-712 message for a wallet. Amounts, nonces and times are decimal text. */
export type TypedData = {
  readonly domain: Domain
  readonly primaryType: string
  readonly types: Readonly<Record<string, readonly Field[]>>
  readonly message: Readonly<Record<string, unknown>>
}

/** Builds the message for a wallet. */
export function buildTypedData(
  domain: Domain,
  primaryType: string,
  types: Readonly<Record<string, string>>,
  message: Readonly<Record<string, unknown>>,
): TypedData {
  return { types: typesOf(domain.version !== undefined, types), primaryType, domain, message }
}

/** Returns the type hash of a struct type without references to other types, such as `Permit(address owner,…)`. */
export function typehash(text: string): Hex {
  return keccak256(hexOf(text))
}

/** Returns the hash of a domain with a version. Tokens return it from `DOMAIN_SEPARATOR()`. */
export function separatorOf({ name, version = '', chainId, verifyingContract }: Domain): Hex {
  const encodedFields = [
    typehash(`EIP712Domain(${DOMAIN_FIELDS})`),
    typehash(name),
    typehash(version),
    BigInt(chainId),
    verifyingContract,
  ]
  return keccak256(`0x${encodedFields.map(toWord).join('')}`)
}

/** Encodes a number or address as 64 hexadecimal digits. */
function toWord(value: bigint | string): string {
  return (typeof value === 'bigint' ? value.toString(16) : value.slice(2).toLowerCase()).padStart(64, '0')
}

function hexOf(text: string): Hex {
  return `0x${[...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
