/** Tracks the head (newest block) that each endpoint reports, and decides which heads to trust. */
import type { Hex } from '@sluice/chains'
import { LRUCache } from 'lru-cache'
import { BlockCadence } from './block-cadence.ts'
import type { SendContext } from './calls.ts'
import { decodeBlock, type RawBlock } from './encode.ts'
import { RpcError } from './errors.ts'
import { orBadAnswer } from './results.ts'
import type { BlockHeader } from './types.ts'
import type { Upstream } from './upstream.ts'

/**
 * Maximum number of blocks by which an endpoint may lag without being ejected, and by which a head may jump ahead
 * without a check of its parent.
 */
const MAX_LAG = 5
/** Maximum recently read blocks for which the block number is remembered by hash. */
const MAX_REMEMBERED = 512

/** Newest head of a chain, and recently read block headers. */
export class Heads {
  readonly cadence = new BlockCadence()
  newest: BlockHeader | undefined
  private readonly upstreams: readonly Upstream[]
  private readonly numberByHash = new LRUCache<Hex, number>({ max: MAX_REMEMBERED })

  constructor(upstreams: readonly Upstream[]) {
    this.upstreams = upstreams
  }

  /** Returns the number of a recently read block. */
  numberOf(hash: Hex): number | undefined {
    return this.numberByHash.get(hash)
  }

  /** Remembers the number of a block. @returns the header */
  remember(header: BlockHeader): BlockHeader {
    this.numberByHash.set(header.hash, header.number)
    return header
  }

  /**
   * Checks a head that an endpoint reported, and records it.
   *
   * @throws RpcError `LAGGING` if another endpoint is far ahead, `BAD_ANSWER` if the head is implausible
   */
  async accept(upstream: Upstream, raw: RawBlock, sendContext: SendContext): Promise<BlockHeader> {
    const header = orBadAnswer(() => this.readHeader(raw))
    const highestOtherHead = Math.max(
      -1,
      ...this.upstreams.filter((other) => other !== upstream && !other.isEjected).map(({ head }) => head),
    )
    if (highestOtherHead - header.number > MAX_LAG) {
      upstream.recordLaggingHead(header.number)
      throw new RpcError('LAGGING', `an RPC endpoint is at block ${header.number}, another one at ${highestOtherHead}`)
    }
    if (header !== this.newest && this.needsParentCheck(header)) await this.requireParent(upstream, header, sendContext)
    upstream.recordHead(header.number)
    if (header !== this.newest) this.remember(header)
    this.newest = header
    this.cadence.recordHead(header)
    return header
  }

  /** Parses a header. Polls mostly return the known head, whose header is reused. */
  private readHeader(raw: RawBlock): BlockHeader {
    const { newest } = this
    return newest && raw.hash?.toLowerCase() === newest.hash && Number(raw.number) === newest.number
      ? newest
      : readBlock(raw)
  }

  /** Returns true for a head that jumps ahead or does not build on a known block. */
  private needsParentCheck({ number, hash, parentHash }: BlockHeader): boolean {
    const { newest } = this
    if (!newest || this.numberByHash.has(hash)) return false
    return number > newest.number + MAX_LAG || (number <= newest.number + 1 && !this.numberByHash.has(parentHash))
  }

  /** Requires the parent of the head: a node that has a block must also have its parent. */
  private async requireParent(
    upstream: Upstream,
    { number, parentHash }: BlockHeader,
    sendContext: SendContext,
  ): Promise<void> {
    if (number === 0) return
    const parent = await upstream.endpoint.request<RawBlock | null>(
      'eth_getBlockByHash',
      [parentHash, false],
      sendContext,
    )
    if (!parent || Number(parent.number) !== number - 1)
      throw new RpcError('BAD_ANSWER', `the node tells a head at block ${number} without a parent`)
  }
}

/** Parses and validates a block header. @throws RpcError `BAD_ANSWER` if it is not a block */
export function readBlock(raw: RawBlock): BlockHeader {
  const header = orBadAnswer(() => decodeBlock(raw))
  if (
    !Number.isSafeInteger(header.number) ||
    !Number.isSafeInteger(header.timestamp) ||
    !/^0x[0-9a-f]{64}$/i.test(header.hash)
  )
    throw new RpcError('BAD_ANSWER', 'the node answered with something that is no block')
  return header
}
