/** Tests the scan of past logs with a node in memory: ranges, progress, pauses, and restarts. */
import { type Address, type DexRow, toAddress } from '@sluice/chains'
import { type Log, RpcError } from '@sluice/rpc'
import { describe, expect, test, vi } from 'vitest'
import type { DexFamily } from '../family.ts'
import type { ScanStatus } from '../snapshot.ts'
import { LogScan } from './log-scan.ts'
import type { PoolEntry } from './pool-reader.ts'

const testAddress = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const family = (id: string, topic: string) =>
  ({
    ...{ id, listedByLogs: true, creationTopics: [topic] },
    createdPool: (_: DexRow, { data }: Log) => {
      if (String(data) === 'undecodable') throw new Error('data out of bounds')
      return data === '0x' ? null : { id: `${id} ${data}` }
    },
  }) as unknown as DexFamily
const families = new Map([
  ['first', family('first', '0xa')],
  ['second', family('second', '0xb')],
  ['getter', { ...family('getter', '0xc'), listedByLogs: undefined } as unknown as DexFamily],
])
const row = (name: string, n: number, startBlock?: number) =>
  ({ family: name, address: testAddress(n), ...(startBlock !== undefined && { startBlock }) }) as unknown as DexRow
const rows = [row('first', 1, 100), row('second', 2, 180), row('getter', 3, 0), row('second', 4)]

type Filter = {
  readonly address: readonly Address[]
  readonly topics: unknown
  readonly fromBlock: number
  readonly toBlock: number
}
/** A scan up to block 199 of a node that answers ranges of at most `limit` blocks. */
function scanOf(
  of: readonly DexRow[] = rows,
  { limit = 1_000, logs = [] as readonly Partial<Log>[], searches = true, onRequest = () => {}, onAdd = () => {} } = {},
) {
  const ranges: Filter[] = []
  const statuses: ScanStatus[] = []
  const added: string[] = []
  const newest = { number: 199 }
  const failures: unknown[] = []
  const listed = new Map<string, unknown>()
  const abort = new AbortController()
  const components = {
    rpc: {
      getLogs: async (filter: Filter) => {
        ranges.push(filter)
        onRequest()
        if (failures.length > 0) throw failures.shift()
        if (filter.toBlock - filter.fromBlock + 1 > limit) throw new RpcError('RANGE', 'too wide')
        return logs.filter(({ blockNumber }) => blockNumber! >= filter.fromBlock && blockNumber! <= filter.toBlock)
      },
    },
    directory: {
      ...{ rows: of, familyOf: ({ family }: DexRow) => families.get(family)! },
      list: (entry: PoolEntry) => listed.set(entry.pool.id, entry),
    },
    ledger: { snapshot: () => ({ block: newest }), history: { oldest: { block: { number: 150 } } } },
    signal: abort.signal,
  }
  const scan = new LogScan(
    components as never,
    async (pools) => {
      onAdd()
      added.push(...pools.map(({ pool }) => pool.id))
    },
    (status) => statuses.push(status),
    undefined,
    searches,
  )
  return { scan, ranges, statuses, added, failures, listed, abort, newest }
}
const spans = (ranges: readonly Filter[]) =>
  ranges.map(({ fromBlock, toBlock, address }) => [fromBlock, toBlock, address.length])

test('a chain without such families, and one without a scan, have no status', async () => {
  for (const { scan } of [scanOf([rows[2]!, rows[3]!]), scanOf(rows, { searches: false })]) {
    await scan.run()
    expect(scan.status).toBeNull()
  }
})

describe('a scan', () => {
  test('reads each block once for the DEXes that exist at it, and reports the progress', async () => {
    const { scan, ranges, statuses } = scanOf()
    expect(scan.status).toEqual({ state: 'waiting', progress: 0, blocksLeft: null, families: ['first', 'second'] })
    await scan.run()
    expect(spans(ranges)).toEqual([
      [100, 179, 1],
      [180, 199, 2],
    ])
    expect(ranges[1]).toMatchObject({ address: [testAddress(1), testAddress(2)], topics: [['0xa', '0xb']] })
    // 80 of 120 blocks: 100 of the first DEX, and 20 of the second.
    expect(statuses[0]).toMatchObject({ state: 'scanning', blocksLeft: 40, families: ['first', 'second'] })
    expect(statuses[0]!.progress).toBeCloseTo(80 / 120, 12)
    expect(statuses.at(-1)).toMatchObject({ state: 'done', progress: 1, blocksLeft: 0, families: [] })
    await scan.run()
    expect(ranges).toHaveLength(2)
  })

  test('lists the pools of logs whose topic and contract belong together', async () => {
    const log = (blockNumber: number, address: Address, topic: string, data: string) =>
      ({ blockNumber, address, topics: [topic], data }) as Partial<Log>
    const { scan, added, listed } = scanOf(rows, {
      logs: [
        log(100, testAddress(1), '0xa', '0x1'),
        log(199, testAddress(2), '0xb', '0x2'),
        log(190, testAddress(1), '0xb', '0x3'),
        log(190, testAddress(9), '0xa', '0x4'),
        log(190, testAddress(1), '0xa', '0x'),
        log(190, testAddress(1), '0xa', 'undecodable'),
      ],
    })
    await scan.run()
    expect(added).toEqual(['first 0x1', 'second 0x2'])
    expect([...listed.keys()]).toEqual(added)
  })

  test('narrows its ranges until the node accepts them, and remembers that', async () => {
    const { scan, ranges } = scanOf([rows[0]!], { limit: 30 })
    await scan.run()
    const accepted = ranges.filter(({ fromBlock, toBlock }) => toBlock - fromBlock + 1 <= 30)
    const blocks = accepted.flatMap(({ fromBlock, toBlock }) =>
      Array.from({ length: toBlock - fromBlock + 1 }, (_, k) => fromBlock + k),
    )
    expect(blocks).toEqual(Array.from({ length: 100 }, (_, k) => 100 + k))
    expect(scan.blocksPerCall).toBeLessThanOrEqual(30)
    expect(scan.status?.blocksPerCall).toBe(scan.blocksPerCall)
  })

  test('keeps its range if the pools of the logs cannot be read in time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      let reads = 0
      const { scan, ranges } = scanOf([rows[0]!], {
        onAdd: () => {
          if (++reads === 1) throw new RpcError('TIMEOUT', 'slow')
        },
      })
      const running = scan.run()
      await vi.runAllTimersAsync()
      await running
      expect(spans(ranges)).toEqual([
        [100, 199, 1],
        [100, 199, 1],
      ])
    } finally {
      vi.useRealTimers()
    }
  })

  test('finds a pool that a reorg during a restart created in a block that had been scanned', async () => {
    const before = scanOf([rows[0]!])
    await before.scan.run()
    const saved = [...before.scan.nextBlocks(199)]
    const created = { blockNumber: 198, address: testAddress(1), topics: ['0xa'], data: '0x1' } as unknown as Log
    const after = scanOf([rows[0]!], { logs: [created] })
    after.scan.restore(saved, undefined)
    await after.scan.run()
    expect(spans(after.ranges)).toEqual([[136, 199, 1]])
    expect(after.added).toEqual(['first 0x1'])
  })

  test('continues after a restart near its last block, and reports its progress', async () => {
    const { scan, ranges } = scanOf()
    expect([...scan.nextBlocks(500)]).toEqual([
      [rows[0], 100],
      [rows[1], 180],
    ])
    expect(scan.hasPoolsOf(rows[2]!, undefined)).toBe(false)
    scan.restore([[rows[0]!, 254]], 7)
    expect(scan.blocksPerCall).toBe(7)
    expect([
      scan.hasPoolsOf(rows[0]!, 253),
      scan.hasPoolsOf(rows[0]!, 254),
      scan.hasPoolsOf(rows[0]!, undefined),
    ]).toEqual([...[true, false, true]])
    expect(scan.hasPoolsOf(rows[2]!, 5)).toBe(true)
    await scan.run()
    // The last 64 blocks may have been reorged.
    expect(ranges[0]).toMatchObject({ fromBlock: 180, address: [testAddress(2)] })
    expect(Math.max(...ranges.map(({ toBlock }) => toBlock))).toBe(199)
    expect([...scan.nextBlocks(500)].map(([, next]) => next)).toEqual([501, 501])
    // Once more: all blocks that were not followed.
    ranges.length = 0
    scan.restart()
    await scan.run()
    expect(ranges).toEqual([])
  })

  test.each([
    ['RATE_LIMITED', 'paused', 'the node is rate limiting eth_getLogs', [1_000, 2_000, 4_000]],
    ['CREDIT', 'failing', "the provider's plan is used up, or its key is refused", [1_000, 2_000, 4_000]],
  ] as const)('pauses longer and longer while the node answers %s', async (code, state, reason, pauses) => {
    vi.useFakeTimers()
    try {
      const { scan, ranges, statuses, failures } = scanOf([rows[0]!])
      failures.push(...pauses.map(() => new RpcError(code, 'no')))
      const running = scan.run()
      for (const [k, pause] of pauses.entries()) {
        await vi.advanceTimersByTimeAsync(0)
        expect([ranges.length, scan.status?.state, scan.status?.reason]).toEqual([k + 1, state, reason])
        await vi.advanceTimersByTimeAsync(pause - 1)
        expect(ranges).toHaveLength(k + 1)
        await vi.advanceTimersByTimeAsync(1)
      }
      await running
      expect(statuses.map((status) => status.state)).toEqual([state, 'scanning', 'done'])
      expect(scan.status?.reason).toBeUndefined()
    } finally {
      vi.useRealTimers()
    }
  })

  test('pauses as long as the node demands, at most a minute', async () => {
    vi.useFakeTimers()
    try {
      const { scan, ranges, failures } = scanOf([rows[0]!])
      const pauses = [5_000, 90_000]
      failures.push(...pauses.map((retryAfterMs) => new RpcError('RATE_LIMITED', 'no', '0x', { retryAfterMs })))
      const running = scan.run()
      for (const [k, pause] of [5_000, 60_000].entries()) {
        await vi.advanceTimersByTimeAsync(pause - 1)
        expect(ranges).toHaveLength(k + 1)
        await vi.advanceTimersByTimeAsync(1)
      }
      await running
      expect(ranges).toHaveLength(3)
    } finally {
      vi.useRealTimers()
    }
  })

  test('continues up to the newest block if blocks are skipped meanwhile', async () => {
    let skips = 1
    const onRequest = () => {
      if (skips-- <= 0) return
      newest.number = 1_000
      scan.restart()
    }
    const { scan, ranges, newest } = scanOf([rows[0]!], { onRequest })
    await scan.run()
    expect([ranges.at(-1)?.toBlock, scan.status?.state]).toEqual([1_000, 'done'])
  })

  test('adds the verified pools of a list again if the node failed while they were read', async () => {
    vi.useFakeTimers()
    try {
      let failures = 2
      const onAdd = () => {
        if (failures-- > 0) throw new RpcError('UNREACHABLE', 'down')
      }
      const { scan, added } = scanOf([rows[0]!], { onAdd })
      const batches = [['1', '2'], [], ['3']]
      let proofs = 0
      scan.scheduleImport(
        () =>
          ({
            get isDone() {
              return proofs === batches.length
            },
            ...{ scannedRows: [], importCount: { proven: 3, refused: 0 } },
            prove: async () => batches[proofs++]!.map((id) => ({ row: rows[0], pool: { id } })),
          }) as never,
      )
      const running = scan.run()
      await vi.advanceTimersByTimeAsync(10_000)
      await running
      expect([added, proofs, scan.status?.state]).toEqual([['1', '2', '3'], 3, 'done'])
    } finally {
      vi.useRealTimers()
    }
  })

  test('continues after the blocks of a pool list, but reads blocks above its own head itself', async () => {
    const { scan, ranges, newest } = scanOf()
    const importCount = { proven: 1, refused: 0 }
    const scannedRows = [
      [rows[0], 189],
      // This list is of a node that was ahead.
      [rows[1], 300],
    ]
    scan.scheduleImport(() => ({ isDone: true, scannedRows, importCount }) as never)
    await scan.run()
    expect(spans(ranges)).toEqual([[190, 199, 1]])
    newest.number = 260
    scan.restart()
    await scan.run()
    expect(spans(ranges.slice(1))).toEqual([[200, 260, 2]])
  })

  test('ends when the market stops', async () => {
    const { scan, abort, failures, statuses } = scanOf([rows[0]!])
    failures.push(new RpcError('CREDIT', 'no'))
    const running = scan.run()
    abort.abort()
    await running
    expect(statuses).toEqual([])
  })
})
