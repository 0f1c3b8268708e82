/**
 * List of a chain's pools as a file: which there are, and up to which block past logs were searched for them. It holds no state, and
 * nothing in it is trusted: each pool is proven by the chain before it is used.
 */
import { gunzipSync, gzipSync } from 'node:zlib'
import { type Address, type DexRow, isAddress, toAddress } from '@sluice/chains'
import { MarketError } from '../errors.ts'
import type { ListedPool } from '../family.ts'
import { fromText, toText } from '../store/text.ts'

/** Goes up whenever older lists could be misread. */
const FORMAT = 'sluice-pools-1'
/** Bytes of a list when it is unpacked, and pools in it: as many as a market remembers of past logs. */
const MAX_BYTES = 64_000_000
const MAX_POOLS = 100_000
/** Tokens of a pool; the largest known have eight. */
const MAX_TOKENS = 32
/** Addresses, hashes, and ids made of both. */
const ID = /^0x[0-9a-f]{40,128}$/

/** The pools of one deployment: a row of the chain's file, or a part of it that tells of its own pools. */
export type ListedDeployment = {
  readonly family: string
  readonly address: Address
  /** The last block whose logs were searched for its pools; absent where they need not be. */
  readonly scannedTo?: number
  readonly pools: readonly ListedPool[]
}

export type PoolList = {
  readonly chainId: number
  /** The block at which the list was made. */
  readonly block: number
  readonly deployments: readonly ListedDeployment[]
}

export const deploymentKey = ({ family, address }: Pick<DexRow, 'family' | 'address'>): string => `${family} ${address}`

/** The file's bytes: JSON, compressed by gzip; the same list makes the same bytes. */
export function writePoolList({ chainId, block, deployments }: PoolList): Buffer {
  const short = deployments.map(({ family, address, scannedTo, pools }) => ({
    ...{ family, address, scannedTo },
    pools: pools.map(({ id, address: own, tokens, fixed }) => ({
      id,
      // Of most pools the id is the address, or all have the deployment's.
      address: own === impliedAddress(id, address) ? undefined : own,
      tokens,
      fixed,
    })),
  }))
  return gzipSync(toText({ format: FORMAT, chainId, block, deployments: short }), { level: 9 })
}

/** @throws MarketError `BAD_POOL_LIST` when the bytes are something else, or more than a list may be */
export function readPoolList(bytes: Uint8Array): PoolList {
  const file = parse(bytes)
  const { format, chainId, block, deployments } = file
  if (format !== FORMAT) throw bad(`its format is not ${FORMAT}`)
  if (!isCount(chainId) || chainId === 0 || !isCount(block)) throw bad('chainId and block must be whole numbers')
  const read = listOf(deployments, 'deployments').map(readDeployment)
  const count = read.reduce((sum, { pools }) => sum + pools.length, 0)
  if (count > MAX_POOLS) throw bad(`it lists ${count} pools, and ${MAX_POOLS} are allowed`)
  if (new Set(read.map(deploymentKey)).size !== read.length) throw bad('a deployment is listed twice')
  return { chainId, block, deployments: read }
}

type Fields = Readonly<Record<string, unknown>>

function parse(bytes: Uint8Array): Fields {
  try {
    const text = gunzipSync(bytes, { maxOutputLength: MAX_BYTES }).toString()
    return fieldsOf(fromText<unknown>(text), 'the list')
  } catch (cause) {
    throw bad((cause as Error).message, cause)
  }
}

function readDeployment(value: unknown): ListedDeployment {
  const { family, address, scannedTo, pools } = fieldsOf(value, 'a deployment')
  if (typeof family !== 'string' || !isAddress(address)) throw bad('a deployment must have a family and an address')
  if (scannedTo !== undefined && !isCount(scannedTo)) throw bad('scannedTo must be a block')
  const own = toAddress(address)
  const listed = listOf(pools, 'pools').map((pool) => readPool(pool, own))
  return { family, address: own, ...(scannedTo !== undefined && { scannedTo }), pools: listed }
}

function readPool(value: unknown, deployment: Address): ListedPool {
  const { id, address, tokens, fixed } = fieldsOf(value, 'a pool')
  if (typeof id !== 'string' || !ID.test(id)) throw bad('the id of a pool must be lower-case hex')
  if (address !== undefined && !isAddress(address)) throw bad(`pool ${id} has no valid address`)
  const all = listOf(tokens, 'tokens')
  if (all.length < 2 || all.length > MAX_TOKENS || !all.every(isAddress))
    throw bad(`the tokens of pool ${id} must be from 2 to ${MAX_TOKENS} addresses`)
  return {
    id,
    address: address === undefined ? impliedAddress(id, deployment) : toAddress(address),
    tokens: all.map((token) => toAddress(token)),
    ...(fixed !== undefined && { fixed }),
  }
}

const impliedAddress = (id: string, deployment: Address): Address => (isAddress(id) ? toAddress(id) : deployment)

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw bad(`${what} must be an object`)
  return value as Fields
}

function listOf(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw bad(`${what} must be a list`)
  return value
}

const bad = (reason: string, cause?: unknown) =>
  new MarketError('BAD_POOL_LIST', `not a list of pools: ${reason}`, cause === undefined ? {} : { cause })
