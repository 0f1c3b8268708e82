/** Tests which balance shows that a pool of a sampled twin has traded. */
import { IERC20__factory, ProgramLens__factory } from '@sluice/bindings'
import { type Address, type DexRow, toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import type { DexFamily, Pool } from '../../family.ts'
import { poolStep } from './pool-step.ts'
import { sampledTwin, toExact, toTwin } from './sampled-twin.ts'

const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [TOKEN0, TOKEN1, POOL, VAULT] = [at(1), at(2), at(3), at(4)]
const exact = { id: 'test', step: poolStep('uniswap-v3') } as unknown as DexFamily
const row = { family: 'test-sampled', brand: 'brand sampled', address: at(9) } as DexRow
const lens = ProgramLens__factory.createInterface()
const erc20 = IERC20__factory.createInterface()

const exactPool = (fixed: unknown): Pool<null> => ({
  ...{ id: POOL, family: 'test', dex: 'brand', address: POOL, tokens: [TOKEN0, TOKEN1], state: null, fixed },
})
function watchedHolder(fixed: unknown): Address {
  const pool = toTwin(row, exactPool(fixed))!
  const { value } = sampledTwin(exact).readStates(row, [pool]).next([])
  const [read] = value as readonly { readonly data: string }[]
  const [{ viewed, viewData }] = lens.decodeFunctionData('sample', read!.data)
  expect(toAddress(viewed)).toBe(TOKEN0)
  return toAddress(erc20.decodeFunctionData('balanceOf', viewData)[0])
}

test('the balance of the vault is watched if the family has one, otherwise that of the pool', () => {
  expect(watchedHolder({ vault: VAULT })).toBe(VAULT)
  expect(watchedHolder({ other: VAULT })).toBe(POOL)
  expect(watchedHolder(undefined)).toBe(POOL)
})

test('a pool keeps its facts on the way to the twin and back, and has at most four tokens', () => {
  const exactRow = { family: 'test', brand: 'brand', address: at(9) } as DexRow
  const pool = exactPool({ vault: VAULT })
  const twin = toTwin(row, pool)!
  expect(twin).toMatchObject({ family: 'test-sampled', dex: 'brand sampled', id: POOL, tokens: [TOKEN0, TOKEN1] })
  expect(toExact(exactRow, twin)).toEqual(pool)
  const wide = (count: number) => ({ ...pool, tokens: Array.from({ length: count }, (_, k) => at(k + 1)) })
  expect([toTwin(row, wide(4)) === null, toTwin(row, wide(5)) === null]).toEqual([false, true])
})
