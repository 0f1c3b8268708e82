/** Tests of the pairs that factories are asked for. */
import { type Address, type Chain, loadRegistry, toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import { pairKeysOf, pairScopeOf, pairsOf } from './pairs.ts'

const token = (k: number): Address => toAddress(`0x${k.toString(16).padStart(40, '0')}`)
const ethereum = loadRegistry().chain(1)!

test('the intermediates are the hubs and the other named tokens, at most 64', () => {
  const { hubs, intermediates } = pairScopeOf(ethereum)
  expect(intermediates.slice(0, hubs.length)).toEqual(ethereum.hubs)
  for (const { address } of [...ethereum.stables, ...ethereum.tokens]) expect(intermediates).toContain(address)
  const tokens = Array.from({ length: 5_000 }, (_, k) => ({ symbol: `T${k}`, address: token(1_000 + k), decimals: 18 }))
  const large: Chain = { ...ethereum, tokens }
  const scope = pairScopeOf(large)
  expect(scope.intermediates).toHaveLength(64)
  expect(new Set(scope.intermediates).size).toBe(64)
  expect(scope.intermediates.slice(0, hubs.length)).toEqual(ethereum.hubs)
})

test('a swapped token is paired with every intermediate and the other end, a priced token with the hubs', () => {
  const scope = { hubs: [token(1)], intermediates: [token(1), token(2)] }
  const keys = (pairs: readonly (readonly Address[])[]) => pairs.map((pair) => pair.toSorted().join()).toSorted()
  const [a, b] = [token(8), token(9)]
  const swapped = [
    [a, b],
    ...[1, 2].flatMap((k) => [
      [a, token(k)],
      [b, token(k)],
    ]),
  ]
  expect(pairKeysOf({ groups: [[a, b]] }, scope).toSorted()).toEqual(keys(swapped))
  expect(pairKeysOf({ groups: [[b, a]] }, scope).toSorted()).toEqual(keys(swapped))
  expect(pairKeysOf({ tokens: [a, b] }, scope).toSorted()).toEqual(
    keys([
      [a, token(1)],
      [b, token(1)],
    ]),
  )
  expect(pairsOf([token(1), token(2)], []).map((pair) => pair.toSorted())).toEqual([[token(1), token(2)]])
})
