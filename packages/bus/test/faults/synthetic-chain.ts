/** A synthetic chain that every process computes from its start time: a block every 100 ms, some of them reorged. */
import { type Hex, toAddress } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import type { BlockHeader } from '@sluice/rpc'
import { blockOf, syntheticPool } from '../synthetic-pools.ts'

export const POOLS = 2_000
/** Number of groups of pools, by the token that they are found with. */
export const GROUPS = 50
/** Groups that an indexer has from the start; workers request the others. */
export const FIRST_GROUPS = 30
const BLOCK_MS = 100
/** Pools that change per block. */
const CHANGED_POOLS = 60
/** Interval of reorgs in blocks, and their depth. */
const FORK_EVERY = 23
const FORK_DEPTH = 2
/**
 * Maximum states in memory, and interval of the states that are never dropped. A dropped state is computed again from
 * the one before.
 */
const MAX_STATES = 400
const MILESTONE = 1_000

export const HUB = toAddress(`0x${'11'.repeat(20)}`)
export const groupOf = (n: number) => n % GROUPS
export const tokenOf = (group: number) => toAddress(`0x${(group + 1).toString(16).padStart(40, '0')}`)
export const groupOfToken = (token: string) => Number.parseInt(token.slice(-4), 16) - 1
/** Pair of a token with the hub, as the bus writes it. */
export const pairOf = (group: number) => [tokenOf(group), HUB].join()

export const numberOfPool: ReadonlyMap<string, number> = new Map(
  Array.from({ length: POOLS }, (_, n) => [syntheticPool(n, 0).id, n]),
)

/** Number and branch of a block, such as `7B`. */
type Name = string

export class SyntheticChain {
  private readonly startMs: number
  private readonly states = new Map<Name, Int32Array>([['-1B', new Int32Array(POOLS * 2)]])

  constructor(startMs: number) {
    this.startMs = startMs
  }

  tip(now = Date.now()): BlockHeader {
    const number = Math.max(0, Math.floor((now - this.startMs) / BLOCK_MS))
    return this.block(`${number}${branchAt(number, number)}`)
  }

  private block(name: Name): BlockHeader {
    const number = Number.parseInt(name, 10)
    const header = blockOf(number, Math.floor((this.startMs + number * BLOCK_MS) / 1_000))
    return { ...header, hash: hashOf(name), parentHash: hashOf(parentOf(name)) }
  }

  /** True for a block on the branch that ends with the tip. */
  stands({ hash }: Pick<BlockHeader, 'hash'>, tip: BlockHeader): boolean {
    const name = nameOf(hash)
    const number = Number.parseInt(name, 10)
    return number <= tip.number && name.endsWith(branchAt(number, tip.number))
  }

  /** Version, and version of the ticks, of every pool at the end of a block; version −1 for an unreadable pool. */
  at(hash: Hex): Int32Array {
    const missing: Name[] = []
    let name = nameOf(hash)
    for (; !this.states.has(name); name = parentOf(name)) missing.push(name)
    let state = this.states.get(name)!
    for (const next of missing.reverse()) {
      state = stateAfter(state, next)
      this.states.set(next, state)
      if (this.states.size > MAX_STATES) this.forget()
    }
    return state
  }

  private forget(): void {
    for (const name of this.states.keys()) {
      if (this.states.size <= MAX_STATES / 2) return
      if ((Number.parseInt(name, 10) + 1) % MILESTONE !== 0) this.states.delete(name)
    }
  }
}

function stateAfter(before: Int32Array, name: Name): Int32Array {
  const state = before.slice()
  const number = Number.parseInt(name, 10)
  const other = name.endsWith('A') ? 1 : 0
  for (let j = 0; j < CHANGED_POOLS; j++) {
    const n = (number * 7_919 + j * 31 + other * 13) % POOLS
    const version = number * 2 + other + 1
    state[2 * n] = n % 97 === 5 && version % 3 === 0 ? -1 : version
    if ((number + j) % 4 === 0) state[2 * n + 1] = version
  }
  return state
}

/** Creates a pool of a state, with the previous ticks if they are the same. */
export function poolAt(n: number, state: Int32Array, before?: { readonly pool: Pool; readonly ticks: number }): Pool {
  const [version, ticks] = [state[2 * n]!, state[2 * n + 1]!]
  const pool = syntheticPool(n, version, ticks)
  if (!before || before.ticks !== ticks || !('ticks' in (pool.state as object))) return pool
  return { ...pool, state: { ...(pool.state as object), ticks: (before.pool.state as { ticks: unknown }).ticks } }
}

/** Returns the canonical branch of a block; `A` until a reorg replaces it two blocks later. */
function branchAt(number: number, tip: number): 'A' | 'B' {
  const since = number % FORK_EVERY
  return since < FORK_DEPTH && tip < number - since + FORK_DEPTH ? 'A' : 'B'
}

function parentOf(name: Name): Name {
  const number = Number.parseInt(name, 10)
  return `${number - 1}${name.endsWith('A') && number % FORK_EVERY === 1 ? 'A' : 'B'}`
}

const hashOf = (name: Name): Hex => `0x${Buffer.from(name).toString('hex').padEnd(64, '0')}`

function nameOf(hash: Hex): Name {
  return Buffer.from(hash.slice(2), 'hex').toString().replaceAll('\0', '')
}
