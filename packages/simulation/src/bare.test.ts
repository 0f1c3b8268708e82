import { BalanceProbe__factory } from '@sluice/bindings'
import { bytecode } from '@sluice/bindings/bytecode'
import { type Address, type Hex, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { CallOptions, CallRequest, Rpc, SimulatedTransaction } from '@sluice/rpc'
import { AbiCoder, id } from 'ethers'
import { expect, test } from 'vitest'
import type { CallEnvironment } from './attempt.ts'
import { runBare } from './bare.ts'
import type { SetUp } from './setup.ts'
import type { SimulationRequest } from './types.ts'

const addressOf = (digit: string): Address => toAddress(`0x${digit.repeat(40)}`)
const [from, to, tokenIn, tokenOut, spender, holder, miner] = [...'1234568'].map(addressOf) as [
  ...[Address, Address, Address, Address, Address, Address, Address],
]
const PROBE = '0x5177ce0000000000000000000000000000000006' as Address
const probe = BalanceProbe__factory.createInterface()
const abi = AbiCoder.defaultAbiCoder()
/** Intrinsic gas of two bytes, one of them zero. */
const INTRINSIC = 21_000n + 16n + 4n

const request: SimulationRequest = { from, to, data: '0xff00', tokenIn, amountIn: 1_000n, tokenOut, block: 'latest' }
const block = { blockHash: `0x${'c'.repeat(64)}` } as const
const environment: CallEnvironment = {
  header: {
    ...{ number: 100, hash: block.blockHash, parentHash: block.blockHash, timestamp: 1_000 },
    ...{ gasLimit: 30_000_000n, baseFeePerGas: 3n, miner },
  },
  block,
  gasPriceWei: 7n,
  blockOverrides: { number: 101, timestamp: 1_012 },
  targetGas: 500_000n,
  defaultTargetGas: 900_000n,
  senderCode: '0x',
}
const setUp: SetUp = {
  writes: new Map([[tokenIn, [{ key: `0x${'a'.repeat(64)}`, value: `0x${'b'.repeat(64)}` }]]]),
  balance: 1_000n,
  approvalAmount: 0n,
  ways: { balance: 'slot', allowance: 'slot' },
}

const simulated = (changed: Partial<SimulatedTransaction> = {}): SimulatedTransaction => {
  return { success: true, returnData: '0x', gasUsed: 100_000n, maxUsedGas: undefined, transfers: [], ...changed }
}
const balancesOf = (tokenOutAmount: bigint, tokenInAmount = 1_000n): SimulatedTransaction => {
  const reading = (amount: bigint) => ({ ok: true, amount })
  const balances = { tokenIn: reading(tokenInAmount), allowance: reading(1_000n), tokenOut: reading(tokenOutAmount) }
  return simulated({ returnData: probe.encodeFunctionResult('read', [balances]) as Hex })
}

type Change = {
  readonly request?: Partial<SimulationRequest>
  readonly environment?: Partial<CallEnvironment>
  readonly setUp?: Partial<SetUp>
}

async function run(
  main: SimulatedTransaction | undefined,
  change: Change = {},
  [first, last] = [balancesOf(50n), balancesOf(80n)],
) {
  const sent: { calls: readonly CallRequest[]; at: unknown; options: CallOptions }[] = []
  const rpc = {
    simulateV1: async (calls: readonly CallRequest[], at: unknown, options: CallOptions) => {
      sent.push({ calls, at, options })
      const prepared = calls
        .slice(
          0,
          calls.findIndex((call) => call.to === PROBE),
        )
        .map(() => simulated())
      return [...prepared, first, ...(main ? [main, last] : [])]
    },
  } as unknown as Rpc
  const report = await runBare({
    rpc,
    request: { ...request, ...change.request },
    environment: { ...environment, ...change.environment },
    setUp: { ...setUp, ...change.setUp },
    options: { timeoutMs: 9 },
  })
  return { report, ...sent[0]! }
}

test('the transaction stands between two readings, with its gas, its price and its balance', async () => {
  const { calls, at, options, report } = await run(simulated({ maxUsedGas: 120_000n, returnData: '0xabcd' }))
  const reading = { from: PROBE, to: PROBE, data: expect.any(String), gas: 4_000_000n }
  const gas = 500_000n + INTRINSIC
  expect(calls).toEqual([reading, { from, to, data: '0xff00', value: 0n, gas, gasPrice: 7n }, reading])
  const input = [...probe.decodeFunctionData('read', calls[0]!.data)].map((value) => String(value).toLowerCase())
  expect(input).toEqual([from, tokenIn, tokenOut, to, from])
  expect(at).toBe(block)
  expect(options).toEqual({
    timeoutMs: 9,
    overrides: {
      [tokenIn]: { stateDiff: { [`0x${'a'.repeat(64)}`]: `0x${'b'.repeat(64)}` } },
      [PROBE]: { code: bytecode.BalanceProbe.runtime },
      [from]: { balance: gas * 7n },
    },
    blockOverrides: { number: 101, timestamp: 1_012 },
  })
  expect(report).toMatchObject({
    ...{ success: true, returnData: '0xabcd', gasLimit: gas, chargedGas: 100_000, amountOut: 30n },
    gasUsed: Number(120_000n - INTRINSIC),
  })
  expect(report.balancesBefore.tokenIn.amount).toBe(1_000n)
})

test('writes to the storage of the sender itself are kept beside its balance', async () => {
  const writes = new Map([[from, [{ key: `0x${'a'.repeat(64)}`, value: `0x${'b'.repeat(64)}` } as const]]])
  const { options } = await run(simulated(), { setUp: { writes } })
  expect(options.overrides?.[from]).toEqual({
    stateDiff: { [`0x${'a'.repeat(64)}`]: `0x${'b'.repeat(64)}` },
    balance: (500_000n + INTRINSIC) * 7n,
  })
})

test('without a price none is sent, and gas before refunds is absent where the node does not report it', async () => {
  const { calls, options, report } = await run(simulated(), { environment: { gasPriceWei: 0n } })
  expect(calls[1]).not.toHaveProperty('gasPrice')
  expect(options.overrides?.[from]).toEqual({ balance: 0n })
  expect(report.gasUsed).toBeUndefined()
  expect((await run(simulated(), { environment: { gasPriceWei: 1n } })).calls[1]).toHaveProperty('gasPrice', 1n)
})

test('native input is sent along, and counts as the balance before', async () => {
  const ways = { balance: 'native', allowance: 'none' } as const
  const { calls, options, report } = await run(simulated(), {
    request: { tokenIn: NATIVE },
    setUp: { balance: 77n, ways },
  })
  expect(calls[1]).toHaveProperty('value', 77n)
  expect(options.overrides?.[from]).toEqual({ balance: 77n + (500_000n + INTRINSIC) * 7n })
  expect(probe.decodeFunctionData('read', calls[0]!.data)[1]).toBe(ZERO_ADDRESS)
  expect(report.balancesBefore.tokenIn).toEqual({ ok: true, amount: 77n })
})

test('a coinbase is set where it is another than that of the block', async () => {
  const other = addressOf('9')
  const { options } = await run(simulated(), { request: { coinbase: other } })
  expect(options.blockOverrides).toEqual({ number: 101, timestamp: 1_012, coinbase: other })
  const same = await run(simulated(), { request: { coinbase: miner } })
  expect(same.options.blockOverrides).toEqual({ number: 101, timestamp: 1_012 })
})

const encoded = (signature: string, ...values: readonly unknown[]) =>
  id(`${signature}(address,uint256)`).slice(0, 10) + abi.encode(['address', 'uint256'], values).slice(2)

test('a loan, and an approval after a reset, are transactions of their own before the first reading', async () => {
  const change = { request: { spender }, setUp: { approvalAmount: 8n, loan: { holder, amount: 9n } } }
  const { calls, report } = await run(simulated(), change)
  const call = (sender: Address, data: string) => ({ from: sender, to: tokenIn, data, gas: 1_000_000n })
  expect(calls.slice(0, 3)).toEqual([
    call(holder, encoded('transfer', from, 9n)),
    call(from, encoded('approve', spender, 0n)),
    call(from, encoded('approve', spender, 8n)),
  ])
  expect(calls).toHaveLength(6)
  expect(String(probe.decodeFunctionData('read', calls[3]!.data)[3]).toLowerCase()).toBe(spender)
  expect(report.amountOut).toBe(30n)
  expect((await run(simulated(), { setUp: { approvalAmount: 8n } })).calls[0]).toEqual(
    call(from, encoded('approve', to, 0n)),
  )
})

test('the output is the growth of the balance of a success, and never below zero', async () => {
  const amountOf = async (main: SimulatedTransaction, last: bigint) =>
    (await run(main, {}, [balancesOf(50n), balancesOf(last)])).report.amountOut
  expect(await amountOf(simulated(), 51n)).toBe(1n)
  expect(await amountOf(simulated(), 50n)).toBe(0n)
  expect(await amountOf(simulated(), 49n)).toBe(0n)
  expect(await amountOf(simulated({ success: false }), 80n)).toBe(0n)
})

test('native output is what transfers bring, less what they take', async () => {
  const transfers = [
    { from: to, to: from, amount: 100n },
    { from, to, amount: 30n },
    { from, to: from, amount: 500n },
    { from: to, to: holder, amount: 7n },
  ]
  const { report, calls } = await run(simulated({ transfers }), { request: { tokenOut: NATIVE } })
  expect(report.amountOut).toBe(70n)
  expect(probe.decodeFunctionData('read', calls[0]!.data)[2]).toBe(ZERO_ADDRESS)
})

test('balances that cannot be read are a refusal', async () => {
  const expected = { code: 'REJECTED', message: 'eth_simulateV1: balances cannot be read' }
  const failed = simulated({ success: false })
  await expect(run(undefined)).rejects.toMatchObject(expected)
  await expect(run(simulated(), {}, [failed, balancesOf(1n)])).rejects.toMatchObject(expected)
  await expect(run(simulated(), {}, [balancesOf(1n), failed])).rejects.toMatchObject(expected)
})

test('a node that ignores the code of the probe, and so returns nothing, refuses too', async () => {
  const expected = { code: 'REJECTED', message: 'eth_simulateV1: balances cannot be read' }
  for (const returnData of ['0x', '0x00', `0x${'0'.repeat(64)}`] as const) {
    const read = simulated({ returnData })
    await expect(run(simulated(), {}, [read, balancesOf(80n)])).rejects.toMatchObject(expected)
    await expect(run(simulated(), {}, [balancesOf(50n), read])).rejects.toMatchObject(expected)
  }
})
