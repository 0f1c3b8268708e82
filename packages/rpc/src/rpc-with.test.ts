import { expect, test } from 'vitest'
import { rpcWith } from './rpc-with.ts'
import type { Rpc } from './types.ts'

/** Number of parameters of each method, options included. */
const PARAMETERS = {
  ...{ request: 3, call: 3, callWithHead: 3, simulateV1: 3, getBlock: 2, getLogs: 2, getCode: 3, gasPrice: 1 },
  ...{ health: 0, close: 0 },
} as const
const NAMES = Object.keys(PARAMETERS) as (keyof typeof PARAMETERS)[]

/** Client whose methods return their name and arguments. */
function recording(): Rpc {
  const methods = NAMES.map((name) => [name, (...args: readonly unknown[]) => [name, ...args]])
  return { chainId: 5, ...Object.fromEntries(methods) } as Rpc
}

function resultOf(rpc: Rpc, name: keyof typeof PARAMETERS): unknown {
  const args = Array.from({ length: PARAMETERS[name] }, (_, k) => `argument ${k}`)
  return (rpc[name] as (...args: readonly unknown[]) => unknown)(...args)
}

test('every method of the client is passed on, with all of its arguments', () => {
  const rpc = recording()
  const wrapped = rpcWith(rpc, {})
  expect(Object.keys(wrapped).sort()).toEqual(Object.keys(rpc).sort())
  expect(wrapped.chainId).toBe(5)
  for (const name of NAMES) expect(resultOf(wrapped, name), name).toEqual(resultOf(rpc, name))
})

test('a method that is replaced is the new one, and all others stay', async () => {
  const rpc = recording()
  const wrapped = rpcWith(rpc, { gasPrice: async () => 7n })
  expect(await wrapped.gasPrice()).toBe(7n)
  for (const name of NAMES.filter((other) => other !== 'gasPrice'))
    expect(resultOf(wrapped, name), name).toEqual(resultOf(rpc, name))
})
