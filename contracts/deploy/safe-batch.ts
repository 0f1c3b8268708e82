/**
 * Creates batch files that Safe's Transaction Builder imports.
 *
 * @see https://github.com/safe-global/safe-react-apps/tree/development/apps/tx-builder: `BatchFile`, and its checksum
 */
import { type Address, getAddress, type Hex, keccak256, stringToBytes } from 'viem'

export type SafeTransaction = {
  readonly to: Address
  /** Wei as decimal text, because the Transaction Builder refuses numbers. */
  readonly value: string
  readonly data: Hex
  readonly contractMethod: null
  readonly contractInputsValues: null
}

export type SafeBatch = {
  readonly version: '1.0'
  readonly chainId: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly meta: {
    readonly name: string
    readonly description: string
    readonly txBuilderVersion: string
    readonly createdFromSafeAddress: string
    readonly createdFromOwnerAddress: string
    readonly checksum: string
  }
  readonly transactions: readonly SafeTransaction[]
}

/** Version of the Transaction Builder whose file format is used. */
const TX_BUILDER_VERSION = '1.18.2'

type Call = { readonly to: Address; readonly value: bigint; readonly data: Hex }

/** Creates a batch file. @param createdAt - milliseconds since 1970 */
export function safeBatch(
  chainId: number,
  safe: Address,
  { name, description }: { readonly name: string; readonly description: string },
  calls: readonly Call[],
  createdAt: number,
): SafeBatch {
  const meta = {
    name,
    description,
    txBuilderVersion: TX_BUILDER_VERSION,
    createdFromSafeAddress: getAddress(safe),
    createdFromOwnerAddress: '',
  }
  const transactions = calls.map(({ to, value, data }) => ({
    to: getAddress(to),
    value: String(value),
    data,
    contractMethod: null,
    contractInputsValues: null,
  }))
  const batch = { version: '1.0' as const, chainId: String(chainId), createdAt, meta, transactions }
  return { ...batch, meta: { ...meta, checksum: safeChecksum(batch) } }
}

/** Returns the checksum of a batch: keccak256 of its canonical text, in which `meta.checksum` is absent. */
export function safeChecksum(batch: object): Hex {
  return keccak256(stringToBytes(canonicalText(batch)))
}

/**
 * Returns the canonical text of a value, as the Transaction Builder defines it. The text of an object has its sorted
 * keys as a JSON list, and then each value and a comma. Other values are as in JSON, and undefined is as null.
 */
function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${JSON.stringify(entries.map(([key]) => key))}${entries.map(([, child]) => `${canonicalText(child)},`).join('')}}`
}
