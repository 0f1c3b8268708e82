/** Tests of the preview pictures of links: their content, their cache, and their limits. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { CardContent } from '../card/card.ts'
import { NATIVE_TEXT } from '../requests.ts'

const drawnCards: (CardContent | undefined)[] = []
vi.mock(import('../card/card.ts'), async (original) => ({
  ...(await original()),
  drawCard: async (_fonts: unknown, content: CardContent | undefined) => {
    drawnCards.push(content)
    return Buffer.from(content ? `card ${drawnCards.length}` : 'plain')
  },
}))
// Test files share modules, which an earlier file can have loaded without the mock.
vi.resetModules()
const { QuotingError } = await import('@sluice/quoting')
const { account, ONE, served, TWO } = await import('../../test/src/in-memory.ts')
afterAll(() => void vi.resetModules())

const root = join(import.meta.dirname, '../../../..')
const webDir = mkdtempSync(join(tmpdir(), 'card-'))
beforeAll(() => {
  mkdirSync(join(webDir, 'app'))
  for (const weight of [400, 600]) {
    const font = `node_modules/@fontsource/ibm-plex-sans/files/ibm-plex-sans-latin-${weight}-normal.woff`
    copyFileSync(join(root, font), join(webDir, `app/card-${weight}.woff`))
  }
})
afterAll(() => rmSync(webDir, { recursive: true }))
beforeEach(() => void drawnCards.splice(0))

const [POOL_A, POOL_B] = ['a', 'b'].map((id) => ({ id, family: 'curve', dex: `Dex ${id}` }))
const leg = (pool: object, tokenIn: string, tokenOut: string, amountIn: bigint) => ({
  ...{ pool, tokenIn, tokenOut, amountIn, amountOut: 1n, gas: 5 },
})
const MIDDLE = account('3')

type World = { readonly amountIn?: bigint; readonly amountOut?: bigint; readonly legs?: readonly object[] }

/** Serves a chain on which `ONE` has 6 decimals and `TWO` has 18, and quotes with fixed amounts. */
function cards({ amountIn = 1_500_000n, amountOut = 2n * 10n ** 18n, legs }: World = {}, quoted?: () => Promise<void>) {
  const requests: Record<string, unknown>[] = []
  const app = served(
    {
      listTokens: async (address: string) => ({
        tokens: [
          { address: account('9'), symbol: 'NINE', decimals: 9 },
          ...(address === ONE ? [{ address: ONE, symbol: 'USDX', decimals: 6 }] : []),
          ...(address === TWO ? [{ address: TWO, symbol: 'DAIX', decimals: 18 }] : []),
        ],
      }),
      quote: async (request: Record<string, unknown>) => {
        requests.push(request)
        await quoted?.()
        return {
          route: { tokenIn: ONE, tokenOut: TWO, amountIn, legs: legs ?? [leg(POOL_A!, ONE, TWO, amountIn)] },
          ...{ amountOut, minOutput: 1n, gasEstimate: 1n, gasCharged: 1n, gasChargedAtDeadline: 1n, id: 'q' },
          ...{ block: { number: 77, hash: '0x1' }, expiresAtBlock: 78, priceImpactPpm: null, gasCostWei: 1n },
          ...{ gasCostUsd: null, l1FeeWei: null, netAmountOut: null, poolsPending: false, warnings: [] },
        }
      },
    },
    { WEB_DIR: webDir },
  )
  Object.assign(app.services.chain(1).chain, { name: 'Devnet', nativeCurrency: { symbol: 'ETH', decimals: 18 } })
  const card = (query = '') => app.ask(`/app/card.png?chain=1&src=${ONE}&dst=${TWO}&amount=1.5${query}`)
  return { ...app, card, requests }
}

describe('the card of a link', () => {
  test('has the amounts, the pools, the chain, and the block of its quote', async () => {
    const { card, requests } = cards()
    const { status, headers, body } = await card()
    expect([status, headers['content-type'], headers['content-length']]).toEqual([200, 'image/png', '6'])
    expect([body, headers['cache-control']]).toEqual(['card 2', 'public, max-age=600'])
    expect(drawnCards).toEqual([
      undefined,
      {
        ...{
          src: 'USDX',
          dst: 'DAIX',
          inputAmount: '1.5',
          outputAmount: '2',
          note: '1 pool on Devnet, simulated at block 77',
        },
        pools: [{ name: 'Dex a', share: 100 }],
      },
    ])
    expect(requests).toMatchObject([{ tokenIn: ONE, tokenOut: TWO, amountIn: 1_500_000n }])
  })

  test('of an exact output is quoted by the decimals of the output', async () => {
    const { card, requests } = cards()
    await card('&exact=out')
    expect(requests).toMatchObject([{ amountOut: 15n * 10n ** 17n }])
    expect(requests[0]!.amountIn).toBeUndefined()
  })

  test('of the native token has its symbol and decimals', async () => {
    const { ask } = cards({ amountIn: 10n ** 18n })
    await ask(`/app/card.png?chain=1&src=${NATIVE_TEXT}&dst=${TWO}&amount=1`)
    expect(drawnCards.at(-1)).toMatchObject({ src: 'ETH', inputAmount: '1' })
  })

  test('counts each pool once, and has bars for pools of the input, the largest first', async () => {
    const legs = [
      leg(POOL_A!, ONE, TWO, 30n),
      leg(POOL_B!, ONE, MIDDLE, 70n),
      leg(POOL_A!, MIDDLE, TWO, 50n),
      leg(POOL_B!, MIDDLE, TWO, 50n),
    ]
    await cards({ legs }).card()
    expect(drawnCards.at(-1)).toMatchObject({
      note: '2 pools on Devnet, simulated at block 77',
      pools: [
        { name: 'Dex b', share: 70 },
        { name: 'Dex a', share: 30 },
      ],
    })
  })

  test.each([
    [1_234_567_891n, '1 234.567891'],
    [9_999_123_456n, '9 999.123456'],
    [12_345_678_999n, '12 345.67'],
    [1_234_567_000_001n, '1 234 567'],
    [1_000_000n, '1'],
    [1n, '0.000001'],
    [100_000n, '0.1'],
  ])('has %s base units of six decimals as %s', async (amountIn, text) => {
    await cards({ amountIn }).card()
    expect(drawnCards.at(-1)!.inputAmount).toBe(text)
  })

  test('has at most six digits after the point, cut off', async () => {
    await cards({ amountOut: 1_999_999_999_999_999_999n }).card()
    expect(drawnCards.at(-1)!.outputAmount).toBe('1.999999')
  })
})

describe('a plain card', () => {
  test.each([
    ['a link without a swap', '/app/card.png'],
    ['a chain that is not served', `/app/card.png?chain=2&src=${ONE}&dst=${TWO}&amount=1`],
    ['an address that is no token', `/app/card.png?chain=1&src=${account('5')}&dst=${TWO}&amount=1`],
  ])('answers %s, for a minute', async (_, path) => {
    const { status, headers, body } = await cards().ask(path)
    expect([status, body, headers['cache-control']]).toEqual([200, 'plain', 'public, max-age=60'])
  })

  test('answers a swap without a route, which is quoted again at the next request', async () => {
    let attempts = 0
    const { card } = cards({}, async () => {
      if (++attempts === 1) throw new QuotingError('NO_ROUTE', 'no route')
    })
    expect((await card()).body).toBe('plain')
    expect((await card()).body).toBe('card 2')
  })

  test('answers more than two requests at a time', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { card, requests } = cards({}, () => promise)
    const running = [card('&a=1'), card('&exact=out')]
    await vi.waitFor(() => expect(requests).toHaveLength(2))
    expect((await card()).body).toBe('plain')
    resolve()
    expect((await Promise.all(running)).map(({ body }) => body)).toEqual([
      expect.stringMatching(/^card/),
      expect.stringMatching(/^card/),
    ])
    expect((await cards().card()).body).toMatch(/^card/)
  })
})

test('a card is kept for the same swap, and not for another one', async () => {
  const { card, requests } = cards()
  const first = await card()
  expect(await card('&ignored=1')).toMatchObject({
    body: first.body,
    headers: { 'cache-control': 'public, max-age=600' },
  })
  expect(requests).toHaveLength(1)
  expect((await card('&exact=out')).body).not.toBe(first.body)
})

test('without fonts there are no cards', async () => {
  expect((await served().ask('/app/card.png')).status).toBe(404)
})
