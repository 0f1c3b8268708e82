import { AlternativesProbe__factory, SwapProbe__factory } from '@sluice/bindings'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { type CallRequest, type Rpc, RpcError } from '@sluice/rpc'
import { expect, test } from 'vitest'
import type { CallEnvironment } from './attempt.ts'
import { createSimulationContext } from './context.ts'
import type { ProbeReport } from './probe.ts'
import { describeExhaustion, isExhausted, outcomeOf, runTask, type SimulationTask } from './task.ts'

const addressOf = (digit: string): Address => toAddress(`0x${digit.repeat(40)}`)
const [from, to, tokenIn, tokenOut] = [...'1234'].map(addressOf) as [Address, Address, Address, Address]
const probe = SwapProbe__factory.createInterface()
const hash: Hex = `0x${'c'.repeat(64)}`
const reading = (amount: bigint, ok = true) => ({ ok, amount })
const balances = (tokenOutAmount: bigint) => ({
  tokenIn: reading(5n),
  allowance: reading(5n),
  tokenOut: reading(tokenOutAmount),
})

const report: ProbeReport = {
  ...{
    success: true,
    gasUsed: 99_000n,
    isOutOfGas: false,
    isStarved: false,
    balancesBefore: balances(50n),
    balancesAfter: balances(80n),
  },
  ...{ coinbase: from, gasPrice: 1n, blockNumber: 1, timestamp: 1, returnData: '0xab' },
}

test.each([
  [true, 80n, 30n],
  [true, 51n, 1n],
  [true, 50n, 0n],
  [true, 49n, 0n],
  [false, 80n, 0n],
])('with success %s and %s after 50 the output is %s', (success, after, amountOut) => {
  expect(outcomeOf({ ...report, success, balancesAfter: balances(after) })).toEqual({
    ...{ success, amountOut, gasUsed: 99_000, returnData: '0xab' },
  })
})

test('exhausted is what has no gas left and says nothing', () => {
  expect(isExhausted({ ...report, isOutOfGas: true, returnData: '0x' })).toBe(true)
  expect(isExhausted({ ...report, isOutOfGas: true, returnData: '0x00' })).toBe(false)
  expect(isExhausted({ ...report, isOutOfGas: false, returnData: '0x' })).toBe(false)
})

test.each([
  ...['invalid opcode: INVALID', 'opcode invalid: invalid op code', 'invalidopcode', 'EVM error InvalidFEOpcode'],
  ...['invalid 0xfe opcode', 'invalid fe op-code', 'invalid   opcode', 'BAD_INSTRUCTION: bad instruction'],
  ...['BadInstruction', 'invalid instruction', 'InvalidInstruction', 'undefined instruction', 'UndefinedInstruction'],
  ...['NotActivated', 'opcode not activated', 'EVM error OpcodeNotFound', 'INVALID_OPERATION'],
])('a node that says "%s" ran an invalid instruction', (words) => {
  expect(describeExhaustion(words)).toBe('invalid opcode: a failed assertion, or code that cannot run on this chain')
})

test.each([
  ...['invalid jump destination', 'EVM error InvalidJump', 'BadJumpDestination', 'INVALID_JUMP_DESTINATION'],
  ...['stack underflow (0 <=> 1)', 'stack limit reached 1024 (1023)', 'EVM error StackOverflow'],
  ...['INSUFFICIENT_STACK_ITEMS', 'return data out of bounds', 'EVM error OutOfOffset'],
  ...['INVALID_RETURN_DATA_BUFFER_ACCESS', 'AccessViolation'],
])('a node that says "%s" ran an invalid jump, stack, or return data access', (words) => {
  expect(describeExhaustion(words)).toBe(
    'invalid jump, stack, or return data: a throw of an old compiler, or faulty code',
  )
})

test.each(['', 'out of gas', 'EVM error OutOfGas', 'execution reverted', 'invalid number of the opcode'])(
  'a node that says "%s" ran out of gas',
  (words) => {
    expect(describeExhaustion(words)).toBe('out of gas')
  },
)

const environment: CallEnvironment = {
  header: {
    ...{ number: 1, hash, parentHash: hash, timestamp: 1, gasLimit: 30_000_000n },
    ...{ baseFeePerGas: null, miner: to },
  },
  ...{ block: 1, gasPriceWei: 0n, blockOverrides: {}, targetGas: 90_000n, defaultTargetGas: 90_000n, senderCode: '0x' },
}
const setUp = {
  writes: new Map(),
  balance: 5n,
  approvalAmount: 0n,
  ways: { balance: 'slot', allowance: 'slot' },
} as const

function taskOf(answer: Error | { readonly tokenIn?: boolean; readonly tokenOut?: boolean }) {
  const calls: CallRequest[] = []
  const call = async (request: CallRequest) => {
    calls.push(request)
    if (answer instanceof Error) throw answer
    const { tokenIn: isIn = true, tokenOut: isOut = true } = answer
    const before = { tokenIn: reading(5n, isIn), allowance: reading(0n, false), tokenOut: reading(5n, isOut) }
    return probe.encodeFunctionResult('run', [
      {
        ...{ success: true, gasUsed: 1_123n, gasBefore: 10n ** 9n, before, afterwards: before, coinbase: to },
        ...{ gasPrice: 0n, number: 1n, timestamp: 1n, chainId: 1n, returnSize: 0n, returnData: '0x' },
      },
    ])
  }
  const task = {
    rpc: { call } as unknown as Rpc,
    request: { from, to, data: '0x', tokenIn, amountIn: 5n, tokenOut, block: 1 },
    context: createSimulationContext({ maxReturnData: 77 }),
    options: {},
  } as unknown as SimulationTask
  return { task, calls }
}

test('a run passes on the bound of return data, and stands at the target where its code is known', async () => {
  const { task, calls } = taskOf({})
  expect(await runTask(task, environment, setUp)).toMatchObject({ success: true, gasUsed: 1_000n })
  expect(probe.decodeFunctionData('run', calls[0]!.data)[0].maxReturn).toBe(77n)
  await runTask(task, { ...environment, targetCode: '0x6001' }, setUp)
  await runTask(task, environment, setUp, '0x6001')
  expect(calls.map((call) => call.to)).toEqual([from, to, to])
})

test('a token that does not answer is named', async () => {
  await expect(runTask(taskOf({ tokenIn: false }).task, environment, setUp)).rejects.toMatchObject({
    ...{ code: 'BAD_TOKEN', message: `tokenIn ${tokenIn} does not answer balanceOf` },
  })
  await expect(runTask(taskOf({ tokenOut: false }).task, environment, setUp)).rejects.toMatchObject({
    ...{ code: 'BAD_TOKEN', message: `tokenOut ${tokenOut} does not answer balanceOf` },
  })
})

test('a set-up that reverts is a bad token, and other failures are passed on', async () => {
  const revert = new RpcError('REVERTED', 'paused')
  await expect(runTask(taskOf(revert).task, environment, setUp)).rejects.toMatchObject({
    ...{ code: 'BAD_TOKEN', message: 'setting up the input reverts: paused', cause: revert },
  })
  for (const error of [new RpcError('TIMEOUT', 'too slow'), new TypeError('broken')])
    await expect(runTask(taskOf(error).task, environment, setUp)).rejects.toBe(error)
})

test('a call with alternatives that reverts is repeated without them', async () => {
  const { task, calls } = taskOf({})
  const { call } = task.rpc
  const rpc = {
    call: async (request: CallRequest, ...rest: unknown[]) => {
      const answer = await (call as (...parameters: unknown[]) => Promise<Hex>)(request, ...rest)
      if (calls.length === 1) throw new RpcError('REVERTED', 'out of gas')
      return answer
    },
  } as unknown as Rpc
  const request = { ...task.request, alternatives: ['0x01', '0x02'] as const }
  const run = await runTask({ ...task, rpc, request }, environment, setUp)
  expect(run).toMatchObject({ success: true, gasUsed: 1_000n })
  expect(run.alternatives).toBeUndefined()
  expect(calls.map(({ data }) => data.slice(0, 10))).toEqual([
    AlternativesProbe__factory.createInterface().getFunction('runEach').selector,
    probe.getFunction('run').selector,
  ])
})
