/** Tests which block and which pools a request sees, with a market in memory. */
import { type Address, type Chain, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { type BlockHeader, RpcError, type RpcErrorCode } from '@sluice/rpc'
import { describe, expect, test } from 'vitest'
import { ChainViews } from './views.ts'

const at = (digit: string): Address => toAddress(`0x${digit.repeat(40)}`)
const [A, B, SHARE, ASSET] = ['a', 'b', 'c', 'd'].map(at) as [Address, Address, Address, Address]
const signal = () => new AbortController().signal
const blockOf = (number: number, fork = '') =>
  ({ number, hash: `0x${number}${fork}`, timestamp: 10 * number }) as unknown as BlockHeader
const snapshotOf = (block: BlockHeader) => ({ block, pools: new Map(), changedIds: null }) as never

type World = { lagMs?: number | null; scan?: string; syncMs?: number; searchMs?: number }

function chainViews(world: World = {}) {
  const state = { lagMs: 100 as number | null, memory: snapshotOf(blockOf(5)), head: snapshotOf(blockOf(5)), ...world }
  const calls: unknown[][] = []
  const goneHashes = new Set<string>()
  const market = {
    snapshot: () => state.memory,
    sync: async () => {
      calls.push(['sync'])
      if (world.syncMs) await new Promise((resolve) => setTimeout(resolve, world.syncMs))
      state.memory = state.head
      return state.memory
    },
    ensureGroups: async (groups: unknown) => {
      calls.push(['ensureGroups', groups])
      return state.memory
    },
    searchPools: async (tokens: unknown) => {
      calls.push(['searchPools', tokens])
      if (world.searchMs) await new Promise((resolve) => setTimeout(resolve, world.searchMs))
    },
    hasBlock: ({ hash }: BlockHeader) => !goneHashes.has(hash),
    waitForBlock: async (...of: unknown[]) => {
      calls.push(['waitForBlock', ...of.slice(0, 2)])
      state.memory = snapshotOf(blockOf(of[0] as number))
      return state.memory
    },
    snapshotBefore: ({ number }: BlockHeader) => (number === 5 ? previous : undefined),
    health: () => ({ lagMs: state.lagMs, scan: state.scan && { state: state.scan } }),
    tokens: { isToken: (token: Address) => token !== B },
  }
  const previous = snapshotOf(blockOf(4))
  const current = { isCurrent: true }
  const views = new ChainViews({
    chain: { blockTimeMs: 12_000, l1FeeModel: 'none' } as Chain,
    market,
    rpc: {
      getCode: async (...of: unknown[]) => {
        calls.push(['getCode', ...of])
        return '0xc0de'
      },
    },
    prices: { holderOf: () => undefined },
    redemptions: {
      readShares: async (tokens: readonly Address[]) => (tokens.includes(SHARE) ? [ASSET, ZERO_ADDRESS] : []),
      isCurrentAt: () => current.isCurrent,
    },
    fees: {
      gasPrice: async (_: unknown, block: BlockHeader) => {
        calls.push(['gasPrice', block.number])
        return 7n
      },
    },
    assertDeployed: async (block: unknown) => void calls.push(['assertDeployed', block]),
  } as never)
  return { views, state, calls, goneHashes, current }
}

describe('a request at the head', () => {
  test('sees the head, with the pools of its tokens, which are loaded once a block', async () => {
    const { views, state, calls } = chainViews()
    state.head = snapshotOf(blockOf(6))
    const view = await views.atHead([[A, B]], undefined, signal())
    expect(view.snapshot.block.number).toBe(6)
    expect(await views.atHead([[A, B]], undefined, signal())).toBe(view)
    expect(calls).toEqual([['sync'], ['ensureGroups', [[A, B]]], ['sync']])
    await views.inMemory([[A, B], [A]], signal())
    expect(calls.at(-1)).toEqual(['ensureGroups', [[A, B], [A]]])
    state.memory = snapshotOf(blockOf(7))
    expect((await views.inMemory([[A, B]], signal())).snapshot.block.number).toBe(7)
    expect(calls.filter(([name]) => name === 'ensureGroups')).toHaveLength(3)
    expect(views.counts.groups?.entries).toBe(1)
  })

  test('waits for a block that is next, at most 1.5 s or a block, and not for later ones', async () => {
    const { views, calls } = chainViews()
    expect((await views.atHead([], 6, signal())).snapshot.block.number).toBe(6)
    expect(calls[1]).toEqual(['waitForBlock', 6, 1_500])
    const far = chainViews()
    await expect(far.views.atHead([], 7, signal())).rejects.toMatchObject({ code: 'BEHIND', details: { block: 5 } })
    const reached = chainViews()
    await reached.views.atHead([], 5, signal())
    expect(reached.calls.map(([name]) => name)).not.toContain('waitForBlock')
  })
})

describe('work on a block that a reorg removes', () => {
  const failing = (code: RpcErrorCode, times: number) => {
    let tries = 0
    return {
      work: async () => {
        if (tries++ < times) throw new RpcError(code, 'failed')
        return tries
      },
      count: () => tries,
    }
  }

  test('is repeated, and fails with its error if the block is still there', async () => {
    const { views, goneHashes } = chainViews()
    goneHashes.add('0x5')
    expect(await views.retryOnReorg([], signal(), failing('PRUNED', 2).work)).toBe(3)
    goneHashes.clear()
    const once = failing('PRUNED', 9)
    await expect(views.retryOnReorg([], signal(), once.work)).rejects.toMatchObject({ code: 'PRUNED' })
    expect(once.count()).toBe(1)
  })

  test('is repeated if the node says that the block is gone, eight times in total', async () => {
    const { views } = chainViews()
    const gone = failing('BLOCK_GONE', 99)
    await expect(views.retryOnReorg([], signal(), gone.work)).rejects.toMatchObject({ code: 'BLOCK_GONE' })
    expect(gone.count()).toBe(8)
  })

  test('is not repeated after errors that have nothing to do with the block', async () => {
    const { views, goneHashes } = chainViews()
    goneHashes.add('0x5')
    const late = failing('TIMEOUT', 9)
    await expect(views.retryOnReorg([], signal(), late.work)).rejects.toMatchObject({ code: 'TIMEOUT' })
    await expect(views.retryOnReorg([], signal(), () => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug')
    expect(late.count()).toBe(1)
  })
})

describe('a request for prices', () => {
  test('takes a head that was seen within half a second, and asks for one otherwise', async () => {
    const asksForHead = async (lagMs: number | null) => {
      const { views, calls } = chainViews({ lagMs })
      await views.recent([A], signal())
      return calls.some(([name]) => name === 'sync')
    }
    expect([await asksForHead(500), await asksForHead(501), await asksForHead(null)]).toEqual([false, true, true])
  })

  test('does not wait for a slow node if the last head is less than ten seconds old', async () => {
    const blockAfter = async (lagMs: number) => {
      const { views, state } = chainViews({ lagMs, syncMs: 400 })
      state.head = snapshotOf(blockOf(6))
      return (await views.recent([A], signal())).view.snapshot.block.number
    }
    expect([await blockAfter(10_000), await blockAfter(10_001)]).toEqual([5, 6])
    const aborted = chainViews({ lagMs: 5_000, syncMs: 400 })
    await expect(aborted.views.recent([A], AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
  })

  test('loads the pools of tokens once a block, and those of what shares redeem for', async () => {
    const { views, calls } = chainViews()
    const { view, isComplete } = await views.recent([SHARE, B], signal())
    expect(isComplete).toBe(true)
    expect(calls).toEqual([
      ['searchPools', [SHARE, B]],
      ['searchPools', [ASSET]],
    ])
    expect(await views.recent([B], signal())).toEqual({ view, isComplete: true })
    expect(calls).toHaveLength(2)
    await views.recent([ASSET], signal())
    expect(calls.at(-1)).toEqual(['searchPools', [ASSET]])
  })

  test('reads what a share redeems for, also if a request has loaded only the pools of the share', async () => {
    const { views, calls } = chainViews()
    await views.inMemory([[SHARE]], signal())
    calls.length = 0
    expect((await views.recent([SHARE], signal())).isComplete).toBe(true)
    expect(calls).toEqual([
      ['searchPools', [SHARE]],
      ['searchPools', [ASSET]],
    ])
  })

  test('is incomplete if pools take longer than 300 ms, or rates are of an older block', async () => {
    const slow = chainViews({ searchMs: 600 })
    expect((await slow.views.recent([A], signal())).isComplete).toBe(false)
    const stale = chainViews()
    stale.current.isCurrent = false
    expect((await stale.views.recent([A], signal())).isComplete).toBe(false)
    stale.current.isCurrent = true
    expect((await stale.views.recent([A], signal())).isComplete).toBe(true)
  })

  test('is answered from the same block if that was seen lately', async () => {
    const { views, state } = chainViews()
    expect(views.recentResponse('/x')).toBeUndefined()
    const { view } = await views.recent([A], signal())
    view.responses.store('/x', 'body')
    expect(views.recentResponse('/x')).toBe('body')
    state.lagMs = 501
    expect(views.recentResponse('/x')).toBeUndefined()
    state.lagMs = 100
    views.forgetResponses()
    expect(views.recentResponse('/x')).toBeUndefined()
    view.responses.store('/x', 'body')
    state.memory = snapshotOf(blockOf(6))
    expect(views.recentResponse('/x')).toBeUndefined()
  })
})

describe('a view', () => {
  test('reads fees, codes, and the deployment of its block once', async () => {
    const { views, calls } = chainViews()
    const view = await views.inMemory([], signal())
    calls.length = 0
    for (let k = 0; k < 2; k++) {
      expect([await view.gasPriceWei(), await view.codeOf(A)]).toEqual([7n, '0xc0de'])
      await view.assertDeployed()
    }
    expect(calls).toEqual([
      ['gasPrice', 5],
      ['getCode', A, { blockHash: '0x5' }],
      ['assertDeployed', { blockHash: '0x5' }],
    ])
    expect(view.graph()).toBe(view.graph())
  })

  test('has pools pending while past logs are searched', async () => {
    const isPending = async (scan?: string) =>
      (await chainViews(scan === undefined ? {} : { scan }).views.inMemory([], signal())).poolsPending()
    expect([
      await isPending(),
      await isPending('done'),
      await isPending('scanning'),
      await isPending('failing'),
    ]).toEqual([...[false, false, true, true]])
  })

  test('of the block before is kept while the market has that block', async () => {
    const { views } = chainViews()
    const view = await views.inMemory([], signal())
    const before = views.viewBefore(view)!
    expect(before.snapshot.block.number).toBe(4)
    expect(views.viewBefore(view)).toBe(before)
    expect(views.viewBefore(before)).toBeUndefined()
  })
})

describe('more samples of pools', () => {
  const swaps = new Map([['pool', []]])
  const refining = (block: BlockHeader) => {
    const { views, state } = chainViews()
    const refineCalls: unknown[][] = []
    const refine = async (...of: unknown[]) => {
      refineCalls.push(of)
      const refined = snapshotOf(block)
      if (block.number === 5) state.memory = refined
      return refined as { readonly block: BlockHeader }
    }
    Object.assign((views as unknown as { options: { market: object } }).options.market, { refine })
    return { views, refineCalls }
  }

  test('are a new view of the same block', async () => {
    const { views, refineCalls } = refining(blockOf(5))
    const view = await views.inMemory([[A]], signal())
    const refined = await view.refine!(swaps)
    expect(refineCalls).toEqual([[blockOf(5), swaps]])
    expect(refined).not.toBe(view)
    expect(refined.snapshot.block).toEqual(blockOf(5))
  })

  test('are none if there is a newer block', async () => {
    const { views } = refining(blockOf(6))
    const view = await views.inMemory([[A]], signal())
    expect(await view.refine!(swaps)).toBe(view)
  })

  test('cannot be read if another process reads the pools', async () => {
    expect(await chainViews().views.inMemory([[A]], signal())).not.toHaveProperty('refine')
  })
})

test('answers are forgotten after a measurement, and counted', async () => {
  const { views } = chainViews()
  views.forgetResponses()
  expect([views.counts, views.recentResponse('/x')]).toEqual([{}, undefined])
  const view = await views.inMemory([[A], [B]], signal())
  view.responses.store('/x', '{}')
  expect(views.recentResponse('/x')).toBe('{}')
  expect(views.counts).toMatchObject({ groups: { entries: 2 }, answers: { entries: 1 } })
  views.forgetResponses()
  expect(views.recentResponse('/x')).toBeUndefined()
})

test('a caller who gave up gets no view of a recent head', async () => {
  const { views } = chainViews({ lagMs: 5_000, syncMs: 5 })
  const controller = new AbortController()
  const recent = views.recent([A], controller.signal)
  controller.abort(new Error('gone'))
  await expect(recent).rejects.toThrow('gone')
})

test('a view in memory with some of the groups is searched for all of them', async () => {
  const { views, calls } = chainViews()
  const first = await views.inMemory([[A]], signal())
  expect(await views.inMemory([[A]], signal())).toBe(first)
  expect(await views.inMemory([[A], [A, B]], signal())).toBe(first)
  expect(calls.filter(([name]) => name === 'ensureGroups').map(([, groups]) => groups)).toEqual([[[A]], [[A], [A, B]]])
})
