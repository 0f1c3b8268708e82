import { BalanceProbe__factory } from '@sluice/bindings'
import { type Hex, toAddress } from '@sluice/chains'
import { type CallRequest, type Rpc, RpcError } from '@sluice/rpc'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BareRuns } from './bare-runs.ts'

const address = toAddress(`0x${'1'.repeat(40)}`)
const other = toAddress(`0x${'2'.repeat(40)}`)
const hash: Hex = `0x${'c'.repeat(64)}`
const reading = { ok: true, amount: 5n }
const balances = BalanceProbe__factory.createInterface().encodeFunctionResult('read', [
  { tokenIn: reading, allowance: reading, tokenOut: reading },
])

function runsOf(node: { error?: Error; maxUsedGas?: bigint }) {
  let calls = 0
  const simulateV1 = async (transactions: readonly CallRequest[]) => {
    calls++
    if (node.error) throw node.error
    const { maxUsedGas } = node
    return transactions.map(() => ({
      success: true,
      returnData: balances,
      gasUsed: 50_000n,
      maxUsedGas,
      transfers: [],
    }))
  }
  const runs = new BareRuns()
  const bare: Parameters<BareRuns['run']>[0] = {
    rpc: { simulateV1 } as unknown as Rpc,
    request: { from: address, to: other, data: '0x', tokenIn: other, amountIn: 5n, tokenOut: other, block: 1 },
    environment: {
      header: {
        ...{ number: 1, hash, parentHash: hash, timestamp: 1, gasLimit: 30_000_000n },
        ...{ baseFeePerGas: null, miner: other },
      },
      ...{
        block: 1,
        gasPriceWei: 0n,
        blockOverrides: {},
        targetGas: 90_000n,
        defaultTargetGas: 90_000n,
        senderCode: '0x',
      },
    },
    setUp: { writes: new Map(), balance: 5n, approvalAmount: 0n, ways: { balance: 'slot', allowance: 'slot' } },
    options: {},
  }
  return { runs, run: () => runs.run(bare), calls: () => calls }
}

let now = 0
beforeEach(() => {
  now = 10_000_000
  vi.spyOn(performance, 'now').mockImplementation(() => now)
})
afterEach(() => {
  vi.restoreAllMocks()
})

test('gas before refunds is remembered as far as the last answer had it', async () => {
  const node: { maxUsedGas?: bigint } = {}
  const { runs, run } = runsOf(node)
  expect(runs.reportsGrossGas).toBe(false)
  expect(await run()).toMatchObject({ success: true, chargedGas: 50_000, gasUsed: undefined })
  expect(runs.reportsGrossGas).toBe(false)
  node.maxUsedGas = 60_000n
  expect(await run()).toMatchObject({ gasUsed: 39_000 })
  expect(runs.reportsGrossGas).toBe(true)
  delete node.maxUsedGas
  await run()
  expect(runs.reportsGrossGas).toBe(false)
})

test.each([
  new RpcError('UNSUPPORTED', 'no'),
  ...[
    ...['the Method is unknown', 'not supported', 'not available', 'not implemented', 'not allowed', 'not whitelisted'],
    ...['eth_simulateV1 does not exist', 'Unsupported request'],
  ].map((message) => new RpcError('REJECTED', message)),
  new RpcError('BAD_ANSWER', 'no such method'),
])('after "$message" ($code) no node is asked for five minutes', async (error) => {
  const node: { error?: Error; maxUsedGas?: bigint } = { maxUsedGas: 60_000n }
  const { runs, run, calls } = runsOf(node)
  await run()
  node.error = error
  expect(runs.isUnsupported).toBe(false)
  expect(await run()).toBeUndefined()
  expect(runs.isUnsupported).toBe(true)
  expect(runs.reportsGrossGas).toBe(false)
  delete node.error
  now += 299_999
  expect(await run()).toBeUndefined()
  expect(calls()).toBe(2)
  now += 1
  expect(runs.isUnsupported).toBe(false)
  expect(await run()).toMatchObject({ success: true })
  expect(calls()).toBe(3)
})

test.each([
  new RpcError('REJECTED', 'insufficient funds for gas'),
  new RpcError('REJECTED', 'not enough'),
  new RpcError('GAS_CAP', 'gas limit too high'),
  new RpcError('BAD_ANSWER', 'cut off'),
])('after "$message" ($code) there is no outcome, but nodes are asked again', async (error) => {
  const node: { error?: Error; maxUsedGas?: bigint } = { maxUsedGas: 60_000n }
  const { runs, run } = runsOf(node)
  await run()
  node.error = error
  expect(await run()).toBeUndefined()
  expect(runs.isUnsupported).toBe(false)
  expect(runs.reportsGrossGas).toBe(true)
})

test('any other failure is passed on, whatever its words', async () => {
  for (const error of [new RpcError('TIMEOUT', 'method timed out'), new TypeError('not supported')]) {
    const { runs, run } = runsOf({ error })
    await expect(run()).rejects.toBe(error)
    expect(runs.isUnsupported).toBe(false)
  }
})
