import { type Hex, toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import { RpcError } from '../errors.ts'
import type { CallRequest, Rpc } from '../types.ts'
import { callOracle, isUpgradeActive, oracles } from './oracle.ts'

const to = toAddress(`0x${'1'.repeat(40)}`)
const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`

/** A fake chain whose calls are answered by `respond`. */
function chain(respond: () => Hex) {
  const calls: unknown[] = []
  const rpc = {
    call: async (request: CallRequest, ...rest: unknown[]) => {
      calls.push([request, ...rest])
      return respond()
    },
  } as unknown as Rpc
  return { rpc, calls }
}

test('a contract is called at the block, and an empty result is no answer', async () => {
  const { rpc, calls } = chain(() => word(5))
  const options = { timeoutMs: 7 }
  expect(await callOracle(rpc, to, '0x12', 9, options)).toBe(word(5))
  expect(calls).toEqual([[{ to, data: '0x12' }, 9, options]])
  expect(await callOracle(chain(() => '0x').rpc, to, '0x12', 9)).toBeNull()
})

test('a contract without the function has no answer, and other errors are rethrown', async () => {
  const failing = (error: Error) =>
    chain(() => {
      throw error
    }).rpc
  expect(await callOracle(failing(new RpcError('REVERTED', 'no')), to, '0x', 9)).toBeNull()
  const late = new RpcError('TIMEOUT', 'late')
  await expect(callOracle(failing(late), to, '0x', 9)).rejects.toBe(late)
  const broken = Object.assign(new Error('broken'), { code: 'REVERTED' })
  await expect(callOracle(failing(broken), to, '0x', 9)).rejects.toBe(broken)
})

test('a flag is asked for until it is set', async () => {
  const answers: Hex[] = ['0x', word(0), word(2), word(1)]
  const { rpc, calls } = chain(() => answers.shift()!)
  const read = () => isUpgradeActive(rpc, to, '0xf1', 9)
  expect([await read(), await read(), await read()]).toEqual([false, false, false])
  expect([await read(), await read(), await read()]).toEqual([true, true, true])
  expect(calls).toHaveLength(4)
})

test('each flag of each connection is remembered by itself', async () => {
  const answers: Hex[] = [word(1), word(0), word(1)]
  const { rpc } = chain(() => answers.shift()!)
  expect(await isUpgradeActive(rpc, to, '0xf1', 9)).toBe(true)
  expect(await isUpgradeActive(rpc, to, '0xf2', 9)).toBe(false)
  expect(await isUpgradeActive(rpc, to, '0xf2', 9)).toBe(true)
  expect(await isUpgradeActive(rpc, to, '0xf1', 9)).toBe(true)
  expect(await isUpgradeActive(chain(() => word(0)).rpc, to, '0xf1', 9)).toBe(false)
})

test('the oracles count the transaction in the form of their chain', () => {
  expect(Object.entries(oracles).map(([model, { form }]) => [model, form])).toEqual([
    ['op-stack', 'unsigned'],
    ['mantle', 'unsigned'],
    ['metis', 'legacy'],
    ['scroll', 'signed'],
    ['morph', 'signed'],
  ])
})
