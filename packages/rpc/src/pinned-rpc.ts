/**
 * Pins calls to one block, at endpoints that accept block hashes (EIP-1898) and at endpoints that accept only block
 * numbers. Distinguishes a node that lags (does not have the block or its state yet) from a block that no node has.
 */
import type { Hex } from '@sluice/chains'
import type { EndpointCall, SendContext } from './calls.ts'
import { hashOf, quantity, type RawBlock } from './encode.ts'
import { RpcError } from './errors.ts'
import { type Heads, readBlock } from './heads.ts'
import { orBadAnswer } from './results.ts'
import type { BlockRef, BlockTag } from './types.ts'
import type { Upstream } from './upstream.ts'

/** Matches errors of endpoints that do not accept a block hash as block parameter. */
const HASH_REFUSED = /block|hash|unmarshal|hex string|param|argument|object|map|EIP-?1898/i
/**
 * Number of blocks whose state every node keeps. If a node lacks the state of an older block, this does not mean that
 * the node lags.
 */
const MIN_STATE_BLOCKS = 64
/** Maximum number of blocks by which an endpoint lags without being ejected. */
const MAX_LAG_BLOCKS = 5
/**
 * Number of failed reads of a recent block by its number after which every node counts as lacking its state. A recent
 * block is at most `MAX_LAG_BLOCKS` below the head.
 */
const MAX_TRIES = 4
/** A block that is more than this many blocks ahead of the newest head does not exist yet, so the node does not lag. */
const MAX_AHEAD_BLOCKS = 5

const headerCall = (number: number): EndpointCall => ['eth_getBlockByNumber', [quantity(number), false]]

/** Builds the call for a block: `{ blockHash }`, a tag, or a number in hex. */
export type BuildCall = (block: Exclude<BlockRef, number> | Hex) => EndpointCall

/**
 * Runs one attempt of a pinned call. Attempts at several endpoints may run in parallel, and `buildCall` may be called
 * at any time during its attempt.
 *
 * @returns the results of the call and of `extraCalls`, in order
 */
export type RunPinned = (
  upstream: Upstream,
  sendContext: SendContext,
  buildCall: BuildCall,
) => Promise<readonly unknown[]>

/**
 * Returns a function that runs a call at one block and detects answers from another block.
 *
 * @param heads - known heads, which distinguish a lagging node from a block that is gone
 * @param options - `needsOwnBody`: true to send the call in its own HTTP request; `extraCalls`: sent in the same HTTP
 *   request as the call
 */
export function pinToBlock(
  heads: Heads,
  ref: BlockRef,
  {
    needsOwnBody = false,
    extraCalls = [],
  }: { readonly needsOwnBody?: boolean; readonly extraCalls?: readonly EndpointCall[] } = {},
): RunPinned {
  let lagCount = 0
  let missingHeaderCount = 0
  const directBlock = typeof ref === 'number' ? quantity(ref) : ref
  return async (upstream, sendContext, buildCall) => {
    // Blocks shortly below the head pass this check, because the head moves while a block is read.
    if (upstream.ignoresBlock && distanceOf(heads, ref) < -MAX_LAG_BLOCKS && readsState(buildCall))
      throw new RpcError('PRUNED', 'the node runs calls only at its newest block')
    const usesOwnBody = needsOwnBody || extraCalls.length > 0
    try {
      if (typeof ref === 'object' && !upstream.acceptsBlockHashes)
        return await callByNumber(heads, upstream, sendContext, ref.blockHash, buildCall, extraCalls)
      if (usesOwnBody)
        return await Promise.all(
          upstream.endpoint.requestTogether([buildCall(directBlock), ...extraCalls], sendContext),
        )
      return [await upstream.endpoint.request(...buildCall(directBlock), sendContext)]
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      if (
        typeof ref === 'object' &&
        upstream.acceptsBlockHashes &&
        isRejected(error) &&
        HASH_REFUSED.test(error.message)
      ) {
        const answers = await callByNumber(heads, upstream, sendContext, ref.blockHash, buildCall, extraCalls).catch(
          (failure: unknown) => {
            // If the call by number is refused too, the hash was not the reason.
            throw failure instanceof RpcError && isRejected(failure) ? error : failure
          },
        )
        upstream.recordHashRefused()
        return answers
      }
      if (error.code !== 'LAGGING' && error.code !== 'PRUNED') throw error
      // Every node keeps recent state, so a node that lacks the state of a recent block lags, even if it reports
      // `PRUNED`.
      const lagError = error.code === 'LAGGING' ? error : new RpcError('LAGGING', error.message, '0x', { cause: error })
      const unavailableStateError =
        error.code === 'PRUNED' ? error : new RpcError('REJECTED', error.message, '0x', { cause: error })
      const number = numberOf(heads, ref)
      const distance = distanceOf(heads, ref)
      // Not every node keeps the state of a block this old, and no node has a block this far in the future.
      if (distance < -MIN_STATE_BLOCKS || distance > MAX_AHEAD_BLOCKS) throw unavailableStateError
      // If many later blocks are known, a second failure means that no node has the state.
      const maxTries = typeof ref === 'number' && distance < 0 ? MAX_TRIES : Number.POSITIVE_INFINITY
      if (++lagCount >= (distance < -MAX_LAG_BLOCKS ? 2 : maxTries)) throw unavailableStateError
      // The first failure may be lag. From the second on, check whether a reorg removed the block.
      if (lagCount > 1 && typeof ref === 'object' && number !== undefined) {
        const raw = await upstream.endpoint.request<RawBlock | null>(...headerCall(number), sendContext)
        const isGone = raw ? hashIn(raw) !== ref.blockHash : ++missingHeaderCount > 1
        if (isGone) throw new RpcError('BLOCK_GONE', `the chain has block ${number} no more`)
      }
      throw lagError
    }
  }
}

/** Returns the number of a block; undefined if unknown. */
function numberOf(heads: Heads, ref: BlockRef): number | undefined {
  return typeof ref === 'number' ? ref : typeof ref === 'object' ? heads.numberOf(ref.blockHash) : undefined
}

/** Returns the distance of a block from the head in blocks, negative for an older block; 0 if it is unknown. */
function distanceOf(heads: Heads, ref: BlockRef): number {
  if (typeof ref === 'string') return tagDistance(ref)
  const number = numberOf(heads, ref)
  return number === undefined || !heads.newest ? 0 : number - heads.newest.number
}

/** Returns true if the call reads state, and false if it reads logs. */
function readsState(buildCall: BuildCall): boolean {
  return buildCall('latest')[0] !== 'eth_getLogs'
}

function isRejected({ code }: RpcError): boolean {
  return code === 'REJECTED' || code === 'UNSUPPORTED'
}

/**
 * Returns the approximate distance of a tagged block from the head, in blocks; negative for an older block. The
 * distance of `safe` and `finalized` is small, because a node that reports such a block should have its state.
 */
function tagDistance(tag: BlockTag): number {
  if (tag === 'earliest') return Number.NEGATIVE_INFINITY
  return tag === 'safe' || tag === 'finalized' ? -MAX_LAG_BLOCKS - 1 : 0
}

/**
 * Runs the calls by block number. Reads the header before and after them, to check that the number still belongs to
 * this block.
 */
async function callByNumber(
  heads: Heads,
  upstream: Upstream,
  sendContext: SendContext,
  hash: Hex,
  buildCall: BuildCall,
  extraCalls: readonly EndpointCall[],
): Promise<readonly unknown[]> {
  const { endpoint } = upstream
  const number = heads.numberOf(hash) ?? (await readNumberOf(upstream, sendContext, hash))
  const headerRequest = headerCall(number)
  const calls = [buildCall(quantity(number)), ...extraCalls]
  let results: PromiseSettledResult<unknown>[]
  if (endpoint.limits.maxBatch >= calls.length + 2) {
    results = await Promise.allSettled(endpoint.requestTogether([headerRequest, ...calls, headerRequest], sendContext))
  } else {
    // Sequential requests, because parallel requests could overtake each other.
    results = await Promise.allSettled([endpoint.request(...headerRequest, sendContext)])
    results.push(
      ...(await Promise.allSettled(calls.map((endpointCall) => endpoint.request(...endpointCall, sendContext)))),
    )
    results.push(...(await Promise.allSettled([endpoint.request(...headerRequest, sendContext)])))
  }
  const [headerBefore, headerAfter] = [results[0], results.at(-1)].map((call) => answerOf(call!) as RawBlock | null)
  if (!headerBefore || !headerAfter || hashIn(headerBefore) !== hash || hashIn(headerAfter) !== hash)
    throw new RpcError('LAGGING', `the node has another block at number ${number}`)
  return results.slice(1, -1).map(answerOf)
}

function answerOf(result: PromiseSettledResult<unknown>): unknown {
  if (result.status === 'rejected') throw result.reason
  return result.value
}

async function readNumberOf({ endpoint }: Upstream, sendContext: SendContext, hash: Hex): Promise<number> {
  const raw = await endpoint.request<RawBlock | null>('eth_getBlockByHash', [hash, false], sendContext)
  if (!raw) throw new RpcError('LAGGING', 'the node lacks the block')
  return readBlock(raw).number
}

/** Returns the hash of a header. @throws RpcError `BAD_ANSWER` if it has none */
function hashIn(raw: RawBlock): Hex {
  return orBadAnswer(() => hashOf(raw))
}
