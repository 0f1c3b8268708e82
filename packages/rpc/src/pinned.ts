/** Calls that are pinned to one block, at endpoints that take its hash and at those that only take its number. */
import type { Hex } from '@sluice/chains'
import type { EndpointCall, Send } from './calls.ts'
import type { Task } from './course.ts'
import { hashOf, quantity, type RawBlock } from './encode.ts'
import { RpcError } from './errors.ts'
import type { Heads } from './heads.ts'
import type { BlockRef, BlockTag } from './types.ts'
import type { Upstream } from './upstream.ts'

/** Errors by which an endpoint says that it wants a number where a hash stands. */
const wantsNumber = /block|hash|unmarshal|hex string|param|argument|object|map|EIP-?1898/i
/** Nodes keep the state of that many blocks at least; that one of an older block is missing is no lag. */
const KEPT_BLOCKS = 64
/** No endpoint in use lags further: another one was passed over by then. */
const LAG_BLOCKS = 5
/** For a caller's block by number that has later ones on top: so often it is asked for its state. */
const MAX_TRIES = 4
const FUTURE_BLOCKS = 5

const headerAt = (number: number): EndpointCall => ['eth_getBlockByNumber', [quantity(number), false]]

/** A call of the block: given as `{ blockHash }`, or as a number in hex. */
export type AtBlock = (block: Exclude<BlockRef, number> | Hex) => EndpointCall

/**
 * @param more - calls beside it, in the same HTTP request
 * @returns the answers of the call and of those beside it, told apart from those that another block gave
 */
export function pinned(
  heads: Heads,
  ref: BlockRef,
  call: AtBlock,
  { alone = false, more = [] }: { readonly alone?: boolean; readonly more?: readonly EndpointCall[] } = {},
): Task<readonly unknown[]> {
  let lags = 0
  let behind = 0
  const direct = typeof ref === 'number' ? quantity(ref) : ref
  return async (upstream, send) => {
    const together = alone || more.length > 0
    try {
      if (typeof ref === 'object' && !upstream.takesHashes)
        return await byNumber(heads, upstream, send, ref.blockHash, call, more)
      if (together) return await Promise.all(upstream.endpoint.requestTogether([call(direct), ...more], send))
      return [await upstream.endpoint.request(...call(direct), send)]
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      if (typeof ref === 'object' && upstream.takesHashes && isRefusal(error) && wantsNumber.test(error.message)) {
        const answers = await byNumber(heads, upstream, send, ref.blockHash, call, more).catch((failed: unknown) => {
          // Refused in the same way: it was not the hash.
          throw failed instanceof RpcError && isRefusal(failed) ? error : failed
        })
        upstream.takesNumbersOnly()
        return answers
      }
      if (error.code !== 'LAGGING' && error.code !== 'PRUNED') throw error
      // Recent state is kept by every node: one that lacks it is behind.
      const lag = error.code === 'LAGGING' ? error : new RpcError('LAGGING', error.message, '0x', { cause: error })
      const missing = error.code === 'PRUNED' ? error : new RpcError('REJECTED', error.message, '0x', { cause: error })
      const number = typeof ref === 'number' ? ref : typeof ref === 'object' ? heads.numberOf(ref.blockHash) : undefined
      const distance =
        typeof ref === 'string'
          ? tagDistance(ref)
          : number === undefined || !heads.newest
            ? 0
            : number - heads.newest.number
      // Too old to be kept by every node, or of the future: no lag.
      if (distance < -KEPT_BLOCKS || distance > FUTURE_BLOCKS) throw missing
      // Where blocks that come after it are known, once is chance, and twice is a state that nobody keeps.
      const tries = typeof ref === 'number' && distance < 0 ? MAX_TRIES : Number.POSITIVE_INFINITY
      if (++lags >= (distance < -LAG_BLOCKS ? 2 : tries)) throw missing
      // Once is lag; more may be that there is no such block any more.
      if (lags > 1 && typeof ref === 'object' && number !== undefined) {
        const raw = await upstream.endpoint.request<RawBlock | null>(...headerAt(number), send)
        const gone = raw ? hashOf(raw) !== ref.blockHash : ++behind > 1
        if (gone) throw new RpcError('BLOCK_GONE', `the chain has block ${number} no more`)
      }
      throw lag
    }
  }
}

function isRefusal({ code }: RpcError): boolean {
  return code === 'REJECTED' || code === 'UNSUPPORTED'
}

/** Blocks from the head, at least as far as matters: whoever says which block is safe should hold it. */
function tagDistance(tag: BlockTag): number {
  if (tag === 'earliest') return Number.NEGATIVE_INFINITY
  return tag === 'safe' || tag === 'finalized' ? -LAG_BLOCKS - 1 : 0
}

/** By number, and believed only where the number means the same block before and after. */
async function byNumber(
  heads: Heads,
  upstream: Upstream,
  send: Send,
  hash: Hex,
  call: AtBlock,
  more: readonly EndpointCall[],
): Promise<readonly unknown[]> {
  const { endpoint } = upstream
  const number = heads.numberOf(hash) ?? (await numberAt(upstream, send, hash))
  const header = headerAt(number)
  const calls = [call(quantity(number)), ...more]
  let results: PromiseSettledResult<unknown>[]
  if (endpoint.limits.batch >= calls.length + 2) {
    results = await Promise.allSettled(endpoint.requestTogether([header, ...calls, header], send))
  } else {
    // One after the other, since they would overtake each other.
    results = await Promise.allSettled([endpoint.request(...header, send)])
    results.push(...(await Promise.allSettled(calls.map((each) => endpoint.request(...each, send)))))
    results.push(...(await Promise.allSettled([endpoint.request(...header, send)])))
  }
  const [before, after] = [results[0], results.at(-1)].map((each) => answerOf(each!) as RawBlock | null)
  if (!before || !after || hashOf(before) !== hash || hashOf(after) !== hash)
    throw new RpcError('LAGGING', `the node has another block at number ${number}`)
  return results.slice(1, -1).map(answerOf)
}

function answerOf(result: PromiseSettledResult<unknown>): unknown {
  if (result.status === 'rejected') throw result.reason
  return result.value
}

async function numberAt({ endpoint }: Upstream, send: Send, hash: Hex): Promise<number> {
  const raw = await endpoint.request<RawBlock | null>('eth_getBlockByHash', [hash, false], send)
  if (!raw) throw new RpcError('LAGGING', 'the node lacks the block')
  return Number(raw.number)
}
