import { AlternativesProbe__factory, SwapProbe__factory } from '@sluice/bindings'
import { bytecode } from '@sluice/bindings/bytecode'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { type CallOptions, type CallRequest, type Rpc, RpcError } from '@sluice/rpc'
import { expect, test } from 'vitest'
import { type CallEnvironment, mergeOverrides, type ProbeRun, runProbe } from './attempt.ts'
import type { SetUp } from './setup.ts'
import type { SimulationRequest } from './types.ts'

const addressOf = (digit: string): Address => toAddress(`0x${digit.repeat(40)}`)
const [from, to, tokenIn, tokenOut, spender, holder, miner] = [...'1234568'].map(addressOf) as [
  ...[Address, Address, Address, Address, Address, Address, Address],
]
const PROBE = '0x5177ce0000000000000000000000000000000001' as Address
const TARGET_PROBE = '0x5177ce0000000000000000000000000000000005' as Address
const swapProbe = SwapProbe__factory.createInterface()
const alternativesProbe = AlternativesProbe__factory.createInterface()
const key: Hex = `0x${'a'.repeat(64)}`
const value: Hex = `0x${'b'.repeat(64)}`
const block = { blockHash: key } as const

const request: SimulationRequest = { from, to, data: '0x1234', tokenIn, amountIn: 1_000n, tokenOut, block: 'latest' }
const environment: CallEnvironment = {
  header: {
    ...{ number: 100, hash: key, parentHash: key, timestamp: 1_000 },
    ...{ gasLimit: 30_000_000n, baseFeePerGas: 3n, miner },
  },
  block,
  gasPriceWei: 7n,
  blockOverrides: { number: 101, timestamp: 1_012, baseFeePerGas: 4n },
  targetGas: 6_300_000n,
  defaultTargetGas: 6_300_000n,
  senderCode: '0x',
}
const setUp: SetUp = {
  writes: new Map([[tokenIn, [{ key, value }]]]),
  balance: 1_000n,
  approvalAmount: 0n,
  ways: { balance: 'slot', allowance: 'slot' },
}

const reading = { ok: true, amount: 5n }
const balances = { tokenIn: reading, allowance: reading, tokenOut: reading }
const report = {
  ...{ success: true, gasUsed: 100_000n, gasBefore: 60_000_000n, before: balances, afterwards: balances },
  ...{ coinbase: miner, gasPrice: 7n, number: 101n, timestamp: 1_012n, chainId: 1n, returnSize: 0n, returnData: '0x' },
}

type Sent = { readonly call: CallRequest; readonly at: unknown; readonly options: CallOptions }
type Change = {
  readonly request?: Partial<SimulationRequest>
  readonly environment?: Partial<CallEnvironment>
  readonly setUp?: Partial<SetUp>
  readonly targetCode?: Hex
  /** Answers of the node, one for each call. */
  readonly answers?: readonly (Partial<typeof report> | Error)[]
}

async function attempt({ answers = [{}], targetCode, ...change }: Change = {}) {
  const sent: Sent[] = []
  const head = { ...environment.header, number: 105 }
  const call = async (call: CallRequest, at: unknown, options: CallOptions): Promise<Hex> => {
    const answer = answers[sent.length]!
    sent.push({ call, at, options })
    if (answer instanceof Error) throw answer
    const one = { ...report, ...answer }
    if (call.to === to || !change.request?.alternatives?.length)
      return swapProbe.encodeFunctionResult('run', [one]) as Hex
    return alternativesProbe.encodeFunctionResult('runEach', [[one, { ...one, success: false }]]) as Hex
  }
  const rpc = {
    call,
    callWithHead: async (...args: Parameters<typeof call>) => ({ answer: await call(...args), head }),
    getCode: async (account: Address) => (account === holder ? '0x6009' : '0x'),
  } as unknown as Rpc
  const run: ProbeRun = {
    rpc,
    request: { ...request, ...change.request },
    environment: { ...environment, ...change.environment },
    setUp: { ...setUp, ...change.setUp },
    maxReturnBytes: 100,
    options: { timeoutMs: 9 },
    ...(targetCode && { targetCode }),
  }
  const outcome = await runProbe(run).catch((error: unknown) => error as Error)
  return { outcome, sent, head, ...sent[0]! }
}

/** Gas of the whole call: the 64th part, the calldata, and the probe. */
const outerGasOf = (data: Hex) => 6_400_000n + 21_000n + BigInt(data.length / 2 - 1) * 16n + 8_000_000n

test('the probe stands at the sender, with the writes and the price of all the gas', async () => {
  const { call, at, options, outcome } = await attempt()
  const gas = outerGasOf(call.data)
  expect(call).toEqual({ from, to: from, data: call.data, gas, gasPrice: 7n })
  expect(at).toBe(block)
  expect(options).toMatchObject({ timeoutMs: 9, blockOverrides: environment.blockOverrides })
  expect(options.overrides).toEqual({
    [tokenIn]: { stateDiff: { [key]: value } },
    [from]: { code: expect.stringContaining(PROBE.slice(2)), balance: gas * 7n },
    [PROBE]: { code: bytecode.SwapProbe.runtime },
  })
  const [order, data] = swapProbe.decodeFunctionData('run', call.data)
  expect(data).toBe('0x1234')
  expect([...order].map((field) => String(field).toLowerCase())).toEqual(
    [to, 6_300_000n, 0n, tokenIn, tokenOut, from, to, 0n, `0x${'0'.repeat(40)}`, 0n, 100n].map(String),
  )
  expect(outcome).toMatchObject({ success: true, gasUsed: 99_877n })
  expect(outcome).not.toHaveProperty('head')
  expect(outcome).not.toHaveProperty('alternatives')
})

test('writes to the storage of the sender are kept beside its code and balance', async () => {
  const { options } = await attempt({ setUp: { writes: new Map([[from, [{ key, value }]]]) } })
  expect(options.overrides?.[from]).toEqual({
    stateDiff: { [key]: value },
    code: expect.any(String),
    balance: expect.any(BigInt),
  })
})

test('without a price none is sent', async () => {
  const { call, options } = await attempt({ environment: { gasPriceWei: 0n } })
  expect(call).not.toHaveProperty('gasPrice')
  expect(options.overrides?.[from]?.balance).toBe(0n)
  expect((await attempt({ environment: { gasPriceWei: 1n } })).call).toHaveProperty('gasPrice', 1n)
})

test('native input is the value of the order, and the sender has it', async () => {
  const { call, options } = await attempt({
    setUp: { balance: 77n, ways: { balance: 'native', allowance: 'none' } },
  })
  const [order] = swapProbe.decodeFunctionData('run', call.data)
  expect([order.value, order.gas]).toEqual([77n, 6_300_000n - 2_300n])
  expect(call).not.toHaveProperty('value')
  expect(options.overrides?.[from]?.balance).toBe(77n + outerGasOf(call.data) * 7n)
})

test('at the target the sender stays as it is, and the call itself carries the value', async () => {
  const ways = { balance: 'native', allowance: 'none' } as const
  const { call, options } = await attempt({ targetCode: '0x6001', setUp: { balance: 77n, ways } })
  expect(call).toMatchObject({ from, to, value: 77n })
  expect(options.overrides?.[from]).toEqual({ balance: 77n + outerGasOf(call.data) * 7n })
  expect(options.overrides?.[to]).toEqual({ code: expect.stringContaining(TARGET_PROBE.slice(2)) })
  expect(options.overrides).not.toHaveProperty(PROBE)
})

test('at the target no others are run, and the call costs what a DELEGATECALL does', async () => {
  const { outcome } = await attempt({ targetCode: '0x6001', request: { alternatives: ['0x56'] } })
  expect(outcome).toMatchObject({ success: true, gasUsed: 99_880n })
  expect(outcome).not.toHaveProperty('alternatives')
})

test('alternatives are run by their own probe, and reported separately', async () => {
  const { outcome, options, call } = await attempt({ request: { alternatives: ['0x56'] } })
  expect(options.overrides?.[PROBE]).toEqual({ code: bytecode.AlternativesProbe.runtime })
  expect([...alternativesProbe.decodeFunctionData('runEach', call.data)[1]]).toEqual(['0x1234', '0x56'])
  expect(outcome).toMatchObject({ success: true, alternatives: [{ success: false }] })
  expect('alternatives' in outcome && outcome.alternatives).toHaveLength(1)
  // An empty list is none.
  const { options: alone } = await attempt({ request: { alternatives: [] } })
  expect(alone.overrides?.[PROBE]).toEqual({ code: bytecode.SwapProbe.runtime })
})

test('a lender has the probe before its own code', async () => {
  const { call, options } = await attempt({
    request: { spender },
    setUp: { approvalAmount: 8n, loan: { holder, amount: 9n } },
  })
  const [order] = swapProbe.decodeFunctionData('run', call.data)
  expect([order.lender.toLowerCase(), order.lend, order.approve]).toEqual([holder, 9n, 8n])
  expect(order.spender.toLowerCase()).toBe(spender)
  expect(options.overrides?.[holder]).toEqual({ code: expect.stringContaining(PROBE.slice(2)) })
  expect(Object.values(options.overrides ?? {})).toContainEqual({ code: '0x6009' })
})

test('the head comes with the answer where it is wanted', async () => {
  const { outcome, head } = await attempt({ request: { withHead: true } })
  expect(outcome).toMatchObject({ head })
})

test('a coinbase is overridden where it is not that of the block, and the node must set it', async () => {
  const other = addressOf('9')
  const { options, outcome } = await attempt({ request: { coinbase: other }, answers: [{ coinbase: other }] })
  expect(options.blockOverrides).toEqual({ ...environment.blockOverrides, coinbase: other })
  expect(outcome).toMatchObject({ success: true })
  const same = await attempt({ request: { coinbase: miner } })
  expect(same.options.blockOverrides).toEqual(environment.blockOverrides)
  expect(same.outcome).toMatchObject({ success: true })
  expect((await attempt({ request: { coinbase: other } })).outcome).toMatchObject({
    ...{ code: 'NO_OVERRIDES', message: `block.coinbase was ${miner} instead of ${other}` },
  })
})

test.each(['max fee per gas less than block base fee', 'BaseFee too high'])(
  'a node that refuses a price for "%s" is asked again with the price as base fee',
  async (message) => {
    const { sent, outcome } = await attempt({ answers: [new RpcError('REJECTED', message), {}] })
    expect(sent.map(({ options }) => options.blockOverrides)).toEqual([
      environment.blockOverrides,
      { ...environment.blockOverrides, baseFeePerGas: 7n },
    ])
    expect(outcome).toMatchObject({ success: true })
  },
)

test.each([
  new RpcError('REJECTED', 'insufficient funds'),
  new RpcError('TIMEOUT', 'base fee not known in time'),
  new TypeError('base fee'),
])('"%s" is passed on', async (error) => {
  const { sent, outcome } = await attempt({ answers: [error, {}] })
  expect(outcome).toBe(error)
  expect(sent).toHaveLength(1)
})

test('a target that failed for too little gas of the node is no outcome', async () => {
  const starved = { success: false, gasBefore: 64_000n, gasUsed: 40_000n }
  const { outcome, call } = await attempt({ answers: [starved] })
  expect(outcome).toMatchObject({
    code: 'GAS_CAP',
    message: `the node caps calls below the ${outerGasOf(call.data)} gas of this simulation`,
  })
  expect((await attempt({ answers: [{ ...starved, success: true }] })).outcome).toMatchObject({ success: true })
})

test('overrides of one account are merged by field, and the later value of a field counts', () => {
  const [one, two] = [toAddress(`0x${'1'.repeat(40)}`), toAddress(`0x${'2'.repeat(40)}`)]
  const first = { [one]: { code: '0x60', balance: 1n }, [two]: { balance: 2n } } as const
  expect(mergeOverrides(first, { [one]: { code: '0x61' } }, {}, { [one]: { nonce: 3 } })).toEqual({
    [one]: { code: '0x61', balance: 1n, nonce: 3 },
    [two]: { balance: 2n },
  })
})
