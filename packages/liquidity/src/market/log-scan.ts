/**
 * Scans past logs in the background for the creation of pools, in one pass over the blocks for all DEX families whose
 * pools no getter lists. The scan resumes after a restart, waits if the node is rate limiting, and reports its progress
 * and the reason for a pause. `Discovery` creates and runs the scan.
 */
import type { DexRow } from '@sluice/chains'
import { abortable, type Log, RpcError, type RpcErrorCode } from '@sluice/rpc'
import type { DexFamily } from '../family.ts'
import type { ScanStatus } from '../snapshot.ts'
import { createdPoolOf } from './created-pool.ts'
import type { MarketComponents } from './follow.ts'
import { HISTORY_BLOCKS } from './history.ts'
import type { PoolListImport, PoolListImportCount } from './pool-list-import.ts'
import type { PoolEntry } from './pool-reader.ts'
import { ScanRange } from './scan-range.ts'
import { BACKGROUND_TIMEOUT_MS, sleep } from './timing.ts'

/** Initial and maximum pauses after a failure, in milliseconds. */
const INITIAL_PAUSE_MS = 1_000
const MAX_BUSY_PAUSE_MS = 60_000
const MAX_FAILING_PAUSE_MS = 600_000

/** Error codes with which providers report a block range that is too large. */
const RANGE_ERROR_CODES: ReadonlySet<RpcErrorCode> = new Set(['RANGE', 'SIZE', 'TIMEOUT', 'REJECTED'])

/** Reasons of a pause, shown to operators. The node's own message is not used, since it may contain the node's URL. */
const REASON_BY_CODE: Partial<Record<RpcErrorCode, string>> = {
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

/**
 * A DEX deployment (a row of the chain's file) whose creation logs are scanned; `nextBlock` is the first block that has
 * not been scanned.
 */
type ScanTarget = { readonly row: DexRow; readonly family: DexFamily; nextBlock: number }

export class LogScan {
  private readonly components: MarketComponents
  private readonly addPools: (pools: readonly PoolEntry[]) => Promise<void>
  private readonly targets: readonly ScanTarget[]
  private range = new ScanRange()
  /** Last block to scan: the newest block when the scan started, or when it was extended; −1 before the first run. */
  private lastBlock = -1
  /** True if the market skipped blocks during the scan, which must then continue up to the newest block. */
  private mustExtend = false
  private runningScan: Promise<void> | null = null
  private state: ScanStatus['state'] = 'waiting'
  private reason: string | undefined
  private readonly onChange: (status: ScanStatus) => void
  private readonly onImport: (count: PoolListImportCount) => void
  private failureCount = 0
  /** Import of a pool list that must finish before the scan; null if there is none. */
  private poolListImport: PoolListImport | null = null
  /** Entries of the verified pools of the list that are not in memory yet. */
  private verifiedEntries: readonly PoolEntry[] = []
  /** True after a restart with saved progress. */
  private isRestored = false
  /** First block that was not scanned before the restart, by row. The scan begins some blocks earlier. */
  private savedNextBlockByRow: ReadonlyMap<DexRow, number> = new Map()
  /** Creates the scheduled import; null if there is none or if it has started. */
  private createImport: (() => PoolListImport) | null = null

  /**
   * @param addPools - adds discovered pools to memory
   * @param onChange - called when the scan starts, ends, or cannot continue
   * @param onImport - called when all pools of a list are verified or refused
   * @param searchesLogs - false to scan no logs
   */
  constructor(
    components: MarketComponents,
    addPools: (pools: readonly PoolEntry[]) => Promise<void>,
    onChange: (status: ScanStatus) => void = () => {},
    onImport: (count: PoolListImportCount) => void = () => {},
    searchesLogs = true,
  ) {
    this.onImport = onImport
    this.components = components
    this.addPools = addPools
    this.onChange = onChange
    const { directory } = components
    this.targets = directory.rows.flatMap((row) => {
      if (!searchesLogs) return []
      const family = directory.familyOf(row)
      const isScanned = family.listedByLogs && family.creationTopics && row.startBlock !== undefined
      return isScanned ? [{ row, family, nextBlock: row.startBlock! }] : []
    })
  }

  /** Status of the scan; null if no logs are scanned. */
  get status(): ScanStatus | null {
    if (this.targets.length === 0) return null
    const { acceptedRange: blocksPerCall } = this.range
    const isUnknown = this.lastBlock < 0
    const blocksLeftOf = (target: ScanTarget) => Math.max(0, this.lastBlock + 1 - target.nextBlock)
    const totalBlocks = this.targets.reduce(
      (sum, { row }) => sum + Math.max(1, this.lastBlock + 1 - row.startBlock!),
      0,
    )
    const blocksLeft = this.targets.reduce((sum, target) => sum + blocksLeftOf(target), 0)
    return {
      state: this.state,
      progress: isUnknown ? 0 : Math.min(1, 1 - blocksLeft / totalBlocks),
      blocksLeft: isUnknown ? null : blocksLeft,
      ...(blocksPerCall !== undefined && { blocksPerCall }),
      ...(this.reason !== undefined && { reason: this.reason }),
      families: [
        ...new Set(this.targets.filter((target) => isUnknown || blocksLeftOf(target) > 0).map(({ row }) => row.family)),
      ],
    }
  }

  /** Number of blocks that the node accepts in one request, if known. */
  get blocksPerCall(): number | undefined {
    return this.range.acceptedRange
  }

  /**
   * Yields the block at which the scan of each DEX resumes after a restart. `head` is the newest block that has been
   * followed.
   */
  *nextBlocks(head: number): Generator<readonly [DexRow, number]> {
    for (const { row, nextBlock } of this.targets) yield [row, this.state === 'done' ? head + 1 : nextBlock]
  }

  /**
   * Restores the saved progress. Scans the last blocks again: a reorg during the restart may have replaced them by
   * blocks that create other pools.
   */
  restore(savedNextBlocks: Iterable<readonly [DexRow, number]>, blocksPerCall: number | undefined): void {
    this.savedNextBlockByRow = new Map(savedNextBlocks)
    for (const target of this.targets)
      target.nextBlock = Math.max(target.nextBlock, (this.savedNextBlockByRow.get(target.row) ?? 0) - HISTORY_BLOCKS)
    this.range = new ScanRange(blocksPerCall)
    this.isRestored = true
  }

  /**
   * True if memory already has all pools of a DEX up to block `scannedTo`, so that a pool list adds none. Without log
   * scan or `scannedTo`: true after a restart.
   */
  hasPoolsOf(row: DexRow, scannedTo: number | undefined): boolean {
    const target = this.targets.find((candidate) => candidate.row === row)
    if (!target || scannedTo === undefined) return this.isRestored
    return Math.max(target.nextBlock, this.savedNextBlockByRow.get(row) ?? 0) > scannedTo
  }

  /**
   * Schedules the verification of a pool list before the scan continues.
   *
   * @param createImport - starts the verification; called after memory has been restored
   */
  scheduleImport(createImport: () => PoolListImport): void {
    this.createImport = createImport
  }

  /** Starts or resumes the scan up to the newest block. Resolves when the scan ends; never rejects. */
  run(): Promise<void> {
    this.runningScan ??= this.scanAll().finally(() => {
      this.runningScan = null
    })
    return this.runningScan
  }

  /** Scans the blocks that the market skipped, in which pools may have been created. */
  restart(): void {
    if (this.state !== 'done') {
      this.mustExtend = true
      return
    }
    this.state = 'waiting'
    const firstFollowedBlock = (this.components.ledger.history?.oldest.block.number ?? 0) + 1
    for (const target of this.targets) target.nextBlock = Math.max(target.nextBlock, firstFollowedBlock)
    void this.run()
  }

  private async scanAll(): Promise<void> {
    const { ledger, signal } = this.components
    if ((this.targets.length === 0 && !this.createImport && !this.poolListImport) || this.state === 'done') return
    // Let the caller publish its new block first.
    await null
    this.lastBlock = ledger.snapshot().block.number
    if (this.createImport) this.poolListImport = this.createImport()
    this.createImport = null
    while (!signal.aborted) {
      if (this.mustExtend) this.lastBlock = ledger.snapshot().block.number
      this.mustExtend = false
      if (this.poolListImport) {
        await this.importPools(this.poolListImport)
        continue
      }
      if (this.targets.length === 0) break
      const firstBlock = Math.min(...this.targets.map((target) => target.nextBlock))
      if (firstBlock > this.lastBlock) break
      await this.scanRange(firstBlock)
    }
    if (!signal.aborted) this.setState('done')
  }

  /** Verifies one batch of the pool list, or finishes it. */
  private async importPools(poolListImport: PoolListImport): Promise<void> {
    const { directory, signal } = this.components
    if (poolListImport.isDone && this.verifiedEntries.length === 0) {
      this.poolListImport = null
      for (const [row, scannedTo] of poolListImport.scannedRows) {
        const target = this.targets.find((candidate) => candidate.row === row)
        if (target) target.nextBlock = Math.max(target.nextBlock, Math.min(scannedTo, this.lastBlock) + 1)
      }
      this.onImport(poolListImport.importCount)
      return
    }
    try {
      const options = { signal, priority: 'scan', timeoutMs: BACKGROUND_TIMEOUT_MS } as const
      if (this.verifiedEntries.length === 0) this.verifiedEntries = await poolListImport.prove(options)
      for (const entry of this.verifiedEntries) directory.list(entry)
      await this.addPools(this.verifiedEntries)
      this.verifiedEntries = []
      this.failureCount = 0
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

  /** Scans the range that starts at `fromBlock`, for all DEXes whose scan has reached this block. */
  private async scanRange(fromBlock: number): Promise<void> {
    const { rpc, directory, signal } = this.components
    const dueTargets = this.targets.filter(({ nextBlock }) => nextBlock === fromBlock)
    const laterStarts = this.targets.map(({ nextBlock }) => nextBlock).filter((next) => next > fromBlock)
    const toBlock = Math.min(this.lastBlock, fromBlock + this.range.blocks - 1, ...laterStarts.map((next) => next - 1))
    const blockCount = toBlock - fromBlock + 1
    let logs: readonly Log[]
    try {
      logs = await rpc.getLogs(
        {
          address: [...new Set(dueTargets.map(({ row }) => row.address))],
          topics: [[...new Set(dueTargets.flatMap(({ family }) => family.creationTopics!))]],
          fromBlock,
          toBlock,
        },
        { signal, priority: 'scan', timeoutMs: BACKGROUND_TIMEOUT_MS },
      )
    } catch (error) {
      if (signal.aborted) return
      const mayBeTooWide = error instanceof RpcError && RANGE_ERROR_CODES.has(error.code)
      if (!mayBeTooWide || !this.range.recordRefused(blockCount, error.grantedBlocks)) await this.pause(error)
      return
    }
    try {
      // Several families can serve pools of one contract.
      const targetsByAddress = Map.groupBy(dueTargets, ({ row }) => row.address)
      const foundEntries = logs.flatMap((log) =>
        (targetsByAddress.get(log.address) ?? []).flatMap(({ row, family }): PoolEntry[] => {
          // The filter combines every address with every topic, also with those of another family.
          const pool = createdPoolOf(family, row, log)
          return pool ? [{ row, pool }] : []
        }),
      )
      for (const entry of foundEntries) directory.list(entry)
      await this.addPools(foundEntries)
      for (const target of dueTargets) target.nextBlock = toBlock + 1
      this.range.recordAccepted(blockCount)
      this.failureCount = 0
      this.setState('scanning')
    } catch (error) {
      if (!signal.aborted) await this.pause(error)
    }
  }

  /**
   * Pauses after a failure: up to a minute if the node is rate limiting, else up to ten minutes. The scan never gives
   * up, because the URL may lead to another node later.
   */
  private async pause(error: unknown): Promise<void> {
    const code = error instanceof RpcError ? error.code : undefined
    const isBusy = code === 'RATE_LIMITED'
    this.setState(isBusy ? 'paused' : 'failing', (code && REASON_BY_CODE[code]) ?? 'the node does not answer')
    const maxPauseMs = isBusy ? MAX_BUSY_PAUSE_MS : MAX_FAILING_PAUSE_MS
    const retryAfterMs = error instanceof RpcError ? (error.retryAfterMs ?? 0) : 0
    const pauseMs = Math.min(
      maxPauseMs,
      Math.max(retryAfterMs, INITIAL_PAUSE_MS * 2 ** Math.min(this.failureCount, 20)),
    )
    this.failureCount++
    await abortable(sleep(pauseMs), this.components.signal).catch(() => undefined)
  }
}
