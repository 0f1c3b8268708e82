/** EIP-712: the domains under which tokens and Permit2 take signatures. */
import { keccak256 } from './keccak.ts'
import type { Hex } from './types.ts'

/** Who a signature is for. Permit2 has no version. */
export type Domain = {
  readonly name: string
  readonly version?: string
  readonly chainId: number
  readonly verifyingContract: string
}

const DOMAIN_FIELDS = 'string name,string version,uint256 chainId,address verifyingContract'
const DOMAIN_FIELDS_WITHOUT_VERSION = 'string name,uint256 chainId,address verifyingContract'

export type Field = { readonly type: string; readonly name: string }

/** 'uint256 value,address to' as wallets take it. */
function fieldsOf(list: string): readonly Field[] {
  return list.split(',').map((field) => {
    const [type, name] = field.split(' ') as [string, string]
    return { type, name }
  })
}

/** Lists of fields by type, the domain's among them. */
export function typesOf(
  hasVersion: boolean,
  types: Readonly<Record<string, string>>,
): Readonly<Record<string, readonly Field[]>> {
  const all = { EIP712Domain: hasVersion ? DOMAIN_FIELDS : DOMAIN_FIELDS_WITHOUT_VERSION, ...types }
  return Object.fromEntries(Object.entries(all).map(([name, fields]) => [name, fieldsOf(fields)]))
}

/** A message that a wallet signs by EIP-712. Numbers beyond a float's are decimal text. */
export type TypedData = {
  readonly domain: Domain
  readonly primaryType: string
  readonly types: Readonly<Record<string, readonly Field[]>>
  readonly message: Readonly<Record<string, unknown>>
}

/** The message that a wallet is given to sign. */
export function typedData(
  domain: Domain,
  primaryType: string,
  types: Readonly<Record<string, string>>,
  message: Readonly<Record<string, unknown>>,
): TypedData {
  return { types: typesOf(domain.version !== undefined, types), primaryType, domain, message }
}

/** Hash of a struct type without references, such as `Permit(address owner,…)`. */
export function typehash(text: string): Hex {
  return keccak256(hexOf(text))
}

/** Hash of a domain with a version, as tokens tell it by `DOMAIN_SEPARATOR()`. */
export function separatorOf({ name, version = '', chainId, verifyingContract }: Domain): Hex {
  const words = [
    typehash(`EIP712Domain(${DOMAIN_FIELDS})`),
    typehash(name),
    typehash(version),
    BigInt(chainId),
    verifyingContract,
  ]
  return keccak256(`0x${words.map(word).join('')}`)
}

/** 64 digits. */
function word(value: bigint | string): string {
  return (typeof value === 'bigint' ? value.toString(16) : value.slice(2).toLowerCase()).padStart(64, '0')
}

function hexOf(text: string): Hex {
  return `0x${[...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
