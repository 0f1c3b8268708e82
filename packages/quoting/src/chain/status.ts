/** Status of a chain, in the words of operators: followed or not, and whether blocks that stay away are the node's fault. */
import type { ScanStatus } from '@sluice/liquidity'
import type { ChainClock } from '@sluice/rpc'

/** failing: its node does not answer as it should. A chain that rests is awake: the node answers that there is nothing new. */
export const CHAIN_STATES = ['awake', 'asleep', 'failing'] as const

export type ChainStatus = {
  readonly chainId: number
  readonly state: (typeof CHAIN_STATES)[number]
  readonly head?: number
  /** Seconds since the head by its own timestamp. */
  readonly lagSeconds?: number
  readonly pools?: number
  readonly clock?: ChainClock['state']
  /** Search of past logs for pools; left out where there is nothing to search, and where another process reads the chain. */
  readonly scan?: ScanStatus
  /** Pools are still being looked for or measured in the background: another answer of the same block may be better. */
  readonly settling?: true
  /** Reason for anything but a chain that moves with our time. */
  readonly reason?: string
}

export type Standing = {
  readonly head: { readonly number: number; readonly timestamp: number } | null
  /** Error of the last time that the node was asked. */
  readonly error: string | null
  /** Meaning of the error, where it is not the node that fails. */
  readonly reason?: string | undefined
  readonly clock: ChainClock
  readonly pools: number | undefined
  readonly scan?: ScanStatus | null
}

/** @param now - in milliseconds */
export function awakeStatus(chainId: number, standing: Standing, now = Date.now()): ChainStatus {
  const { head, error, clock, pools, scan, reason: told = 'the node does not answer as it should' } = standing
  const lagSeconds = head ? Math.round(now / 1_000 - head.timestamp) : undefined
  const reason = error === null ? clockReason(clock, lagSeconds) : told
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
    const usual = intervalMs === null ? '' : `, where one comes every ${seconds(intervalMs / 1_000)} usually`
    return `no block for ${seconds(lagSeconds)}${usual}; the node answers`
  }
  if (state === 'off') {
    const off = `${seconds(Math.abs(behindSeconds ?? 0))} ${(behindSeconds ?? 0) > 0 ? 'behind' : 'ahead of'}`
    return `new blocks are ${off} our clock: the node's clock or ours is wrong`
  }
  return undefined
}

function seconds(count: number): string {
  return `${Math.round(count * 10) / 10} s`
}
