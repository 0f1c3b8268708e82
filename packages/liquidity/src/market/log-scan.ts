/**
 * Scans past logs for pools of families without getters, for all of them in one pass of block ranges in the background.
 * The scan resumes after a restart, backs off when the node is rate limiting, and reports its progress and the reason
 * for a stop.
 */
import type { DexRow } from '@sluice/chains'
import { abortable, RpcError, type RpcErrorCode } from '@sluice/rpc'
import type { DexFamily } from '../family.ts'
import type { ScanStatus } from '../snapshot.ts'
import type { MarketParts } from './follow.ts'
import type { PoolListImport, PoolListImportCount } from './pool-list-import.ts'
import type { PoolEntry } from './pool-reader.ts'
import { ScanRange } from './scan-range.ts'
import { BACKGROUND_TIMEOUT_MS, sleep } from './timing.ts'

/** Initial and maximum pauses after a failure, in milliseconds. */
const PAUSE_MS = 1_000
const MAX_BUSY_PAUSE_MS = 60_000
const MAX_FAILING_PAUSE_MS = 600_000

/** Error codes that may mean that the block range is too large. Providers report this in different ways. */
const rangeErrorCodes: ReadonlySet<RpcErrorCode> = new Set(['RANGE', 'SIZE', 'TIMEOUT', 'REJECTED'])

/** Reasons for operators. The node's own message is not used, since it may contain its URL. */
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
  private readonly add: (pools: readonly PoolEntry[]) => Promise<void>
  private readonly targets: readonly Target[]
  private range = new ScanRange()
  private lastBlock = -1
  private running: Promise<void> | null = null
  private state: ScanStatus['state'] = 'waiting'
  private reason: string | undefined
  private readonly onChange: (status: ScanStatus) => void
  private readonly onImport: (count: PoolListImportCount) => void
  private failures = 0
  /** Import of a pool list that must finish before the scan; null if there is none. */
  private poolListImport: PoolListImport | null = null
  private isRestored = false
  private createImport: (() => PoolListImport) | null = null

  /**
   * @param add - adds the pools that were found
   *
   * @param onChange - called when the scan starts, ends, or cannot continue
   * @param onImport - called when all pools of a list are verified or refused
   * @param searchesLogs - false to scan no logs
   */
  constructor(
    parts: MarketParts,
    add: (pools: readonly PoolEntry[]) => Promise<void>,
    onChange: (status: ScanStatus) => void = () => {},
    onImport: (count: PoolListImportCount) => void = () => {},
    searchesLogs = true,
  ) {
    this.onImport = onImport
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

  /** Status of the scan; null if the chain needs none. */
  get status(): ScanStatus | null {
    if (this.targets.length === 0) return null
    const { acceptedRange: blocks } = this.range
    const isUnknown = this.lastBlock < 0
    const blocksLeftOf = (target: Target) => Math.max(0, this.lastBlock + 1 - target.next)
    const total = this.targets.reduce((sum, { row }) => sum + Math.max(1, this.lastBlock + 1 - row.startBlock!), 0)
    const blocksLeft = this.targets.reduce((sum, target) => sum + blocksLeftOf(target), 0)
    return {
      state: this.state,
      progress: isUnknown ? 0 : Math.min(1, 1 - blocksLeft / total),
      blocksLeft: isUnknown ? null : blocksLeft,
      ...(blocks !== undefined && { blocksPerCall: blocks }),
      ...(this.reason !== undefined && { reason: this.reason }),
      families: [
        ...new Set(this.targets.filter((target) => isUnknown || blocksLeftOf(target) > 0).map(({ row }) => row.family)),
      ],
    }
  }

  /** Block range that one request may span, if known. */
  get blocksPerCall(): number | undefined {
    return this.range.acceptedRange
  }

  /**
   * Returns the next block to scan for each DEX after a restart, given that all blocks up to `head` have been followed.
   */
  *scannedTo(head: number): Generator<readonly [DexRow, number]> {
    for (const { row, next } of this.targets) yield [row, this.state === 'done' ? head + 1 : next]
  }

  restore(scannedTo: Iterable<readonly [DexRow, number]>, blocksPerCall: number | undefined): void {
    const savedProgress = new Map(scannedTo)
    for (const target of this.targets) target.next = Math.max(target.next, savedProgress.get(target.row) ?? 0)
    this.range = new ScanRange(blocksPerCall)
    this.isRestored = true
  }

  /** True if memory already has the pools of a DEX up to block `scannedTo`, so a pool list has no more of them. */
  hasPoolsOf(row: DexRow, scannedTo: number | undefined): boolean {
    const target = this.targets.find((candidate) => candidate.row === row)
    return target && scannedTo !== undefined ? target.next > scannedTo : this.isRestored
  }

  /**
   * Schedules the verification of a pool list before the scan continues.
   *
   * @param start - creates the verification, once memory is restored
   */
  scheduleImport(start: () => PoolListImport): void {
    this.createImport = start
  }

  /** Starts or resumes the scan up to the newest block. Resolves when it has ended; never rejects. */
  run(): Promise<void> {
    this.running ??= this.search().finally(() => {
      this.running = null
    })
    return this.running
  }

  /** Scans again: pools may have been created since the last block that was followed. */
  restart(): void {
    if (this.state !== 'done') return
    this.state = 'waiting'
    const firstFollowed = (this.parts.ledger.history?.oldest.block.number ?? 0) + 1
    for (const target of this.targets) target.next = Math.max(target.next, firstFollowed)
    void this.run()
  }

  private async search(): Promise<void> {
    const { ledger, signal } = this.parts
    if ((this.targets.length === 0 && !this.createImport && !this.poolListImport) || this.state === 'done') return
    // Let the caller publish its new block first.
    await null
    this.lastBlock = ledger.snapshot().block.number
    if (this.createImport) this.poolListImport = this.createImport()
    this.createImport = null
    while (!signal.aborted) {
      if (this.poolListImport) {
        await this.importPools(this.poolListImport)
        continue
      }
      if (this.targets.length === 0) break
      const next = Math.min(...this.targets.map((target) => target.next))
      if (next > this.lastBlock) break
      await this.scanRange(next)
    }
    if (!signal.aborted) this.setState('done')
  }

  /** Verifies one batch of the pool list, or finishes it. */
  private async importPools(poolListImport: PoolListImport): Promise<void> {
    const { directory, signal } = this.parts
    if (poolListImport.isDone) {
      this.poolListImport = null
      for (const [row, scannedTo] of poolListImport.scannedRows) {
        const target = this.targets.find((candidate) => candidate.row === row)
        if (target) target.next = Math.max(target.next, Math.min(scannedTo, this.lastBlock) + 1)
      }
      this.onImport(poolListImport.count)
      return
    }
    try {
      const options = { signal, priority: 'scan', timeoutMs: BACKGROUND_TIMEOUT_MS } as const
      const foundPools = await poolListImport.prove(options)
      for (const entry of foundPools) directory.listedPools.set(entry.pool.id, entry)
      await this.add(foundPools)
      this.failures = 0
      this.setState('scanning')
    } catch (error) {
      if (!signal.aborted) await this.pause(error)
    }
  }

  private setState(state: ScanStatus['state'], reason?: string): void {
    const isNew = state !== this.state || reason !== this.reason
    this.state = state
    this.reason = reason
    if (isNew && this.status) this.onChange(this.status)
  }

  /** Scans one range, for all DEXes that are at its first block. */
  private async scanRange(from: number): Promise<void> {
    const { rpc, directory, signal } = this.parts
    const targets = this.targets.filter(({ next }) => next === from)
    const laterBlocks = this.targets.map(({ next }) => next).filter((next) => next > from)
    const to = Math.min(this.lastBlock, from + this.range.blocks - 1, ...laterBlocks.map((next) => next - 1))
    const blocks = to - from + 1
    try {
      const logs = await rpc.getLogs(
        {
          address: [...new Set(targets.map(({ row }) => row.address))],
          topics: [[...new Set(targets.flatMap(({ family }) => family.creationTopics!))]],
          fromBlock: from,
          toBlock: to,
        },
        { signal, priority: 'scan', timeoutMs: BACKGROUND_TIMEOUT_MS },
      )
      // Several families can serve pools of one contract.
      const targetsByAddress = Map.groupBy(targets, ({ row }) => row.address)
      const foundPools = logs.flatMap((log) =>
        (targetsByAddress.get(log.address) ?? []).flatMap(({ row, family }): PoolEntry[] => {
          // The filter matches any address with any topic: skip logs whose topic belongs to another family.
          const pool = family.creationTopics!.includes(log.topics[0]!) && family.createdPool?.(row, log)
          return pool ? [{ row, pool }] : []
        }),
      )
      for (const entry of foundPools) directory.listedPools.set(entry.pool.id, entry)
      await this.add(foundPools)
      for (const target of targets) target.next = to + 1
      this.range.recordAccepted(blocks)
      this.failures = 0
      this.setState('scanning')
    } catch (error) {
      if (signal.aborted) return
      if (
        error instanceof RpcError &&
        rangeErrorCodes.has(error.code) &&
        this.range.recordRefused(blocks, error.grantedBlocks)
      )
        return
      await this.pause(error)
    }
  }

  /**
   * Pauses after a failure: up to a minute if the node is rate limiting, else up to ten minutes. Never gives up, because
   * the URL may lead to another node later.
   */
  private async pause(error: unknown): Promise<void> {
    const code = error instanceof RpcError ? error.code : undefined
    const isBusy = code === 'RATE_LIMITED'
    this.setState(isBusy ? 'paused' : 'failing', (code && reasons[code]) ?? 'the node does not answer')
    const maxPause = isBusy ? MAX_BUSY_PAUSE_MS : MAX_FAILING_PAUSE_MS
    const retryAfter = error instanceof RpcError ? (error.retryAfterMs ?? 0) : 0
    const ms = Math.min(maxPause, Math.max(retryAfter, PAUSE_MS * 2 ** Math.min(this.failures, 20)))
    this.failures++
    await abortable(sleep(ms), this.parts.signal).catch(() => undefined)
  }
}
