/** Tests which pools lend the input of a simulation, and which addresses are refused as tokens. */
import { type Address, toAddress } from '@sluice/chains'
import { SimulationError, type SimulationRequest, simulateSwap } from '@sluice/simulation'
import { beforeEach, expect, test, vi } from 'vitest'
import { Simulator } from './simulator.ts'

vi.mock('@sluice/simulation', async (original) => ({ ...(await original<object>()), simulateSwap: vi.fn() }))

const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [A, B, C] = [at(0xa), at(0xb), at(0xc)]
const simulated = vi.mocked(simulateSwap)
const { signal } = new AbortController()
const request = { tokenIn: A, tokenOut: B, block: { blockHash: '0x07' }, signal } as unknown as SimulationRequest
const unknownSlots = new SimulationError('UNKNOWN_SLOTS', 'no slots')

function simulatorOf(pools: readonly { readonly address: Address; readonly tokens: readonly Address[] }[] = []) {
  const ensure = vi.fn(async () => ({ pools: new Map(pools.map((pool) => [pool.address, pool])) }))
  const checkTokens = vi.fn(async () => {})
  const notTokens = new Set<Address>()
  const tokens = { isToken: (token: Address) => !notTokens.has(token) }
  const parts = { rpc: { chainId: 1 }, market: { ensure, checkTokens, tokens } }
  const context = {}
  const simulator = new Simulator({ parts: () => parts, context } as never)
  return { simulator, ensure, checkTokens, notTokens, parts, context }
}
beforeEach(() => void simulated.mockReset().mockResolvedValue('paid' as never))

test('a swap of a token with known slots is simulated once, without looking for pools', async () => {
  const { simulator, ensure, parts, context } = simulatorOf()
  expect(await simulator.run(request)).toBe('paid')
  expect(simulated.mock.calls).toEqual([[parts.rpc, request, context]])
  expect(ensure).not.toHaveBeenCalled()
})

test('up to three pools lend a token whose slots are unknown, but not those of the swap', async () => {
  simulated.mockRejectedValueOnce(unknownSlots)
  const tokensByPool = [
    [A, B],
    [B, C],
    [C, A],
    [A, C],
    [A, B],
    [A, B],
  ]
  const { simulator, ensure } = simulatorOf(tokensByPool.map((tokens, k) => ({ address: at(k + 1), tokens })))
  expect(await simulator.run(request, new Set([at(1)]))).toBe('paid')
  expect(simulated.mock.calls[1]![1]).toEqual({ ...request, holders: [at(3), at(4), at(5)] })
  expect(ensure).toHaveBeenCalledWith([A], { signal })
  simulated.mockRejectedValueOnce(unknownSlots)
  const { signal: _, ...unlimited } = request
  await simulator.run(unlimited)
  expect(simulated.mock.calls[3]![1].holders).toEqual([at(1), at(3), at(4)])
  expect(ensure).toHaveBeenLastCalledWith([A], {})
})

test('without such a pool, and for any other reason, the simulation fails as it did', async () => {
  const { simulator, ensure } = simulatorOf([{ address: at(1), tokens: [A, B] }])
  simulated.mockRejectedValueOnce(unknownSlots)
  await expect(simulator.run(request, new Set([at(1)]))).rejects.toBe(unknownSlots)
  expect(simulated).toHaveBeenCalledTimes(1)
  ensure.mockClear()
  for (const error of [new SimulationError('BAD_TOKEN', 'no'), new Error('down')]) {
    simulated.mockRejectedValueOnce(error)
    await expect(simulator.run(request)).rejects.toBe(error)
  }
  expect(ensure).not.toHaveBeenCalled()
})

test('an address that is no token is refused before the simulation, unless its state is known', async () => {
  const { simulator, checkTokens, notTokens } = simulatorOf()
  const { signal: _, ...newest } = { ...request, block: 'latest' } as SimulationRequest
  await simulator.run({ ...newest, signal })
  expect(checkTokens).toHaveBeenCalledWith([A, B], { signal })
  await simulator.run(newest)
  expect(checkTokens).toHaveBeenLastCalledWith([A, B], undefined)
  for (const [name, token] of [
    ['tokenIn', A],
    ['tokenOut', B],
  ] as const) {
    notTokens.add(token)
    await expect(simulator.run(newest)).rejects.toMatchObject({
      ...{ code: 'BAD_TOKEN', message: expect.stringContaining(`${name} ${token}`) },
    })
    notTokens.delete(token)
  }
  notTokens.add(A)
  checkTokens.mockClear()
  // At past blocks it is not known whether the token existed.
  expect(await simulator.run(request)).toBe('paid')
  expect(await simulator.run({ ...newest, knownState: {} } as SimulationRequest)).toBe('paid')
  expect(checkTokens).not.toHaveBeenCalled()
})
