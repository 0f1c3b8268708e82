import { GasProbe__factory } from '@sluice/bindings'
import { bytecode } from '@sluice/bindings/bytecode'
import { type Address, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { type BlockHeader, type CallOptions, type CallRequest, type Rpc, RpcError } from '@sluice/rpc'
import { AbiCoder, keccak256, toBeHex } from 'ethers'
import { expect, test } from 'vitest'
import { createSimulationContext } from './context.ts'
import { SimulationError } from './errors.ts'
import { type HopToMeasure, measureHops } from './hop-gas.ts'
import type { Mapping } from './slots/mapping.ts'
import type { Shape } from './slots/shape.ts'

const addressOf = (digit: string): Address => toAddress(`0x${digit.repeat(40)}`)
const [guard, executor, token, other, holder] = [...'12345'].map(addressOf) as [
  Address,
  Address,
  Address,
  Address,
  Address,
]
const RECIPIENT = '0x5177ce0000000000000000000000000000000007'
const probe = GasProbe__factory.createInterface()
const block: BlockHeader = {
  ...{ number: 100, hash: `0x${'c'.repeat(64)}`, parentHash: `0x${'b'.repeat(64)}`, timestamp: 1_000 },
  ...{ gasLimit: 30_000_000n, baseFeePerGas: 3n, miner: holder },
}
const keyOf = (base: bigint) =>
  keccak256(AbiCoder.defaultAbiCoder().encode(['address', 'uint256'], [guard, base])) as Hex
const WHOLE: Shape = { kind: 'plain', shift: 0, width: 256 }

function layoutOf(contract: Address, base: bigint, shape: Shape = WHOLE) {
  const mapping: Mapping = { order: 'solidity', base, contract }
  return { balance: { mapping, shape } }
}

const hop: HopToMeasure = { token, amount: 1_000n, holder: null, tokenOut: other, program: '0x1234' }
const LAYOUTS = new Map([
  [token, layoutOf(token, 0n)],
  [other, layoutOf(other, 5n)],
])

async function measure(
  hops: readonly HopToMeasure[],
  gasUsed: readonly bigint[],
  layouts: ReadonlyMap<Address, object | Error> = LAYOUTS,
) {
  const context = createSimulationContext({ timeoutMs: 77, blockIntervalMs: 12_000 })
  context.slots.layout = async (reader) => {
    expect(reader.options).toEqual({ timeoutMs: 77, priority: 'background' })
    expect(reader.block).toEqual({ blockHash: block.hash })
    const layout = layouts.get(reader.token) ?? {}
    if (layout instanceof Error) throw layout
    return layout
  }
  const calls: { call: CallRequest; at: unknown; options: CallOptions }[] = []
  const rpc = {
    call: async (call: CallRequest, at: unknown, options: CallOptions) => {
      calls.push({ call, at, options })
      return probe.encodeFunctionResult('run', [gasUsed])
    },
  } as unknown as Rpc
  const gas = await measureHops(rpc, { guard, executor, block, hops }, context)
  return { gas, calls }
}

/** Word that is written for the balance of the Guard. */
const wordOf = ({ options }: { options: CallOptions }, contract: Address, base: bigint) =>
  options.overrides?.[contract]?.stateDiff?.[keyOf(base)]

test('hops are run by the probe at the Guard, in the next block and without a base fee', async () => {
  const { gas, calls } = await measure([hop, { ...hop, holder, tokenOut: ZERO_ADDRESS }], [50_000n, 60_000n])
  expect(gas).toEqual([50_000, 60_000])
  expect(calls).toHaveLength(1)
  const [{ call, at, options }] = calls as [(typeof calls)[0]]
  expect(at).toEqual({ blockHash: block.hash })
  expect(call).toMatchObject({
    from: guard,
    to: guard,
    gas: 40_000_000n + 21_000n + BigInt(call.data.length / 2 - 1) * 16n,
  })
  expect(options).toMatchObject({ timeoutMs: 77, priority: 'background' })
  expect(options.blockOverrides).toEqual({ number: 101, timestamp: 1_012, baseFeePerGas: 0n })
  expect(options.overrides?.[guard]).toEqual({ code: bytecode.GasProbe.runtime, balance: 0n })
  const [runner, limit, hops] = probe.decodeFunctionData('run', call.data)
  expect([runner.toLowerCase(), limit]).toEqual([executor, 2_000_000n])
  expect(hops.map((hop: readonly unknown[]) => [...hop].map((value) => String(value).toLowerCase()))).toEqual([
    [token, '1000', ZERO_ADDRESS, RECIPIENT, '0x1234'],
    [token, '1000', holder, guard, '0x1234'],
  ])
})

test('the Guard has the most that any hop takes of each token, and of the native one', async () => {
  const amounts = [5n, 9n, 7n]
  const { calls } = await measure(
    [token, other, ZERO_ADDRESS].flatMap((sold) => amounts.map((amount) => ({ ...hop, token: sold, amount }))),
    Array.from({ length: 9 }, () => 50_000n),
  )
  expect(wordOf(calls[0]!, token, 0n)).toBe(toBeHex(9n, 32))
  expect(wordOf(calls[0]!, other, 5n)).toBe(toBeHex(9n, 32))
  expect(calls[0]!.options.overrides?.[guard]?.balance).toBe(9n)
  expect(calls[0]!.options.overrides).not.toHaveProperty(ZERO_ADDRESS)
})

test('storage of the Guard itself is kept beside the code of the probe', async () => {
  const { calls } = await measure([hop], [50_000n], new Map([[token, layoutOf(guard, 0n)]]))
  expect(calls[0]!.options.overrides?.[guard]).toEqual({
    stateDiff: { [keyOf(0n)]: toBeHex(1_000n, 32) },
    code: bytecode.GasProbe.runtime,
    balance: 0n,
  })
})

test('a balance stands at its bits, and shares are one percent more than the rate says', async () => {
  const packed = await measure(
    [hop],
    [50_000n],
    new Map([[token, layoutOf(token, 0n, { ...WHOLE, shift: 16, width: 96 })]]),
  )
  expect(wordOf(packed.calls[0]!, token, 0n)).toBe(toBeHex(1_000n * 2n ** 16n, 32))
  const shares: Shape = { kind: 'shares', shift: 0, width: 128, rate: { shares: 3n, units: 2n } }
  const shared = await measure([hop], [50_000n], new Map([[token, layoutOf(token, 0n, shares)]]))
  // 1,500 shares, 15 more, and one for what was rounded down.
  expect(wordOf(shared.calls[0]!, token, 0n)).toBe(toBeHex(1_516n, 32))
})

test('a hop that failed, or took less than the overhead alone, has no gas', async () => {
  const { gas } = await measure([hop, { ...hop }, { ...hop }, { ...hop }], [0n, 1_000n, 1_001n])
  expect(gas).toEqual([null, null, 1_001, null])
})

test('hops of tokens that cannot be set up are left out, in their places', async () => {
  const layouts = new Map<Address, object | Error>([
    [token, layoutOf(token, 0n)],
    [other, {}],
    [holder, new SimulationError('BAD_TOKEN', 'cannot be read')],
    [executor, new RpcError('REVERTED', 'no storage')],
  ])
  const hops = [other, token, holder, ZERO_ADDRESS, executor].map((sold) => ({ ...hop, token: sold }))
  const { gas, calls } = await measure(hops, [50_000n, 60_000n], layouts)
  expect(gas).toEqual([null, 50_000, null, 60_000, null])
  expect(probe.decodeFunctionData('run', calls[0]!.call.data)[2]).toHaveLength(2)
})

test('without a hop that can be run the node is not asked', async () => {
  const { gas, calls } = await measure(
    [
      { ...hop, token: other },
      { ...hop, amount: 0n },
    ],
    [],
    new Map(),
  )
  expect(gas).toEqual([null, null])
  expect(calls).toEqual([])
})

test('a failure of the node is passed on', async () => {
  for (const error of [new RpcError('TIMEOUT', 'too slow'), new TypeError('broken')])
    await expect(measure([hop], [], new Map([[token, error]]))).rejects.toBe(error)
})

test('an amount that the word of a token cannot hold leaves out its hops only', async () => {
  const layouts = new Map([
    [token, layoutOf(token, 0n, { ...WHOLE, shift: 160, width: 96 })],
    [other, layoutOf(other, 5n)],
  ])
  const hops = [
    { ...hop, amount: 2n ** 96n },
    { ...hop, token: other },
  ]
  const { gas, calls } = await measure(hops, [50_000n], layouts)
  expect(gas).toEqual([null, 50_000])
  expect(calls[0]!.options.overrides).not.toHaveProperty(token)
  const largest = await measure([{ ...hop, amount: 2n ** 96n - 1n }], [50_000n], layouts)
  expect(wordOf(largest.calls[0]!, token, 0n)).toBe(toBeHex((2n ** 96n - 1n) << 160n, 32))
})
