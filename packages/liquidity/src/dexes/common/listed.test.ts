/** Tests which pools of a pool list are accepted. */
import { type Address, toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import type { ListedPool, Pool } from '../../family.ts'
import { isIntegerIn, proveByKey, validPairOf } from './listed.ts'

const [a, b] = ['a', 'b'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [Address, Address]

test('a pair has two different addresses', () => {
  expect(validPairOf([b, a])).toEqual([b, a])
  for (const tokens of [[a, a], [a], [a, b, a], ['0x1', a], [a, 'b']])
    expect(validPairOf(tokens as Address[])).toBeNull()
  expect(validPairOf([a, `0x${'A'.repeat(40)}` as Address])).toBeNull()
})

test('a number of a list must be an integer within its limits', () => {
  expect([0, 1, 5, 6, 2.5, '3', null, Number.NaN].map((value) => isIntegerIn(value, 1, 5))).toEqual([
    ...[false, true, true, false, false, false, false, false],
  ])
})

test('a listed pool is proven by the id of its key, and by its existence on chain', () => {
  const listed = ['genuine', 'forged', 'missing', 'refused'].map((id) => ({ id })) as unknown as ListedPool[]
  const toPool = ({ id }: ListedPool) =>
    id === 'refused' ? null : ({ id: id === 'forged' ? 'genuine' : id } as unknown as Pool<null>)
  let candidateIds: readonly string[] = []
  const proof = proveByKey(listed, toPool, function* (candidates) {
    candidateIds = candidates.map(({ id }) => id)
    yield []
    return candidates.filter(({ id }) => id === 'genuine')
  })
  proof.next([])
  const { value } = proof.next([])
  expect(candidateIds).toEqual(['genuine', 'missing'])
  expect(value).toEqual([{ id: 'genuine' }, null, null, null])
})
