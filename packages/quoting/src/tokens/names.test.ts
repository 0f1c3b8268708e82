/** Tests of the cache of names, with the contracts of tokens in memory. */
import { ReadBatch__factory } from '@sluice/bindings'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { batchedReads } from '@sluice/liquidity/testing'
import type { Rpc } from '@sluice/rpc'
import { AbiCoder } from 'ethers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { TokenNames } from './names.ts'

const [A, B, SILENT] = ['a', 'b', 'c'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [Address, Address, Address]
const batch = ReadBatch__factory.createInterface()
const text = (value: string) => AbiCoder.defaultAbiCoder().encode(['string'], [value]) as Hex
const contracts: Readonly<Record<Address, Readonly<Record<string, Hex>>>> = {
  [A]: { '0x06fdde03': text('Token A'), '0x95d89b41': text('AAA') },
  [B]: { '0x95d89b41': text('BBB') },
}

function node() {
  const reads: string[][] = []
  const call = async ({ data }: { data: Hex }) => {
    const calls = batchedReads(data)
    reads.push(calls.map((read) => `${read.to} ${read.data}`))
    const results = calls.map((read) => {
      const answer = contracts[read.to]?.[read.data]
      return { ok: answer !== undefined, data: answer ?? '0x' }
    })
    return batch.encodeFunctionResult('run', [results]) as Hex
  }
  return { rpc: { call } as unknown as Rpc, reads }
}

test('names and symbols are read once for each token, and null if a contract has none', async () => {
  const { rpc, reads } = node()
  const names = new TokenNames()
  expect(names.get(A)).toBeUndefined()
  await names.read([A, B], rpc)
  expect([names.get(A), names.get(B)]).toEqual([
    { name: 'Token A', symbol: 'AAA' },
    { name: null, symbol: 'BBB' },
  ])
  await names.read([A, SILENT, B], rpc)
  expect(reads.flat().filter((read) => read.startsWith(A))).toHaveLength(2)
  expect(names.get(A)).toEqual({ name: 'Token A', symbol: 'AAA' })
  expect(names.get(SILENT)).toEqual({ name: null, symbol: null })
  expect(names.count.entries).toBe(3)
})

test('a token without a symbol is read again after a minute, since the node may not have had it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000)
  onTestFinished(() => {
    vi.useRealTimers()
    clock.mockRestore()
  })
  const { rpc, reads } = node()
  const names = new TokenNames()
  const readCounts: number[] = []
  for (const ms of [0, 59_000, 2_000, 3_600_000]) {
    clock.mockReturnValue(performance.now() + ms)
    // The cache reads the clock once a millisecond.
    vi.advanceTimersByTime(1)
    await names.read([A, SILENT], rpc)
    readCounts.push(reads.flat().length)
  }
  expect(readCounts).toEqual([4, 4, 6, 8])
  expect(reads.flat().filter((read) => read.startsWith(A))).toHaveLength(2)
})
