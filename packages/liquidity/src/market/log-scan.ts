/**
 * Search of past logs for pools of families that no getter lists. One search for all of them, range by range, in the background:
 * it goes on where it was interrupted, waits where the node asks for that, and shows how far it is and why it does not go on.
 */
import type { DexRow } from '@sluice/chains'
import { abortable, RpcError, type RpcErrorCode } from '@sluice/rpc'
import type { DexFamily } from '../family.ts'
import type { ScanStatus } from '../snapshot.ts'
import type { MarketParts } from './follow.ts'
import type { HeadStart, HeadStartCount } from './head-start.ts'
import type { FoundPool } from './pool-reader.ts'
import { ScanRange } from './scan-range.ts'
import { BACKGROUND_TIMEOUT_MS, sleep } from './timing.ts'

/** Pauses after a failure, the first and the longest, in milliseconds. */
const PAUSE_MS = 1_000
const MAX_BUSY_PAUSE_MS = 60_000
const MAX_FAILING_PAUSE_MS = 600_000

/** Refusals of the range, or of what may be one: text that nobody has seen yet. */
const refusals: ReadonlySet<RpcErrorCode> = new Set(['RANGE', 'SIZE', 'TIMEOUT', 'REJECTED'])

/** Reasons as operators read them; the node's own text may hold its address. */
const reasons: Partial<Record<RpcErrorCode, string>> = {
  RANGE: 'the node refuses logs of even one block',
  SIZE: 'the node refuses logs of even one block',
  REJECTED: 'the node refuses eth_getLogs',
  TIMEOUT: 'the node does not answer eth_getLogs in time',
  RATE_LIMITED: 'the node is rate limiting eth_getLogs',
  CREDIT: "the provider's plan is used up, or its key is refused",
  PRUNED: 'the node does not keep logs that are so old',
  LAGGING: 'the node lacks blocks',
  UNSUPPORTED: 'the node does not support eth_getLogs',
}

type Target = { readonly row: DexRow; readonly family: DexFamily; next: number }

export class LogScan {
  private readonly parts: MarketParts
  private readonly add: (pools: readonly FoundPool[]) => Promise<void>
  private readonly targets: readonly Target[]
  private range = new ScanRange()
  private to = -1
  private running: Promise<void> | null = null
  private state: ScanStatus['state'] = 'waiting'
  private reason: string | undefined
  private readonly onChange: (status: ScanStatus) => void
  private readonly onHeadStart: (count: HeadStartCount) => void
  private failures = 0
  /** Pools that a list tells of, to be proven before logs are searched; null once they are. */
  private headStart: HeadStart | null = null
  private isRestored = false
  private startOf: (() => HeadStart) | null = null

  /**
   * @param add - takes in pools that were found
   * @param onChange - called when it begins, ends, or cannot go on
   * @param onHeadStart - called when all pools of a list are proven or refused
   * @param searchesLogs - false where no logs are searched at all
   */
  constructor(
    parts: MarketParts,
    add: (pools: readonly FoundPool[]) => Promise<void>,
    onChange: (status: ScanStatus) => void = () => {},
    onHeadStart: (count: HeadStartCount) => void = () => {},
    searchesLogs = true,
  ) {
    this.onHeadStart = onHeadStart
    this.parts = parts
    this.add = add
    this.onChange = onChange
    const { directory } = parts
    this.targets = directory.rows.flatMap((row) => {
      if (!searchesLogs) return []
      const family = directory.familyOf(row)
      const isListed = family.listedByLogs && family.creationTopics && row.startBlock !== undefined
      return isListed ? [{ row, family, next: row.startBlock! }] : []
    })
  }

  /** Null where every pool of the chain can be asked for. */
  get status(): ScanStatus | null {
    if (this.targets.length === 0) return null
    const { known: blocks } = this.range
    const isUnknown = this.to < 0
    const left = (target: Target) => Math.max(0, this.to + 1 - target.next)
    const total = this.targets.reduce((sum, { row }) => sum + Math.max(1, this.to + 1 - row.startBlock!), 0)
    const blocksLeft = this.targets.reduce((sum, target) => sum + left(target), 0)
    return {
      state: this.state,
      progress: isUnknown ? 0 : Math.min(1, 1 - blocksLeft / total),
      blocksLeft: isUnknown ? null : blocksLeft,
      ...(blocks !== undefined && { blocksPerCall: blocks }),
      ...(this.reason !== undefined && { reason: this.reason }),
      families: [
        ...new Set(this.targets.filter((target) => isUnknown || left(target) > 0).map(({ row }) => row.family)),
      ],
    }
  }

  /** Blocks that one request may span, as far as is known. */
  get blocksPerCall(): number | undefined {
    return this.range.known
  }

  /** The next block of each DEX that is to be looked at after a restart, where everything up to `head` was followed. */
  *scannedTo(head: number): Generator<readonly [DexRow, number]> {
    for (const { row, next } of this.targets) yield [row, this.state === 'done' ? head + 1 : next]
  }

  restore(scannedTo: Iterable<readonly [DexRow, number]>, blocksPerCall: number | undefined): void {
    const known = new Map(scannedTo)
    for (const target of this.targets) target.next = Math.max(target.next, known.get(target.row) ?? 0)
    this.range = new ScanRange(blocksPerCall)
    this.isRestored = true
  }

  /** True where memory has what a list of pools would tell of a DEX. */
  knows(row: DexRow, scannedTo: number | undefined): boolean {
    const target = this.targets.find((each) => each.row === row)
    return target && scannedTo !== undefined ? target.next > scannedTo : this.isRestored
  }

  /** Has the pools of a list proven before the search goes on. @param start - makes what proves them, once memory is restored */
  begin(start: () => HeadStart): void {
    this.startOf = start
  }

  /** Starts the search up to the newest block, or lets it go on. Resolves when it has ended; never fails. */
  run(): Promise<void> {
    this.running ??= this.search().finally(() => {
      this.running = null
    })
    return this.running
  }

  /** Pools may have been made since the last block that was followed. */
  again(): void {
    if (this.state !== 'done') return
    this.state = 'waiting'
    const followed = (this.parts.ledger.history?.oldest.block.number ?? 0) + 1
    for (const target of this.targets) target.next = Math.max(target.next, followed)
    void this.run()
  }

  private async search(): Promise<void> {
    const { ledger, signal } = this.parts
    if ((this.targets.length === 0 && !this.startOf && !this.headStart) || this.state === 'done') return
    // Whoever starts it may be about to show a new block.
    await null
    this.to = ledger.snapshot().block.number
    if (this.startOf) this.headStart = this.startOf()
    this.startOf = null
    while (!signal.aborted) {
      if (this.headStart) {
        await this.prove(this.headStart)
        continue
      }
      if (this.targets.length === 0) break
      const next = Math.min(...this.targets.map((target) => target.next))
      if (next > this.to) break
      await this.step(next)
    }
    if (!signal.aborted) this.enter('done')
  }

  /** Some of the list's pools; the last of them ends it. */
  private async prove(headStart: HeadStart): Promise<void> {
    const { directory, signal } = this.parts
    if (headStart.isDone) {
      this.headStart = null
      for (const [row, scannedTo] of headStart.scanned) {
        const target = this.targets.find((each) => each.row === row)
        if (target) target.next = Math.max(target.next, Math.min(scannedTo, this.to) + 1)
      }
      this.onHeadStart(headStart.count)
      return
    }
    try {
      const options = { signal, priority: 'scan', timeoutMs: BACKGROUND_TIMEOUT_MS } as const
      const found = await headStart.prove(options)
      for (const entry of found) directory.listed.set(entry.pool.id, entry)
      await this.add(found)
      this.failures = 0
      this.enter('scanning')
    } catch (error) {
      if (!signal.aborted) await this.pause(error)
    }
  }

  private enter(state: ScanStatus['state'], reason?: string): void {
    const isNew = state !== this.state || reason !== this.reason
    this.state = state
    this.reason = reason
    if (isNew && this.status) this.onChange(this.status)
  }

  /** One range, for all DEXes that are at its beginning. */
  private async step(from: number): Promise<void> {
    const { rpc, directory, signal } = this.parts
    const targets = this.targets.filter(({ next }) => next === from)
    const later = this.targets.map(({ next }) => next).filter((next) => next > from)
    const to = Math.min(this.to, from + this.range.blocks - 1, ...later.map((next) => next - 1))
    const blocks = to - from + 1
    try {
      const logs = await rpc.getLogs(
        {
          address: targets.map(({ row }) => row.address),
          topics: [[...new Set(targets.flatMap(({ family }) => family.creationTopics!))]],
          fromBlock: from,
          toBlock: to,
        },
        { signal, priority: 'scan', timeoutMs: BACKGROUND_TIMEOUT_MS },
      )
      const byAddress = new Map(targets.map((target) => [target.row.address, target]))
      const found = logs.flatMap((log): FoundPool[] => {
        const target = byAddress.get(log.address)
        // Of the topics asked for, another contract's may mean something else here.
        if (!target || !target.family.creationTopics!.includes(log.topics[0]!)) return []
        const pool = target.family.createdPool?.(target.row, log)
        return pool ? [{ row: target.row, pool }] : []
      })
      for (const entry of found) directory.listed.set(entry.pool.id, entry)
      await this.add(found)
      for (const target of targets) target.next = to + 1
      this.range.wasGranted(blocks)
      this.failures = 0
      this.enter('scanning')
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof RpcError && refusals.has(error.code) && this.range.wasRefused(blocks, error.blocks)) return
      await this.pause(error)
    }
  }

  /** A node that is busy is asked again soon, one that cannot do it now and then: another one may stand behind its address. */
  private async pause(error: unknown): Promise<void> {
    const code = error instanceof RpcError ? error.code : undefined
    const isBusy = code === 'RATE_LIMITED'
    this.enter(isBusy ? 'paused' : 'failing', (code && reasons[code]) ?? 'the node does not answer')
    const longest = isBusy ? MAX_BUSY_PAUSE_MS : MAX_FAILING_PAUSE_MS
    const asked = error instanceof RpcError ? (error.retryAfterMs ?? 0) : 0
    const ms = Math.min(longest, Math.max(asked, PAUSE_MS * 2 ** Math.min(this.failures, 20)))
    this.failures++
    await abortable(sleep(ms), this.parts.signal).catch(() => undefined)
  }
}
