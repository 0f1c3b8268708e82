import { BalanceProbe__factory, TargetProbe__factory } from '@sluice/bindings'
import { type Address, type Hex, NATIVE, toAddress } from '@sluice/chains'
import { type CallRequest, type Rpc, RpcError } from '@sluice/rpc'
import { expect, test } from 'vitest'
import type { CallEnvironment } from './attempt.ts'
import { createSimulationContext } from './context.ts'
import type { SetUp } from './setup.ts'
import type { SimulationTask } from './task.ts'
import type { SimulationRequest } from './types.ts'
import { isSameOutcome, runWithoutSenderProbe } from './without-sender-probe.ts'

const addressOf = (digit: string): Address => toAddress(`0x${digit.repeat(40)}`)
const [from, to, tokenIn, tokenOut, holder] = [...'12346'].map(addressOf) as [
  Address,
  Address,
  Address,
  Address,
  Address,
]
const hash: Hex = `0x${'c'.repeat(64)}`
const balanceProbe = BalanceProbe__factory.createInterface()
const targetProbe = TargetProbe__factory.createInterface()
/** Intrinsic gas of a transaction with one byte of calldata that is not zero. */
const INTRINSIC = 21_016
const TARGET_GAS = 500_000

const reading = (amount: bigint, ok = true) => ({ ok, amount })
const balances = (tokenInAmount: bigint, tokenOutAmount: bigint) => {
  return { tokenIn: reading(tokenInAmount), allowance: reading(5n), tokenOut: reading(tokenOutAmount) }
}

type Simulated = { success?: boolean; returnData?: Hex; gasUsed?: bigint; maxUsedGas?: bigint; tokenIn?: bigint }
type AtTarget = { success?: boolean; gasUsed?: bigint; returnData?: Hex; tokenIn?: bigint; answers?: boolean }
type Node = { simulated?: Simulated | Error; atTarget?: AtTarget | Error; code?: Hex }

function nodeOf(node: Node) {
  const methods: string[] = []
  const rpc = {
    simulateV1: async (calls: readonly CallRequest[]) => {
      methods.push('simulateV1')
      const simulated = node.simulated ?? {}
      if (simulated instanceof Error) throw simulated
      const { success = true, returnData = '0xabcdef', gasUsed = 100_000n, maxUsedGas, tokenIn: input = 5n } = simulated
      return calls.map((call, k) => {
        if (call.to === to) return { success, returnData, gasUsed, maxUsedGas, transfers: [] }
        const data = balanceProbe.encodeFunctionResult('read', [balances(input, k === calls.length - 1 ? 80n : 50n)])
        return { success: true, returnData: data, gasUsed: 1n, maxUsedGas: undefined, transfers: [] }
      })
    },
    getCode: async () => {
      methods.push('getCode')
      return node.code ?? '0x6001'
    },
    call: async (request: CallRequest) => {
      expect(request.to).toBe(to)
      methods.push('call')
      const atTarget = node.atTarget ?? {}
      if (atTarget instanceof Error) throw atTarget
      const { success = true, gasUsed = 90_000n, returnData = '0x77', tokenIn: input = 5n, answers = true } = atTarget
      const before = { ...balances(input, 50n), tokenIn: reading(input, answers) }
      const report = {
        ...{ success, gasUsed: gasUsed + 120n, gasBefore: 10n ** 9n, before, afterwards: balances(0n, 81n) },
        ...{ coinbase: to, gasPrice: 0n, number: 1n, timestamp: 1n, chainId: 1n, returnSize: 0n, returnData },
      }
      return targetProbe.encodeFunctionResult('runHere', [report])
    },
  } as unknown as Rpc
  return { rpc, methods }
}

const environment: CallEnvironment = {
  header: {
    ...{ number: 1, hash, parentHash: hash, timestamp: 1, gasLimit: 30_000_000n },
    ...{ baseFeePerGas: null, miner: to },
  },
  ...{ block: 1, gasPriceWei: 0n, blockOverrides: {}, defaultTargetGas: 900_000n, senderCode: '0x' },
  targetGas: BigInt(TARGET_GAS),
}
const setUp: SetUp = {
  writes: new Map(),
  balance: 5n,
  approvalAmount: 0n,
  ways: { balance: 'slot', allowance: 'slot' },
}
const request: SimulationRequest = { from, to, data: '0x11', tokenIn, amountIn: 5n, tokenOut, block: 1 }
const lacking = new RpcError('UNSUPPORTED', 'no such method')

function runOf(node: Node, change: { request?: Partial<SimulationRequest>; setUp?: Partial<SetUp> } = {}) {
  const { rpc, methods } = nodeOf(node)
  const context = createSimulationContext({ maxReturnData: 2 })
  const task = { rpc, request: { ...request, ...change.request }, context, options: {} } as unknown as SimulationTask
  return { run: () => runWithoutSenderProbe(task, environment, { ...setUp, ...change.setUp }), methods, context }
}
const outcomeOf = (...args: Parameters<typeof runOf>) => runOf(...args).run()

test('the outcome is that of the transaction as it is sent, with its return data cut', async () => {
  expect(await outcomeOf({ simulated: { maxUsedGas: 121_016n } })).toEqual({
    ...{ success: true, amountOut: 30n, returnData: '0xabcd', chargedGas: 100_000, gasUsed: 100_000 },
    isExhausted: false,
  })
})

test('gas before refunds that the node does not report is measured at the target, if that ends alike', async () => {
  expect(await outcomeOf({})).toMatchObject({ gasUsed: 90_000, chargedGas: 100_000 })
  // Otherwise it is the most that a refund of a fifth can hide: 100,000 of 125,000.
  const maxGas = 125_000 - INTRINSIC
  expect(await outcomeOf({ atTarget: { success: false } })).toMatchObject({ success: true, gasUsed: maxGas })
  expect(await outcomeOf({ code: '0x' })).toMatchObject({ gasUsed: maxGas })
  expect(await outcomeOf({ code: '0x', simulated: { gasUsed: 100_001n } })).toMatchObject({
    gasUsed: 125_002 - INTRINSIC,
  })
  expect(await outcomeOf({ simulated: { success: false }, atTarget: { success: false } })).toMatchObject({
    ...{ success: false, gasUsed: 90_000, amountOut: 0n },
  })
})

test('a charge of the calldata floor bounds the gas from above only', async () => {
  // 1,000 bytes: 37,000 gas before execution, and at least 61,000.
  const data: Hex = `0x${'11'.repeat(1_000)}`
  const large = { request: { data } }
  const floor = { gasUsed: 61_000n, maxUsedGas: 61_000n }
  expect(await outcomeOf({ simulated: floor }, large)).toMatchObject({ gasUsed: 90_000, chargedGas: 61_000 })
  expect(await outcomeOf({ simulated: floor, code: '0x' }, large)).toMatchObject({ gasUsed: 24_000, minGasUsed: 0 })
  expect(await outcomeOf({ simulated: { gasUsed: 61_000n }, code: '0x' }, large)).toMatchObject({ minGasUsed: 0 })
  const above = { gasUsed: 61_001n, maxUsedGas: 61_001n }
  expect(await outcomeOf({ simulated: above, code: '0x' }, large)).toMatchObject({ gasUsed: 24_001 })
})

test('nodes that report gas before refunds are not asked at the target again', async () => {
  const { run, methods } = runOf({ simulated: { maxUsedGas: 121_016n } })
  await run()
  expect([...methods].sort()).toEqual(['call', 'getCode', 'simulateV1'])
  await run()
  expect(methods.slice(3)).toEqual(['simulateV1'])
})

test('a run for the charge states the gas that it allows, and falls back to the probe at the target', async () => {
  const charged = { request: { bareRunMode: 'charged' } } as const
  const { run, methods } = runOf({}, charged)
  expect(await run()).toMatchObject({ gasUsed: 125_000 - INTRINSIC, minGasUsed: 100_000 - INTRINSIC })
  expect(methods).toEqual(['simulateV1'])
  expect(await outcomeOf({ simulated: { maxUsedGas: 121_016n } }, charged)).not.toHaveProperty('minGasUsed')
  for (const simulated of [lacking, { tokenIn: 4n }])
    expect(await outcomeOf({ simulated }, charged)).toMatchObject({ amountOut: 31n, gasUsed: 90_000 })
})

const LIMIT = BigInt(TARGET_GAS + INTRINSIC)
test.each([
  [false, '0x', LIMIT, true],
  [false, '0x', LIMIT + 1n, true],
  [false, '0x', LIMIT - 1n, false],
  [false, '0x00', LIMIT, false],
  [true, '0x', LIMIT, false],
] as const)(
  'success %s with %s and %s gas charged is exhausted: %s',
  async (success, returnData, gasUsed, expected) => {
    expect((await outcomeOf({ simulated: { success, returnData, gasUsed } }))?.isExhausted).toBe(expected)
  },
)

test('without the method, or with another balance, the probe at the target decides', async () => {
  const expected = { success: true, amountOut: 31n, gasUsed: 90_000, returnData: '0x77', isExhausted: false }
  expect(await outcomeOf({ simulated: lacking })).toEqual(expected)
  expect(await outcomeOf({ simulated: { tokenIn: 4n } })).toEqual(expected)
  const exhausted = { success: false, gasUsed: BigInt(TARGET_GAS), returnData: '0x' } as const
  expect(await outcomeOf({ simulated: lacking, atTarget: exhausted })).toMatchObject({ isExhausted: true })
})

test('a balance that neither confirms gives no outcome, but native input needs no confirmation', async () => {
  for (const wrong of [4n, 6n]) {
    expect(await outcomeOf({ simulated: { tokenIn: wrong }, atTarget: { tokenIn: wrong } })).toBeUndefined()
    expect(await outcomeOf({ simulated: lacking, atTarget: { tokenIn: wrong } })).toBeUndefined()
  }
  const native = { request: { tokenIn: NATIVE } }
  expect(await outcomeOf({ simulated: lacking, atTarget: { tokenIn: 4n } }, native)).toMatchObject({ amountOut: 31n })
  expect(await outcomeOf({ simulated: { tokenIn: 4n }, code: '0x' }, native)).toMatchObject({ amountOut: 30n })
})

test('a sender that approves or is lent the input is not run at the target', async () => {
  for (const change of [{ approvalAmount: 1n }, { loan: { holder, amount: 5n } }]) {
    const { run, methods } = runOf({ simulated: lacking }, { setUp: change })
    expect(await run()).toBeUndefined()
    expect(methods).toEqual(['simulateV1'])
  }
})

test('a target that cannot be run at gives no outcome', async () => {
  const nodes: Node[] = [
    { code: '0x' },
    { atTarget: new RpcError('GAS_CAP', 'too much gas') },
    { atTarget: new RpcError('REVERTED', 'paused') },
    { atTarget: { answers: false } },
  ]
  for (const node of nodes) expect(await outcomeOf({ ...node, simulated: lacking })).toBeUndefined()
})

test('other failures at the target are passed on', async () => {
  for (const error of [new RpcError('TIMEOUT', 'too slow'), new TypeError('broken')])
    await expect(outcomeOf({ simulated: lacking, atTarget: error })).rejects.toBe(error)
})

const success = { success: true, amountOut: 7n, gasUsed: 100_000, returnData: '0x' } as const
test.each([
  ['itself', {}, true],
  ['other return data', { returnData: '0x01' }, true],
  ['another output', { amountOut: 8n }, false],
  ['a failure', { success: false }, false],
  ['5 % more gas', { gasUsed: 105_000 }, true],
  ['more than 5 % more gas', { gasUsed: 105_001 }, false],
  ['5 % less gas', { gasUsed: 95_000 }, true],
  ['more than 5 % less gas', { gasUsed: 94_999 }, false],
] as const)('a success compared with %s', (_, changed, expected) => {
  expect(isSameOutcome(success, { ...success, ...changed })).toBe(expected)
})

test.each([
  [80_000, 100_000, true],
  [105_000, 130_000, true],
  [105_001, 130_000, false],
  [80_000, 95_000, true],
  [80_000, 94_999, false],
])('a success compared with a charge for %i to %i gas', (minGasUsed, gasUsed, expected) => {
  expect(isSameOutcome(success, { ...success, gasUsed, minGasUsed })).toBe(expected)
})

test('the tolerance is of the gas that the probe measured', () => {
  expect(isSameOutcome({ ...success, gasUsed: 95_000 }, success)).toBe(false)
})

test('failures are the same if they return the same, at any gas', () => {
  const failure = { success: false, amountOut: 0n, gasUsed: 1, returnData: '0x01' } as const
  expect(isSameOutcome(failure, { ...failure, gasUsed: 100_000 })).toBe(true)
  expect(isSameOutcome(failure, { ...failure, returnData: '0x02' })).toBe(false)
  expect(isSameOutcome(failure, { ...failure, success: true })).toBe(false)
})
