/** Tests of the swaps in real logs of recorded transactions. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadRegistry, toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import { type MinedTransaction, swapsOf, topTokens } from './swaps.ts'

type Name = 'v3' | 'v4Native' | 'ambient' | 'echodex' | 'lending' | 'marketMaker'

const file = join(import.meta.dirname, 'transactions.json')
const transactions = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<Name, MinedTransaction>>
const registry = loadRegistry()
const [ETHEREUM, LINEA, SCROLL] = [1, 59_144, 534_352]

const read = (name: Name, chainId: number) =>
  swapsOf(transactions[name], registry.chain(chainId)!.wrappedNative!.address).map(({ kind, pool, tokens }) => {
    return { kind, pool, tokens }
  })

test('an event is one swap, and the contract that trades with the pool is none', () => {
  expect(read('v3', ETHEREUM)).toEqual([
    {
      kind: 'Uniswap V3',
      pool: '0x9db9e0e53058c89e5b94e29621a205198648425b',
      tokens: ['0x2260fac5e5542a773aa44fbcfedf7c193bc2c599', '0xdac17f958d2ee523a2206206994597c13d831ec7'],
    },
  ])
})

test('a pool inside a contract is named by its id, also if it trades the native token', () => {
  const pool = '0x00b9edc1583bf6ef09ff3a09f6c23ecb57fd7d0bb75625717ec81eed181e22d7'
  expect(read('v4Native', ETHEREUM)).toEqual([{ kind: 'Uniswap V4', pool, tokens: null }])
  const [swap] = swapsOf(transactions.v4Native, null)
  expect(swap).toMatchObject({ contract: '0x000000000004444c5dc75cb358380d2e3de08a90', feePpm: expect.any(Number) })
})

test('an event without topics of tokens leaves them open', () => {
  const pool = '0xaaaaaaaacb71bf2c8cae522ea5fa455571a74106'
  expect(read('ambient', SCROLL)).toEqual([{ kind: 'Ambient', pool, tokens: null }])
})

test('a pair without a known event is found by its reserves', () => {
  expect(read('echodex', LINEA)).toEqual([
    {
      kind: 'pair of another kind',
      pool: '0x7de2b2b6ad99d83f97ad3ea24bb36d2f5b800e00',
      tokens: ['0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f', '0x7d43aabc515c356145049227cee54b608342c0ad'],
    },
  ])
})

test('a deposit that pays shares of the contract itself is no swap', () => {
  expect(read('lending', LINEA)).toEqual([])
})

test('of two accounts that trade with each other, one is counted, and as unknown', () => {
  expect(read('marketMaker', ETHEREUM)).toMatchObject([{ kind: 'unknown' }])
})

test('a log with a known topic and without its pool is no swap', () => {
  const { logs, ...transaction } = transactions.v4Native
  const short = logs.map((log) => ({ ...log, topics: log.topics.slice(0, 1) }))
  expect(swapsOf({ ...transaction, logs: short }, null)).toEqual([])
})

test('tokens are ranked by their swaps, and by address if those are equal', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [never, never, never]
  expect(topTokens([{ tokens: [c, b] }, { tokens: [c, a] }], 2)).toEqual([c, a])
})
