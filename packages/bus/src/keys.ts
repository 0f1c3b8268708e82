/** Names of the bus's keys in Redis. */
import { STATE_FORMAT } from '@sluice/liquidity'

/**
 * Format version; increased with every change of the keys, the entries, the writes of scripts, or the pairs that an
 * owner loads for a request.
 */
const BUS_FORMAT = 4

/** Part of every key, so that processes of different versions do not read or write each other's states. */
export const SCHEMA = `v${STATE_FORMAT}.${BUS_FORMAT}`

/**
 * Sorted set of the versions in use, scored by the Unix milliseconds of the last report. The only key that all versions
 * share.
 */
export const SCHEMAS = 'sluice:schemas'

/** Sorted set of chain ids, scored by the Unix milliseconds of the last request from a worker. */
export const REQUESTED_CHAINS = `sluice:${SCHEMA}:asked`

export type ChainKeys = {
  /** Random token of the process that may write. */
  readonly lease: string
  /** Hash with the fields of `Head` in `head.ts`, and `beat`, the time at which the owner last confirmed the head. */
  readonly head: string
  /** Stream of entries, each linked to the previous one. */
  readonly entries: string
  /** Set of the pairs whose pools are in the state. */
  readonly pairs: string
  /** Stream of requests from workers. */
  readonly requests: string
  /** Hash of the facts that workers have measured. */
  readonly facts: string
  /** Stream of the changes of `facts`. */
  readonly factChanges: string
  /** Hash for the next owner: where each pool was found. */
  readonly poolRecords: string
  /** Hash for the next owner: the other data of the owner's market. */
  readonly memory: string
  /** Hash with the fields of all pools, by generation. */
  readonly pools: (generation: string) => string
  /** Set of the pairs of a generation that is still being written. */
  readonly unfinishedPairs: (generation: string) => string
}

/**
 * Returns the keys of a chain. They share a hash tag (the part in braces), so that they lie in one slot of a cluster.
 *
 * @param schema - version of the format; tests pass another version
 */
export function keysOf(chainId: number, schema: string = SCHEMA): ChainKeys {
  const key = (name: string) => `sluice:${schema}:{${chainId}}:${name}`
  return {
    lease: key('lease'),
    head: key('head'),
    entries: key('entries'),
    pairs: key('pairs'),
    requests: key('wants'),
    facts: key('facts'),
    factChanges: key('news'),
    poolRecords: key('known'),
    memory: key('memory'),
    pools: (generation) => key(`pools:${generation}`),
    unfinishedPairs: (generation) => key(`pairs:${generation}`),
  }
}
