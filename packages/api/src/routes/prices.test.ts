/** Tests of the endpoints about prices, depth, and history, with a price book in memory. */
import type { Address } from '@sluice/chains'
import { noPrice } from '@sluice/pricing'
import { describe, expect, test } from 'vitest'
import { account, ONE, served, TWO } from '../../test/src/in-memory.ts'
import { NATIVE_TEXT } from '../requests.ts'
import { toPriceDetail } from './prices.ts'

/** Has letters, so that it can be spelled in more than one way. */
const LETTERS = account('a')
const THREE = account('3')
const WRAPPED = account('4')
const block = { number: 7, timestamp: 70, hash: '0x07' }
const detail = { usd: 1.5, depthUsd: 200, confidence: 0.75, reason: null }
const sources = [{ pool: { id: 'p', family: 'curve' }, usd: 1.4, weight: 1 }]

type World = {
  /** Tokens whose first look-up has not finished. */
  readonly pending?: readonly Address[]
  readonly pendingInPast?: readonly Address[]
  readonly isComplete?: boolean
  readonly isCurrent?: boolean
  readonly hasNoPendingJumps?: boolean
  readonly points?: readonly { readonly impact: number; readonly usd: number }[] | null
}

/** Serves one chain whose tokens cost 1.5 dollars, except for `TWO`, which has no price. */
function pricedChain(world: World = {}) {
  const { pending = [], isComplete = true, isCurrent = true, hasNoPendingJumps = true, points = null } = world
  const { pendingInPast = [] } = world
  const stored: [string, string][] = []
  const requestedTokens: (readonly Address[])[] = []
  const pastCalls: unknown[] = []
  const tracked: unknown[] = []
  const bookCalls: string[] = []
  const book = {
    ...{ isCurrent, hasNoPendingJumps, whenCurrent: async () => {} },
    usd: (token: Address) => (token === TWO ? null : 1.5),
    detail: async (token: Address) => {
      bookCalls.push(`detail ${token}`)
      return token === TWO ? noPrice('unknown') : { ...detail, sources }
    },
    // A token without decimals has a depth, and no price.
    depthUsd: async () => 200,
    depthCurve: async () => points,
  }
  const view = {
    ...{ snapshot: { block }, prices: () => book },
    responses: { store: (url: string, body: string) => stored.push([url, body]) },
  }
  const app = served({
    views: {
      recent: async (tokens: readonly Address[]) => {
        requestedTokens.push(tokens)
        return { view, isComplete }
      },
    },
    gatherEvidence: async () => new Set(pending),
    pricesAt: async (...of: unknown[]) => {
      pastCalls.push(of.slice(0, 2))
      const isPending = (token: Address) => pendingInPast.includes(token)
      return { prices: book, block: { number: 3, timestamp: 30 }, isPending }
    },
    priceHistory: {
      track: (token: Address) => tracked.push(token),
      recordFirst: (...of: unknown[]) => tracked.push(of),
      pointsOf: (token: Address) => [[70, token === TWO ? null : 1.5]],
    },
  })
  ;(app.services.chain(1).chain as { wrappedNative: object | null }).wrappedNative = { address: WRAPPED }
  const post = (body: unknown) =>
    app.ask('/prices/1', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  return { ...app, post, stored, requestedTokens, pastCalls, tracked, bookCalls }
}

describe('/prices', () => {
  test('has a price for each text of the request, in its order and spelling', async () => {
    const { ask, requestedTokens } = pricedChain()
    const upper = LETTERS.toUpperCase().replace('X', 'x')
    const { body } = await ask(`/prices/1?token=${[TWO, upper, LETTERS].join()}`)
    expect(body).toBe(`{"${TWO}":null,"${upper}":1.5,"${LETTERS}":1.5}`)
    expect(requestedTokens).toEqual([[TWO, LETTERS, LETTERS]])
  })

  test('reads the wrapper of the native token, and no pools of a chain without one', async () => {
    const { ask, requestedTokens } = pricedChain()
    expect((await ask(`/prices/1?token=${NATIVE_TEXT}`)).body).toBe(`{"${NATIVE_TEXT}":1.5}`)
    expect(requestedTokens).toEqual([[WRAPPED]])
  })

  test('is kept for the next request of the block only if nothing of it can change', async () => {
    const path = `/prices/1?token=${ONE}`
    const settled = pricedChain()
    const { body, headers } = await settled.ask(path)
    expect(settled.stored).toEqual([[path, body]])
    expect(headers.etag).toBeDefined()
    const unsettled = [
      { isComplete: false },
      { isCurrent: false },
      { hasNoPendingJumps: false },
      { pending: [ONE] },
      { pending: [TWO] },
    ]
    for (const world of unsettled) {
      const { ask, stored } = pricedChain(world)
      await ask(path)
      expect([world, stored]).toEqual([world, []])
    }
    const posted = pricedChain()
    expect((await posted.post({ token: [ONE] })).body).toBe(body)
    expect(posted.stored).toEqual([])
  })

  test('has no price for a token whose first look-up goes on', async () => {
    const { ask } = pricedChain({ pending: [ONE] })
    expect((await ask(`/prices/1?token=${ONE},${THREE}`)).body).toBe(`{"${ONE}":null,"${THREE}":1.5}`)
    const details = JSON.parse((await ask(`/prices/1?detail=1&token=${ONE},${THREE}`)).body)
    expect(details[ONE]).toMatchObject({ usd: null, reason: 'pending' })
    expect(details[THREE]).toMatchObject({ usd: 1.5, reason: null })
  })

  test('has details once for each token, with the block and the sources', async () => {
    const { ask, bookCalls } = pricedChain()
    const upper = LETTERS.toUpperCase().replace('X', 'x')
    const body = JSON.parse((await ask(`/prices/1?detail=1&token=${LETTERS},${upper},${TWO}`)).body)
    const expected = {
      ...{ usd: 1.5, block: 7, timestamp: 70, depthUsd: 200, confidence: 0.75, reason: null },
      sources: [{ pool: 'p', protocol: 'curve', usd: 1.4, weight: 1 }],
    }
    expect(body[LETTERS]).toEqual(expected)
    expect(body[upper]).toEqual(expected)
    expect(body[TWO]).toMatchObject({ usd: null, reason: 'unknown', block: 7, sources: [] })
    expect(bookCalls).toEqual([`detail ${LETTERS}`, `detail ${TWO}`])
  })

  test('of a past block are those of its end, whatever is pending now', async () => {
    const { ask, post, pastCalls, stored } = pricedChain({ pending: [ONE], isComplete: false })
    expect((await ask(`/prices/1?token=${ONE}&block=3`)).body).toBe(`{"${ONE}":1.5}`)
    expect(pastCalls).toEqual([[3, [ONE]]])
    const body = JSON.parse((await post({ token: [ONE, TWO], detail: true, block: 0 })).body)
    expect(body[ONE]).toMatchObject({ usd: 1.5, block: 3, timestamp: 30 })
    expect(body[TWO].reason).toBe('unknown')
    expect(pastCalls[1]).toEqual([0, [ONE, TWO]])
    expect(stored).toEqual([])
  })

  test('of a past block are pending if they depend on tokens that were not tested', async () => {
    const { ask } = pricedChain({ pendingInPast: [ONE] })
    expect((await ask(`/prices/1?token=${ONE},${LETTERS}&block=3`)).body).toBe(`{"${ONE}":null,"${LETTERS}":1.5}`)
    expect(JSON.parse((await ask(`/prices/1?token=${ONE}&block=3&detail=1`)).body)[ONE].reason).toBe('pending')
  })

  test('that are posted refuse what is no list of tokens', async () => {
    const { post } = pricedChain()
    for (const body of [{}, { token: ONE }, { token: [] }, { token: [5] }, [ONE], { token: [ONE], detail: 'yes' }])
      expect([body, (await post(body)).status]).toEqual([body, 400])
    expect((await post({ token: [ONE], detail: false })).status).toBe(200)
  })
})

test('an unknown token is pending while its pools are still being found, and only then', () => {
  const reasonOf = (reason: 'unknown' | 'no-anchor', isCurrent: boolean) =>
    toPriceDetail(noPrice(reason), block as never, isCurrent).reason
  expect(reasonOf('unknown', false)).toBe('pending')
  expect(reasonOf('unknown', true)).toBe('unknown')
  expect(reasonOf('no-anchor', false)).toBe('no-anchor')
})

describe('/liquidity', () => {
  test('has the depth of each token, or null without a price', async () => {
    const { ask, stored } = pricedChain({ pending: [THREE] })
    expect((await ask(`/liquidity/1?token=${ONE},${TWO},${THREE}`)).body).toBe(
      `{"${ONE}":200,"${TWO}":null,"${THREE}":null}`,
    )
    expect(stored).toEqual([])
  })

  test('has curves in the order of their impact, which an object would not keep', async () => {
    const points = [
      { impact: 0.5, usd: 10 },
      { impact: 1, usd: 20 },
      { impact: 10, usd: 90 },
    ]
    const { ask, stored } = pricedChain({ points })
    const path = `/liquidity/1?curve=1&token=${ONE},${TWO}`
    expect((await ask(path)).body).toBe(`{"${ONE}":{"0.5":10,"1":20,"10":90},"${TWO}":null}`)
    expect(stored.map(([url]) => url)).toEqual([path])
    expect((await pricedChain().ask(path)).body).toBe(`{"${ONE}":null,"${TWO}":null}`)
  })
})

describe('/history', () => {
  test('tracks tokens that have a price, and records it at once if it is final', async () => {
    const { ask, tracked, requestedTokens } = pricedChain()
    const { body } = await ask(`/history/1?token=${[ONE, TWO, NATIVE_TEXT].join()}`)
    expect(JSON.parse(body)).toEqual({ [ONE]: [[70, 1.5]], [TWO]: [[70, null]], [NATIVE_TEXT]: [[70, 1.5]] })
    expect(tracked).toEqual([ONE, [ONE, block, 1.5], WRAPPED, [WRAPPED, block, 1.5]])
    expect(requestedTokens).toEqual([[ONE, TWO, WRAPPED]])
  })

  test('neither tracks a token whose look-up goes on, nor records prices that may change', async () => {
    const { ask, tracked } = pricedChain({ pending: [ONE] })
    await ask(`/history/1?token=${ONE},${THREE}`)
    expect(tracked).toEqual([THREE])
  })
})
