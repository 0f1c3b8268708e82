/**
 * File format for lists of a chain's pools, with the last block whose logs were scanned for pools. A list contains no
 * state and is not trusted: `PoolListImport` verifies each pool on chain.
 */
import { gunzipSync, gzipSync } from 'node:zlib'
import { type Address, type DexRow, isAddress, toAddress } from '@sluice/chains'
import { MarketError } from '../errors.ts'
import type { ListedPool } from '../family.ts'
import { fromText, toText } from '../store/text.ts'

/** Incremented when older lists could be misread. */
const FORMAT = 'sluice-pools-1'
/** Maximum bytes of an uncompressed list, and maximum pools in it (the same as `MarketLimits.listedPools`). */
const MAX_BYTES = 64_000_000
const MAX_POOLS = 100_000
/** Maximum tokens of a pool; the largest known pool has eight. */
const MAX_TOKENS = 32
/** An address, a hash, or an address and a hash. */
const ID_PATTERN = /^0x[0-9a-f]{40,128}$/

/** Pools of one deployment. A deployment is a row of the chain's file, or one of several factories of a row. */
export type ListedDeployment = {
  readonly family: string
  readonly address: Address
  /** The last block whose logs were scanned for pools of the deployment; absent if the deployment needs no scan. */
  readonly scannedTo?: number
  readonly pools: readonly ListedPool[]
}

/** A decoded pool list. */
export type PoolList = {
  readonly chainId: number
  /** The block at which the list was written. */
  readonly block: number
  readonly deployments: readonly ListedDeployment[]
}

/** Returns the key that identifies a deployment. */
export const deploymentKey = ({ family, address }: Pick<DexRow, 'family' | 'address'>): string => `${family} ${address}`

/** Encodes a list as gzipped JSON. The same list yields the same bytes. */
export function writePoolList({ chainId, block, deployments }: PoolList): Buffer {
  const compactDeployments = deployments.map(({ family, address, scannedTo, pools }) => ({
    family,
    address,
    scannedTo,
    pools: pools.map(({ id, address: poolAddress, tokens, fixed }) => ({
      id,
      // Omit the address if it equals the id or the deployment's address, as for most pools.
      address: poolAddress === impliedAddress(id, address) ? undefined : poolAddress,
      tokens,
      fixed,
    })),
  }))
  return gzipSync(toText({ format: FORMAT, chainId, block, deployments: compactDeployments }), { level: 9 })
}

/** Decodes a list. @throws MarketError `BAD_POOL_LIST` if the bytes are malformed or exceed a limit */
export function readPoolList(bytes: Uint8Array): PoolList {
  const file = parse(bytes)
  const { format, chainId, block, deployments } = file
  if (format !== FORMAT) throw badPoolList(`its format is not ${FORMAT}`)
  if (!isWholeNumber(chainId) || chainId === 0 || !isWholeNumber(block))
    throw badPoolList('chainId and block must be whole numbers')
  const listedDeployments = requireArray(deployments, 'deployments').map(readDeployment)
  const poolCount = listedDeployments.reduce((sum, { pools }) => sum + pools.length, 0)
  if (poolCount > MAX_POOLS) throw badPoolList(`it lists ${poolCount} pools, and ${MAX_POOLS} are allowed`)
  if (new Set(listedDeployments.map(deploymentKey)).size !== listedDeployments.length)
    throw badPoolList('a deployment is listed twice')
  return { chainId, block, deployments: listedDeployments }
}

type Fields = Readonly<Record<string, unknown>>

function parse(bytes: Uint8Array): Fields {
  try {
    const text = gunzipSync(bytes, { maxOutputLength: MAX_BYTES }).toString()
    return requireObject(fromText<unknown>(text), 'the list')
  } catch (cause) {
    throw badPoolList((cause as Error).message, cause)
  }
}

function readDeployment(value: unknown): ListedDeployment {
  const { family, address, scannedTo, pools } = requireObject(value, 'a deployment')
  if (typeof family !== 'string' || !isAddress(address))
    throw badPoolList('a deployment must have a family and an address')
  if (scannedTo !== undefined && !isWholeNumber(scannedTo)) throw badPoolList('scannedTo must be a block')
  const poolAddress = toAddress(address)
  const listedPools = requireArray(pools, 'pools').map((pool) => readPool(pool, poolAddress))
  return { family, address: poolAddress, ...(scannedTo !== undefined && { scannedTo }), pools: listedPools }
}

function readPool(value: unknown, deployment: Address): ListedPool {
  const { id, address, tokens, fixed } = requireObject(value, 'a pool')
  if (typeof id !== 'string' || !ID_PATTERN.test(id)) throw badPoolList('the id of a pool must be lower-case hex')
  if (address !== undefined && !isAddress(address)) throw badPoolList(`pool ${id} has no valid address`)
  const tokenList = requireArray(tokens, 'tokens')
  if (tokenList.length < 2 || tokenList.length > MAX_TOKENS || !tokenList.every(isAddress))
    throw badPoolList(`the tokens of pool ${id} must be from 2 to ${MAX_TOKENS} addresses`)
  return {
    id,
    address: address === undefined ? impliedAddress(id, deployment) : toAddress(address),
    tokens: tokenList.map((token) => toAddress(token)),
    ...(fixed !== undefined && { fixed }),
  }
}

const impliedAddress = (id: string, deployment: Address): Address => (isAddress(id) ? toAddress(id) : deployment)

const isWholeNumber = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

function requireObject(value: unknown, description: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badPoolList(`${description} must be an object`)
  return value as Fields
}

function requireArray(value: unknown, description: string): readonly unknown[] {
  if (!Array.isArray(value)) throw badPoolList(`${description} must be a list`)
  return value
}

const badPoolList = (reason: string, cause?: unknown) =>
  new MarketError('BAD_POOL_LIST', `not a list of pools: ${reason}`, cause === undefined ? {} : { cause })
