/**
 * Golden digests of routes and transactions, which refactorings must not change. Intended changes of the search update
 * the digests (`vitest run packages/routing/test/golden-routes.test.ts --update`), and their commit says what improved.
 */
import { readFileSync } from 'node:fs'
import { toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import { fromText } from '@sluice/liquidity'
import { expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import { digestOf, goldenLines } from '../src/testing/digest.ts'
import { address, E18, fairPools, randomPools, seeded, snapshotOf, token } from './graphs.ts'
import { drawRequest } from './random-requests.ts'
import { kinds } from './wide-pools.ts'

const DEXES = ['alpha', 'beta', 'gamma']
const WETH = toAddress('0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2')
const inDexes = (pools: readonly Pool[]) => pools.map((pool, index) => ({ ...pool, dex: DEXES[index % DEXES.length]! }))
/** All tokens except the zero address, which requests name NATIVE. */
const tokensOf = (pools: readonly Pool[]) =>
  [...new Set(pools.flatMap(({ tokens }) => tokens))].filter((token) => token !== ZERO_ADDRESS)

/** Digests of random requests with all of their parameters. */
function digests(pools: readonly Pool[], count: number, wrappedNative: Pool['address']): string[] {
  const graph = buildGraph(snapshotOf(pools))
  return Array.from({ length: count }, (_, run) => {
    const req = drawRequest(seeded(run + 1), { pools, tokens: tokensOf(pools) }, wrappedNative)
    return digestOf(findRoute(graph, req), req)
  })
}

test('pairs whose prices agree or disagree', async () => {
  const groups = [5, 12, 40, 120].flatMap((count) =>
    [0, 0.002, 0.01].map((disagreement) => {
      const tokens = 3 + Math.round(count / 8)
      const pools = disagreement === 0 ? fairPools(7, count, tokens) : randomPools(7, count, { tokens, disagreement })
      return goldenLines(
        `${count} pairs of ${tokens} tokens, off by ${disagreement}`,
        digests(inDexes(pools), 36, token(0)),
      )
    }),
  )
  await expect(groups.join('')).toMatchFileSnapshot('goldens/pairs.txt')
})

test('pools of several tokens and pairs', async () => {
  const wide = Object.values(kinds).map((make, index) => {
    const tokens = [index, index + 1, index + 2]
    const pool = make(
      tokens,
      tokens.map((_, place) => BigInt(300_000 + 17_000 * (index + place)) * E18),
    )
    const id = `0x${String(index).repeat(64)}`
    return { ...pool, id, address: address(900 + index), fixed: { vault: address(950) } }
  })
  const pools = inDexes([...wide, ...fairPools(3, 14, 5)])
  await expect(goldenLines('three kinds', digests(pools, 96, token(0)))).toMatchFileSnapshot('goldens/wide.txt')
})

test('pools of one real block', async () => {
  const text = readFileSync(new URL('ethereum-pools.json', import.meta.url), 'utf8')
  const { pools } = fromText<{ readonly pools: readonly Pool[] }>(text)
  const lines = goldenLines('Ethereum', digests(pools, 120, WETH))
  await expect(lines).toMatchFileSnapshot('goldens/ethereum.txt')
})
