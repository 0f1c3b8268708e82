import { type Hex, toAddress } from '@sluice/chains'
import { RpcError } from '@sluice/rpc'
import { expect, test } from 'vitest'
import type { TokenReader } from './reader.ts'
import { SlotResolver } from './resolver.ts'

const token = toAddress(`0x${'7'.repeat(40)}`)

/** Creates a reader of a token whose layout cannot be found. The token has no code if `code` is `0x`. */
function readerOf(node: { isUp: boolean; reads: number; code?: Hex }): TokenReader {
  const answer = async <T>(value: T): Promise<T> => {
    if (!node.isUp) throw new RpcError('UNREACHABLE', 'no connection')
    return value
  }
  return {
    token,
    readOwners: (count: number) => answer(Array.from({ length: count }, () => ({ balance: null, allowance: null }))),
    readStorage: (_: unknown, slots: readonly bigint[]) => answer(slots.map(() => 0n)),
    readCode: () => {
      node.reads++
      return answer<Hex>(node.code ?? '0x6001')
    },
    touchedAccounts: () => answer([]),
    rpc: { request: () => answer(null) },
  } as unknown as TokenReader
}

test('a node failure is not remembered as the layout of the token', async () => {
  const node = { isUp: false, reads: 0 }
  const resolver = new SlotResolver()
  await expect(resolver.layout(readerOf(node))).rejects.toMatchObject({ code: 'UNREACHABLE' })
  node.isUp = true
  expect(await resolver.layout(readerOf(node))).toEqual({})
  expect(node.reads).toBe(2)
})

test('callers at the same time share one resolution, and its result is remembered', async () => {
  const node = { isUp: true, reads: 0 }
  const resolver = new SlotResolver()
  await Promise.all([1, 2, 3].map(() => resolver.layout(readerOf(node))))
  await resolver.layout(readerOf(node))
  expect(node.reads).toBe(1)
  expect(resolver.statistics).toMatchObject({ hits: 3, misses: 1 })
  resolver.forget(token)
  await resolver.layout(readerOf(node))
  expect(node.reads).toBe(2)
})

test('a learned layout is used until it is forgotten', async () => {
  const node = { isUp: true, reads: 0 }
  const resolver = new SlotResolver()
  const layout = { allowance: { order: 'solidity', base: 1n, contract: token } } as const
  resolver.learn(token, layout)
  expect(await resolver.layout(readerOf(node))).toBe(layout)
  resolver.forget(token)
  expect(await resolver.layout(readerOf(node))).toEqual({})
})

test('a transfer confirms the layout that it used, of this token and account, and no later one', () => {
  const resolver = new SlotResolver()
  const [account, other] = [toAddress(`0x${'8'.repeat(40)}`), toAddress(`0x${'9'.repeat(40)}`)]
  const [layout, later] = [1n, 2n].map((base) => ({ allowance: { order: 'solidity', base, contract: token } }) as const)
  resolver.recordTransfer(token, account, layout!)
  expect(resolver.hasTransferred(token, account, layout!)).toBe(true)
  expect(resolver.hasTransferred(token, account, later!)).toBe(false)
  expect(resolver.hasTransferred(token, other, layout!)).toBe(false)
  expect(resolver.hasTransferred(other, account, layout!)).toBe(false)
})

test('the layout of a token without code is searched again', async () => {
  const node = { isUp: true, reads: 0, code: '0x' as Hex }
  const resolver = new SlotResolver()
  expect(await Promise.all([1, 2].map(() => resolver.layout(readerOf(node))))).toEqual([{}, {}])
  expect(node.reads).toBe(1)
  node.code = '0x6001'
  await resolver.layout(readerOf(node))
  expect(node.reads).toBe(2)
  await resolver.layout(readerOf(node))
  expect(node.reads).toBe(2)
})
