/** Tests that the contracts that a call reads cannot change what its other reads see. */
import { type Hex, toAddress } from '@sluice/chains'
import { type Anvil, request, startAnvil } from '@sluice/devnet'
import { createRpc, type Rpc } from '@sluice/rpc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Read } from '../src/index.ts'
import { callOverridden, callPlain } from '../src/market/read-calls.ts'

const at = (n: number) => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [HOSTILE, VICTIM, REVERTING, BURNING, EMPTY] = [at(0x10001), at(0x10002), at(0x10003), at(0x10004), at(0x10005)]
const word = (value: number | string): Hex => `0x${BigInt(value).toString(16).padStart(64, '0')}`

/** Code by account. */
const CODES = new Map<string, Hex>([
  // Calls the victim without data, and with so little gas that enough remains for other reads; returns a zero.
  [HOSTILE, `0x6000600060006000600073${VICTIM.slice(2)}61c350f15060206000f3`],
  // Without data: stores 1. With data: returns the stored number.
  [VICTIM, '0x361560105760005460005260206000f35b600160005500'],
  // Reverts with its data.
  [REVERTING, '0x366000600037366000fd'],
  // Uses all gas.
  [BURNING, '0xfe'],
])

let anvil: Anvil
let rpc: Rpc

beforeAll(async () => {
  anvil = await startAnvil()
  rpc = createRpc({ chainId: Number(await request(anvil.url, 'eth_chainId', [])), urls: [anvil.url] })
  for (const [account, code] of CODES) await request(anvil.url, 'anvil_setCode', [account, code])
})
afterAll(async () => {
  rpc?.close()
  await anvil?.stop()
})

const readOf = (to: Read['to'], data: Hex = '0x12345678'): Read => ({ to, data })

test.each([
  ['with overrides', callOverridden],
  ['without overrides', callPlain],
] as const)('%s, a read changes nothing for the reads after it', async (_name, call) => {
  const reads = [HOSTILE, VICTIM, REVERTING, EMPTY, VICTIM].map((to) => readOf(to))
  expect(await call(rpc, 'latest', reads, {})).toEqual([word(0), word(0), null, '0x', word(0)])
})

test('a read that uses all gas is reported as such, so that fewer reads are tried', async () => {
  const reads = [readOf(BURNING), readOf(VICTIM)]
  await expect(callOverridden(rpc, 'latest', reads, {})).rejects.toMatchObject({ code: 'REVERTED' })
})

test('a lens may write, because it is our own code', async () => {
  const [answer] = await callOverridden(rpc, 'latest', [{ ...readOf(at(0x20000)), code: CODES.get(HOSTILE)! }], {})
  expect(answer).toBe(word(0))
  const both = [{ ...readOf(at(0x20000)), code: CODES.get(HOSTILE)! }, readOf(VICTIM)]
  expect(await callOverridden(rpc, 'latest', both, {})).toEqual([word(0), word(1)])
})
