/**
 * Status of a chain for operators: whether this process follows its blocks (`awake`), and whether missing blocks are
 * the fault of the node.
 */
import type { ScanStatus } from '@sluice/liquidity'
import type { ChainClock } from '@sluice/rpc'

/**
 * States of a chain. `failing` means that its node does not answer correctly. A chain without new blocks is `awake` if
 * its node answers.
 */
export const CHAIN_STATES = ['awake', 'asleep', 'failing'] as const

/** Status of a chain for operators; fields without a value are absent. */
export type ChainStatus = {
  readonly chainId: number
  readonly state: (typeof CHAIN_STATES)[number]
  /** Number of the newest block. */
  readonly head?: number
  /** Seconds since the timestamp of the head. */
  readonly lagSeconds?: number
  /** Number of pools in memory. */
  readonly pools?: number
  /** Relation of the blocks' timestamps to real time. */
  readonly clock?: ChainClock['state']
  /** Search of past logs for pools; absent if there is nothing to search, or if another process reads the chain. */
  readonly scan?: ScanStatus
  /**
   * True while pools are still being discovered or measured in the background, so that quotes of the same block may
   * improve.
   */
  readonly settling?: true
  /** Explanation of the state; absent if the chain is awake and its blocks follow real time. */
  readonly reason?: string
}

/** Health of a chain that is awake, from its market and its node. */
export type ChainHealth = {
  readonly head: { readonly number: number; readonly timestamp: number } | null
  /** Error of the last request to the node; null if the request succeeded. */
  readonly error: string | null
  /** Explanation of the error; absent if the node is the cause. */
  readonly reason?: string | undefined
  readonly clock: ChainClock
  readonly pools: number | undefined
  readonly scan?: ScanStatus | null
}

/** Builds the status of a chain that is awake. @param now - Unix time in milliseconds */
export function awakeStatus(chainId: number, health: ChainHealth, now = Date.now()): ChainStatus {
  const { head, error, clock, pools, scan, reason: errorReason = 'the node does not answer as it should' } = health
  const lagSeconds = head ? Math.round(now / 1_000 - head.timestamp) : undefined
  const reason = error === null ? clockReason(clock, lagSeconds) : errorReason
  return {
    chainId,
    state: error === null ? 'awake' : 'failing',
    ...(head && { head: head.number, lagSeconds: lagSeconds! }),
    ...(pools !== undefined && { pools }),
    clock: clock.state,
    ...(scan && { scan }),
    ...(reason !== undefined && { reason }),
  }
}

function clockReason({ state, behindSeconds, intervalMs }: ChainClock, lagSeconds = 0): string | undefined {
  if (state === 'resting') {
    const usualText = intervalMs === null ? '' : `, where one comes every ${formatSeconds(intervalMs / 1_000)} usually`
    return `no block for ${formatSeconds(lagSeconds)}${usualText}; the node answers`
  }
  if (state === 'off') {
    const offsetText = `${formatSeconds(Math.abs(behindSeconds ?? 0))} ${(behindSeconds ?? 0) > 0 ? 'behind' : 'ahead of'}`
    return `new blocks are ${offsetText} our clock: the node's clock or ours is wrong`
  }
  return undefined
}

function formatSeconds(count: number): string {
  return `${Math.round(count * 10) / 10} s`
}
