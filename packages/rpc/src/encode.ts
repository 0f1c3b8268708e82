/** Converts between the types of this package and JSON-RPC. */
import { type Address, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { LRUCache } from 'lru-cache'
import type { BlockHeader, BlockRef, CallRequest, Log, LogFilter, StateOverrides } from './types.ts'

/** Encodes a number as a JSON-RPC quantity: hex without leading zeros. */
export const quantity = (value: number | bigint): Hex => `0x${value.toString(16)}`

export function blockParam(block: BlockRef): Hex | string | { blockHash: Hex } {
  return typeof block === 'number' ? quantity(block) : block
}

export function callParam(request: CallRequest): Record<string, Hex | readonly unknown[]> {
  const { from, to, data, gas, gasPrice, value, accessList, authorizationList } = request
  return {
    ...(to !== null && { to }),
    data,
    ...(from !== undefined && { from }),
    ...(gas !== undefined && { gas: quantity(gas) }),
    ...(gasPrice !== undefined && { gasPrice: quantity(gasPrice) }),
    ...(value !== undefined && { value: quantity(value) }),
    ...(accessList && { accessList }),
    ...(authorizationList && { authorizationList }),
  }
}

/** `JSON.rawJSON`: wraps text that `JSON.stringify` inserts unchanged. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (json: string) => object }
/** Minimum characters of code whose JSON is cached. */
const MIN_CACHED_CODE_CHARS = 1_000
/** Maximum codes whose JSON is cached. */
const MAX_CODES = 64
const jsonByCode = new LRUCache<Hex, object>({ max: MAX_CODES })

/**
 * Returns the JSON of contract code, for long code from a cache, because the same few probe contracts are sent with
 * many calls.
 */
function codeJson(code: Hex): Hex | object {
  if (code.length < MIN_CACHED_CODE_CHARS) return code
  let json = jsonByCode.get(code)
  if (!json) {
    json = rawJSON(JSON.stringify(code))
    jsonByCode.set(code, json)
  }
  return json
}

export function overridesParam(overrides: StateOverrides): Record<string, Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(overrides).map(([address, { code, balance, nonce, stateDiff }]) => [
      address,
      {
        ...(code !== undefined && { code: codeJson(code) }),
        ...(balance !== undefined && { balance: quantity(balance) }),
        ...(nonce !== undefined && { nonce: quantity(nonce) }),
        ...(stateDiff !== undefined && { stateDiff }),
      },
    ]),
  )
}

export type RawBlock = {
  readonly number: Hex
  readonly hash: Hex
  readonly parentHash: Hex
  readonly timestamp: Hex
  readonly gasLimit?: Hex | null
  readonly baseFeePerGas?: Hex
  readonly miner?: string | null
  readonly logsBloom?: Hex
}

/** Converts hex to lower case, since some nodes use upper case. */
const toLowerHex = (hex: Hex): Hex => hex.toLowerCase() as Hex

/** Hash in the header of a pending block to which the node gives no hash; no real block has this hash. */
export const NO_HASH: Hex = `0x${'0'.repeat(64)}`

/** Gas of the cheapest transaction. */
const MIN_TRANSACTION_GAS = 21_000n
/** Gas limit of a block whose header has none. */
const NO_GAS_LIMIT = 2n ** 63n - 1n

/**
 * Returns the gas limit of a block. If a chain reports none, 0, or 1, which would admit no transaction, the block
 * counts as unlimited.
 */
function gasLimitOf({ gasLimit }: RawBlock): bigint {
  const reportedLimit = BigInt(gasLimit ?? 0)
  return reportedLimit < MIN_TRANSACTION_GAS ? NO_GAS_LIMIT : reportedLimit
}

/** Returns the miner of a block. Some chains report none, an empty text, or `0x0`. */
export function minerOf({ miner }: { readonly miner?: string | null }): Address {
  return !miner || /^0x0*$/.test(miner) ? ZERO_ADDRESS : toAddress(miner)
}

export const hashOf = ({ hash }: RawBlock): Hex => toLowerHex(hash)

export function decodeBlock(raw: RawBlock): BlockHeader {
  return {
    number: Number(raw.number),
    hash: toLowerHex(raw.hash),
    parentHash: toLowerHex(raw.parentHash),
    timestamp: Number(raw.timestamp),
    gasLimit: gasLimitOf(raw),
    baseFeePerGas: raw.baseFeePerGas ? BigInt(raw.baseFeePerGas) : null,
    miner: minerOf(raw),
    ...(raw.logsBloom && { logsBloom: raw.logsBloom }),
  }
}

export function logFilterParam(filter: LogFilter): Record<string, unknown> {
  return {
    ...(filter.address !== undefined && { address: filter.address }),
    ...(filter.topics !== undefined && { topics: filter.topics }),
    ...('blockHash' in filter
      ? { blockHash: filter.blockHash }
      : { fromBlock: quantity(filter.fromBlock), toBlock: quantity(filter.toBlock) }),
  }
}

export type RawLog = {
  readonly address: string
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockNumber: Hex
  readonly blockHash: Hex
  readonly logIndex: Hex
}

export function decodeLog(raw: RawLog): Log {
  return {
    address: toAddress(raw.address) as Address,
    topics: raw.topics.map(toLowerHex),
    data: raw.data,
    blockNumber: Number(raw.blockNumber),
    blockHash: toLowerHex(raw.blockHash),
    logIndex: Number(raw.logIndex),
  }
}
