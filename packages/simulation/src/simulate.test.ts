/** Whole simulations against a node and a token in memory. */
import {
  AlternativesProbe__factory,
  BalanceProbe__factory,
  SlotProbe__factory,
  StorageProbe__factory,
  SwapProbe__factory,
  TargetProbe__factory,
} from '@sluice/bindings'
import { type Address, type Hex, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import {
  type BlockHeader,
  type BlockRef,
  type CallOptions,
  type CallRequest,
  type RequestOptions,
  type Rpc,
  RpcError,
} from '@sluice/rpc'
import { AbiCoder, id, keccak256, toBeHex } from 'ethers'
import { describe, expect, test } from 'vitest'
import { createSimulationContext, type SimulationContext } from './context.ts'
import { simulateSwap } from './simulate.ts'
import { SLOT_PROBE } from './slots/reader.ts'
import type { SimulationRequest } from './types.ts'

const addressOf = (digit: string): Address => toAddress(`0x${digit.repeat(40)}`)
const from = addressOf('1')
const to = addressOf('2')
const token = addressOf('3')
const tokenOut = addressOf('4')
const holder = addressOf('6')
const miner = addressOf('8')
const LIMIT_PROBE = toAddress('0x5177ce0000000000000000000000000000000007')
const ALL = 2n ** 256n - 1n
const abi = AbiCoder.defaultAbiCoder()
const hash = (types: readonly string[], values: readonly unknown[]) => keccak256(abi.encode(types, values)) as Hex
const balanceKey = (account: string, base = 0n) => hash(['address', 'uint256'], [account, base])
const allowanceKey = (account: string, spender: string, base = 1n) =>
  hash(['address', 'bytes32'], [spender, balanceKey(account, base)])
const selectorOf = (data: Hex) => data.slice(0, 10)

const header: BlockHeader = {
  ...{ number: 100, hash: `0x${'c'.repeat(64)}`, parentHash: `0x${'b'.repeat(64)}`, timestamp: 1_000 },
  ...{ gasLimit: 30_000_000n, baseFeePerGas: 3n, miner },
}
const head = { ...header, number: 107 }
const revert = (text: string) => `${id('Error(string)').slice(0, 10)}${abi.encode(['string'], [text]).slice(2)}` as Hex

type WordAt = (key: Hex) => bigint
type Outcome = { success?: boolean; gasUsed?: bigint; returnData?: Hex; amountOut?: bigint; takes?: bigint }
type Run = { readonly gas: bigint; readonly data: Hex; readonly at: 'sender' | 'target'; readonly lender: Address }
type Simulated = { success?: boolean; returnData?: Hex; gasUsed?: bigint; maxUsedGas?: bigint; amountOut?: bigint }

type World = {
  readonly header?: Partial<BlockHeader> | null
  /** EIP-7825 is active. */
  readonly isOsaka?: boolean
  readonly codes?: Readonly<Record<Address, Hex>>
  readonly balanceOf?: (account: Address, at: WordAt) => bigint
  readonly allowanceOf?: (account: Address, spender: Address, at: WordAt) => bigint
  /** Allowance after an approval. */
  readonly approved?: (units: bigint) => bigint
  /** Amount that arrives of a loan. */
  readonly received?: (amount: bigint, holder: Address) => bigint
  /** True for a token whose spender may take what was written. */
  readonly moves?: boolean
  readonly swap?: (run: Run) => Outcome
  /** Outcome by eth_simulateV1; the method is absent without one. */
  readonly sent?: Simulated
  /** Words of the node for the transaction itself. */
  readonly words?: Error
  /** A node that runs calls in the environment of the block. */
  readonly isFixed?: boolean
  /** Slots of the sender that the token reads. */
  readonly reads?: readonly Hex[]
}

const slotProbe = SlotProbe__factory.createInterface()
const storageProbe = StorageProbe__factory.createInterface()
const swapProbe = SwapProbe__factory.createInterface()
const alternativesProbe = AlternativesProbe__factory.createInterface()
const targetProbe = TargetProbe__factory.createInterface()
const balanceProbe = BalanceProbe__factory.createInterface()
const functionOf = { run: selectorOf(swapProbe.getFunction('run')!.selector as Hex) }
const reading = (amount: bigint) => ({ ok: true, amount })

type Order = { gas: bigint; value: bigint; spender: string; approve: bigint; lender: string; lend: bigint }

type ProbeRun = {
  readonly order: Order
  readonly data: Hex
  readonly at: 'sender' | 'target'
  readonly options: CallOptions
  readonly overhead: bigint
}

function tokenOf(world: World) {
  return {
    balanceOf: world.balanceOf ?? ((account: Address, at: WordAt) => at(balanceKey(account))),
    allowanceOf:
      world.allowanceOf ?? ((account: Address, spender: Address, at: WordAt) => at(allowanceKey(account, spender))),
  }
}

/** Storage of the token under the overrides of a call. */
function wordsOf({ overrides = {} }: CallOptions): WordAt {
  const diff = overrides[token]?.stateDiff ?? {}
  return (key) => BigInt(diff[key] ?? 0)
}

/** Answer of the slot probe. */
function readSlots(world: World, log: { takes: number }, data: Hex, options: CallOptions): Hex {
  const at = wordsOf(options)
  const { balanceOf, allowanceOf } = tokenOf(world)
  if (selectorOf(data) === slotProbe.getFunction('touched')!.selector) {
    const [, , accounts] = slotProbe.decodeFunctionData('touched', data)
    return slotProbe.encodeFunctionResult('touched', [accounts.map(() => false)]) as Hex
  }
  if (selectorOf(data) === slotProbe.getFunction('take')!.selector) {
    log.takes++
    return slotProbe.encodeFunctionResult('take', [1_000n, world.moves === false ? 1_000n : 0n, 1_000n]) as Hex
  }
  const [, spender, first, count] = slotProbe.decodeFunctionData('read', data)
  const readings = Array.from({ length: Number(count) }, (_, k) => {
    const account = toAddress(toBeHex(BigInt(first) + BigInt(k), 20))
    return { balance: balanceOf(account, at), allowance: allowanceOf(account, toAddress(spender), at) }
  })
  return slotProbe.encodeFunctionResult('read', [readings]) as Hex
}

/** Report of the probe on one swap. @param overhead - gas of the call itself */
function reportOf(world: World, { order, data, at, options, overhead }: ProbeRun) {
  const words = wordsOf(options)
  const { balanceOf, allowanceOf } = tokenOf(world)
  const isLent = order.lender !== ZERO_ADDRESS
  const lender = toAddress(order.lender)
  const lent = isLent ? (world.received ?? ((amount: bigint) => amount))(order.lend, lender) : 0n
  const balance = balanceOf(from, words) + lent
  const granted = order.approve > 0n ? (world.approved ?? ((units: bigint) => units))(order.approve) : undefined
  // Value brings a stipend along.
  const run = { gas: order.gas + (order.value > 0n ? 2_300n : 0n), data, at, lender }
  const { success = true, gasUsed = 100_000n, returnData = '0x', ...outcome } = world.swap?.(run) ?? {}
  const { amountOut = 30n, takes = 1_000n } = outcome
  const allowance = reading(granted ?? allowanceOf(from, toAddress(order.spender), words))
  const before = { tokenIn: reading(balance), allowance, tokenOut: reading(50n) }
  const afterwards = {
    tokenIn: reading(balance > takes ? balance - takes : 0n),
    allowance,
    tokenOut: reading(50n + amountOut),
  }
  const { timestamp = 1_000, number = 100 } = world.isFixed ? {} : (options.blockOverrides ?? {})
  return {
    ...{ success, gasUsed: gasUsed + overhead, gasBefore: 10n ** 12n, before, afterwards, coinbase: miner },
    ...{ gasPrice: 0n, number, timestamp, chainId: 1n, returnSize: 0n, returnData },
  }
}

function nodeOf(world: World) {
  const log = {
    orders: [] as { gas: bigint; approve: bigint; lend: bigint; at: string; block: BlockRef; options: CallOptions }[],
    calls: [] as { method: string; options: RequestOptions | undefined; call?: CallRequest }[],
    takes: 0,
  }
  const call = async (request: CallRequest, block: BlockRef, options: CallOptions): Promise<Hex> => {
    log.calls.push({ method: 'call', options, call: request })
    const { data } = request
    if (request.to === SLOT_PROBE) return readSlots(world, log, data, options)
    if (request.to === LIMIT_PROBE) return toBeHex(world.isOsaka ? 256n : 0n, 32) as Hex
    if (request.from === undefined) {
      const [slots] = storageProbe.decodeFunctionData('words', data)
      return storageProbe.encodeFunctionResult('words', [slots.map(() => 0n)]) as Hex
    }
    const note = (order: Order, at: string) => {
      const { gas, approve, lend } = order
      log.orders.push({ gas, approve, lend, at, block, options })
    }
    if (selectorOf(data) === functionOf.run) {
      const [order, input] = swapProbe.decodeFunctionData('run', data)
      note(order, 'sender')
      const overhead = 123n + (order.value > 0n ? 6_700n : 0n)
      return swapProbe.encodeFunctionResult('run', [
        reportOf(world, { order, data: input as Hex, at: 'sender', options, overhead }),
      ]) as Hex
    }
    if (selectorOf(data) === alternativesProbe.getFunction('runEach')!.selector) {
      const [order, inputs] = alternativesProbe.decodeFunctionData('runEach', data)
      note(order, 'sender')
      const reports = inputs.map((input: Hex) =>
        reportOf(world, { order, data: input, at: 'sender', options, overhead: 132n }),
      )
      return alternativesProbe.encodeFunctionResult('runEach', [reports]) as Hex
    }
    if (selectorOf(data) === targetProbe.getFunction('runHere')!.selector) {
      const [order, input] = targetProbe.decodeFunctionData('runHere', data)
      note(order, 'target')
      return targetProbe.encodeFunctionResult('runHere', [
        reportOf(world, { order, data: input as Hex, at: 'target', options, overhead: 120n }),
      ]) as Hex
    }
    log.calls.at(-1)!.method = 'words'
    throw world.words ?? new RpcError('REVERTED', 'out of gas')
  }
  return { log, rpc: rpcOf(world, call, log) }
}

type Log = ReturnType<typeof nodeOf>['log']

function rpcOf(
  world: World,
  call: (request: CallRequest, block: BlockRef, options: CallOptions) => Promise<Hex>,
  log: { calls: { method: string; options: RequestOptions | undefined }[] },
): Rpc {
  const simulateV1 = async (calls: readonly CallRequest[], _: BlockRef, options: CallOptions) => {
    log.calls.push({ method: 'simulateV1', options })
    if (!world.sent) throw new RpcError('UNSUPPORTED', 'no such method')
    const { success = true, returnData = '0x', gasUsed = 100_000n, maxUsedGas, amountOut = 30n } = world.sent
    return calls.map((request, k) => {
      if (request.to === to) return { success, returnData, gasUsed, maxUsedGas, transfers: [] }
      const tokenIn = reading(tokenOf(world).balanceOf(from, wordsOf(options)))
      const balances = {
        tokenIn,
        allowance: tokenIn,
        tokenOut: reading(k === calls.length - 1 ? 50n + amountOut : 50n),
      }
      const answer = balanceProbe.encodeFunctionResult('read', [balances]) as Hex
      return { success: true, returnData: answer, gasUsed: 1n, maxUsedGas: undefined, transfers: [] }
    })
  }
  return {
    call,
    callWithHead: async (...args: Parameters<typeof call>) => ({ answer: await call(...args), head }),
    simulateV1,
    getBlock: async (_: BlockRef, options?: RequestOptions) => {
      log.calls.push({ method: 'getBlock', options })
      return world.header === null ? null : { ...header, ...world.header }
    },
    getCode: async (account: Address, _: BlockRef, options?: RequestOptions) => {
      log.calls.push({ method: `getCode ${account}`, options })
      return world.codes?.[account] ?? '0x'
    },
    gasPrice: async () => 7n,
    request: async (method: string) => {
      if (method === 'eth_feeHistory') return { baseFeePerGas: ['0x3', '0x4'] }
      return { accessList: [{ address: token, storageKeys: world.reads ?? [] }] }
    },
  } as unknown as Rpc
}

const LAYOUT = {
  balance: {
    mapping: { order: 'solidity', base: 0n, contract: token },
    shape: { kind: 'plain', shift: 0, width: 256 },
  },
  allowance: { order: 'solidity', base: 1n, contract: token },
} as const

const swap: SimulationRequest = { from, to, data: '0x', tokenIn: token, amountIn: 1_000n, tokenOut, block: 'latest' }

type Options = {
  readonly request?: Partial<SimulationRequest>
  readonly context?: SimulationContext
  /** Layout that is known of the token; null for none. */
  readonly layout?: object | null
}

function simulate(world: World = {}, { request, layout = LAYOUT, context = createSimulationContext() }: Options = {}) {
  const { rpc, log } = nodeOf(world)
  if (layout) context.slots.learn(token, layout)
  return { result: simulateSwap(rpc, { ...swap, ...request }, context), log, context }
}
const resultOf = (...args: Parameters<typeof simulate>) => simulate(...args).result
const logOf = async (...args: Parameters<typeof simulate>): Promise<Log> => {
  const { result, log } = simulate(...args)
  await result
  return log
}

test('a success has the output, the gas and the block, and the environment of the next one', async () => {
  expect(await resultOf()).toEqual({
    ...{ success: true, amountOut: 30n, gasUsed: 100_000, returnData: '0x' },
    ...{ blockNumber: 100, blockTimestamp: 1_000, appliedBlock: { number: 101, timestamp: 1_001 }, header },
    ways: { balance: 'slot', allowance: 'slot' },
  })
})

test('a node that runs it in the block itself reports no other environment', async () => {
  expect(await resultOf({ isFixed: true })).not.toHaveProperty('appliedBlock')
})

test('a failure has its reason, and no output', async () => {
  expect(await resultOf({ swap: () => ({ success: false, returnData: revert('too little') }) })).toMatchObject({
    ...{ success: false, amountOut: 0n, returnData: revert('too little'), revertReason: 'too little' },
    ways: { balance: 'slot', allowance: 'slot' },
  })
})

test('onRun is called once, between the last read and the first run', async () => {
  const callsAtRun: number[] = []
  const onRun = () => callsAtRun.push(log.calls.length)
  const { result, log } = simulate({}, { request: { onRun } })
  await result
  const firstRun = log.calls.findIndex(({ call }) => call?.from === from)
  expect(firstRun).toBeGreaterThan(0)
  expect(callsAtRun).toEqual([firstRun])
})

test('the head comes with the result where it is wanted, and others with their outcomes', async () => {
  expect(await resultOf({}, { request: { withHead: true } })).toMatchObject({ head })
  const swapOf = ({ data }: Run) => ({ amountOut: BigInt(data) })
  const { alternatives: others, amountOut } = await resultOf(
    { swap: swapOf },
    { request: { data: '0x05', alternatives: ['0x07', '0x09'] } },
  )
  expect(amountOut).toBe(5n)
  expect(others).toEqual([7n, 9n].map((out) => ({ success: true, amountOut: out, gasUsed: 100_000, returnData: '0x' })))
})

const bad: readonly (readonly [string, Partial<SimulationRequest>, string])[] = [
  ['the sender zero', { from: ZERO_ADDRESS }, 'from and to must not be the zero address'],
  ['the target zero', { to: ZERO_ADDRESS }, 'from and to must not be the zero address'],
  ['the sender as target', { to: from }, 'to must differ from from'],
  ['half a byte', { data: '0x1' }, 'data must be whole bytes'],
  ['half a byte of another', { alternatives: ['0x', '0x123'] }, 'data must be whole bytes'],
  ['5 bytes', { data: '0x1122334455' }, 'data must be at most 4 bytes'],
  ['5 bytes of another', { alternatives: ['0x1122334455'] }, 'data must be at most 4 bytes'],
  ['8 others', { alternatives: Array.from({ length: 8 }, () => '0x' as const) }, 'at most 7 others may be tried'],
  ['too much gas', { gas: 20_000_001n }, 'gas must be at most 20000000, the limit of this service'],
  ['a negative amount', { amountIn: -1n }, 'amountIn must fit 256 bits'],
  ['257 bits', { amountIn: 2n ** 256n }, 'amountIn must fit 256 bits'],
]
test.each(bad)('%s is refused before the node is asked', async (_, request, message) => {
  const context = createSimulationContext({ maxCalldata: 4, maxGas: 20_000_000n })
  const { result, log } = simulate({}, { request, context })
  await expect(result).rejects.toMatchObject({ code: 'BAD_REQUEST', message })
  expect(log.calls).toEqual([])
})

test.each<[string, Partial<SimulationRequest>]>([
  ['4 bytes', { data: '0x11223344' }],
  ['7 others of 4 bytes', { alternatives: Array.from({ length: 7 }, () => '0x11223344' as const) }],
  ['all gas of the service', { gas: 20_000_000n }],
  ['nothing', { amountIn: 0n }],
  ['256 bits', { amountIn: ALL }],
])('%s at the bound is accepted', async (_, request) => {
  const context = createSimulationContext({ maxCalldata: 4, maxGas: 20_000_000n })
  expect(await resultOf({ swap: () => ({ takes: 0n }) }, { request, context })).toMatchObject({ success: true })
})

test.each<[string, World, Partial<SimulationRequest>, string]>([
  ['a block that is not there', { header: null }, {}, 'block does not exist'],
  ['more gas than the block has', {}, { gas: 30_000_001n }, 'gas must be at most 30000000, the gas limit of the block'],
  [
    'more gas than a transaction may have',
    { isOsaka: true },
    { gas: 16_777_217n },
    "gas must be at most 16777216, the chain's limit for a transaction (EIP-7825)",
  ],
  [
    'no more gas than the calldata costs',
    {},
    { gas: 21_016n, data: '0x11' },
    'gas 21016 does not even pay for the calldata',
  ],
])('%s is refused', async (_, world, request, message) => {
  await expect(resultOf(world, { request })).rejects.toMatchObject({ code: 'BAD_REQUEST', message })
})

test.each<[string, World, Partial<SimulationRequest>, bigint, bigint]>([
  ['half a block', {}, {}, 100_000_000n, 15_000_000n],
  ['the limit of the service', {}, {}, 14_999_999n, 14_999_999n],
  ['half a block up to the limit of the service', {}, {}, 15_000_001n, 15_000_000n],
  ['the limit of a transaction', { isOsaka: true, header: { gasLimit: 60_000_000n } }, {}, 100_000_000n, 16_777_216n],
  ['half a block below the limit of a transaction', { isOsaka: true }, {}, 100_000_000n, 15_000_000n],
  ['all of the block', {}, { gas: 30_000_000n }, 100_000_000n, 30_000_000n],
  ['all of a transaction', { isOsaka: true }, { gas: 16_777_216n }, 100_000_000n, 16_777_216n],
  ['one above the calldata', {}, { gas: 21_017n }, 100_000_000n, 21_017n],
])('the transaction is given %s', async (_, world, request, maxGas, gas) => {
  const context = createSimulationContext({ maxGas })
  const { orders } = await logOf(world, { request: { data: '0x11', ...request }, context })
  expect(orders.map((order) => order.gas)).toEqual([gas - 21_016n])
})

test.each<[BlockRef, BlockRef, object]>([
  ['latest', { blockHash: header.hash }, { number: 101, timestamp: 1_001, baseFeePerGas: 4n }],
  ['safe', { blockHash: header.hash }, { number: 101, timestamp: 1_001, baseFeePerGas: 4n }],
  [100, 100, { number: 101, timestamp: 1_001, baseFeePerGas: 4n }],
  [{ blockHash: header.hash }, { blockHash: header.hash }, { number: 101, timestamp: 1_001, baseFeePerGas: 4n }],
  ['pending', 'pending', {}],
])('a call at %o is pinned to one block, in the environment of the next', async (block, pinned, blockOverrides) => {
  const { orders } = await logOf({}, { request: { block } })
  expect(orders).toMatchObject([{ block: pinned, options: { blockOverrides } }])
  expect(Object.keys(orders[0]!.options.blockOverrides!)).toEqual(Object.keys(blockOverrides))
})

test('the interval of the chain and the environment of the request set the time', async () => {
  const context = createSimulationContext({ blockIntervalMs: 12_000 })
  expect((await resultOf({}, { context })).appliedBlock).toEqual({ number: 101, timestamp: 1_012 })
  const simulatedBlock = { number: 150, timestamp: 1_700 }
  expect((await resultOf({}, { request: { simulatedBlock } })).appliedBlock).toEqual(simulatedBlock)
  // No base fee before EIP-1559.
  const { orders } = await logOf({ header: { baseFeePerGas: null } })
  expect(orders[0]!.options.blockOverrides).not.toHaveProperty('baseFeePerGas')
})

test('the price is the one of the request, or that of the network', async () => {
  const priceOf = async (request: Partial<SimulationRequest>) =>
    (await logOf({}, { request })).calls.find(({ call }) => call?.to === from)?.call?.gasPrice
  expect(await priceOf({})).toBe(7n)
  expect(await priceOf({ gasPrice: 9n })).toBe(9n)
  expect(await priceOf({ gasPrice: 0n })).toBeUndefined()
})

test('state that is known is not read again', async () => {
  const methods = async (request: Partial<SimulationRequest>) =>
    (await logOf({}, { request })).calls.map(({ method }) => method).filter((method) => method !== 'call')
  expect(await methods({})).toEqual(['getBlock', `getCode ${from}`])
  expect(await methods({ knownState: { header } })).toEqual([`getCode ${from}`])
  expect(await methods({ knownState: { header, senderCode: '0x' } })).toEqual([])
})

test('time limit, priority and signal go with every request', async () => {
  const { signal } = new AbortController()
  const context = createSimulationContext({ timeoutMs: 77 })
  const { calls } = await logOf({}, { request: { signal, priority: 'background' }, context })
  const ownCalls = calls.filter(({ call }) => call?.to !== LIMIT_PROBE)
  expect(ownCalls.length).toBeGreaterThan(2)
  for (const { options } of ownCalls) expect(options).toMatchObject({ timeoutMs: 77, priority: 'background', signal })
  const plain = await logOf({}, {})
  expect(plain.calls[0]!.options).toEqual({ timeoutMs: 4_000 })
})

test('native input is sent along', async () => {
  const { result, log } = simulate({}, { request: { tokenIn: NATIVE } })
  expect(await result).toMatchObject({
    success: true,
    gasUsed: 100_000,
    ways: { balance: 'native', allowance: 'none' },
  })
  expect(log.orders).toHaveLength(1)
})

test('with a kept allowance the probe stands at the target that has code', async () => {
  const keptAllowance = { request: { allowance: 'kept' } } as const
  const atTarget = simulate({ codes: { [to]: '0x6001' } }, keptAllowance)
  expect(await atTarget.result).toMatchObject({ gasUsed: 100_000, ways: { balance: 'slot', allowance: 'none' } })
  expect(atTarget.log.orders.map(({ at }) => at)).toEqual(['target'])
  expect((await logOf({}, keptAllowance)).orders.map(({ at }) => at)).toEqual(['sender'])
  expect((await logOf({ codes: { [to]: '0x6001' } })).orders.map(({ at }) => at)).toEqual(['sender'])
})

test('at the target an outcome is that of the transaction as it is sent already', async () => {
  const { result, log } = simulate(
    { codes: { [to]: '0x6001' }, swap: () => ({ success: false, returnData: revert('no') }) },
    { request: { allowance: 'kept' } },
  )
  expect(await result).toMatchObject({ success: false, revertReason: 'no', ways: { allowance: 'none' } })
  expect(log.calls.map(({ method }) => method)).not.toContain('simulateV1')
})

test('slots of the caller are used, and a wrong one is named', async () => {
  const slots = (balanceSlot: bigint, allowanceSlot?: bigint) => {
    const request = { balanceSlot, ...(allowanceSlot !== undefined && { allowanceSlot }) }
    return { layout: null, request }
  }
  const world = { balanceOf: (account: Address, at: WordAt) => at(balanceKey(account, 900n)) }
  expect(await resultOf(world, slots(900n, 1n))).toMatchObject({
    success: true,
    ways: { balance: 'slot', allowance: 'slot' },
  })
  await expect(resultOf(world, slots(901n, 1n))).rejects.toMatchObject({
    ...{ code: 'BAD_SLOT', message: `balanceSlot does not hold the balances of ${token}` },
  })
  await expect(resultOf(world, slots(900n, 2n))).rejects.toMatchObject({
    ...{ code: 'BAD_SLOT', message: `allowanceSlot does not hold the allowances of ${token}` },
  })
  // The other part is learned.
  const { result, context } = simulate({ ...world, codes: { [token]: '0x6001' } }, slots(900n))
  expect(await result).toMatchObject({ ways: { balance: 'slot', allowance: 'slot' } })
  expect(context.slots.statistics.misses).toBe(1)
  const alone = simulate(world, slots(900n, 1n))
  await alone.result
  expect(alone.context.slots.statistics.misses).toBe(0)
})

test('a slot of the caller that the token does not confirm for the sender is wrong', async () => {
  const balanceOf = (account: Address, at: WordAt) => (account === from ? 5n : at(balanceKey(account)))
  await expect(resultOf({ balanceOf }, { layout: null, request: { balanceSlot: 0n } })).rejects.toMatchObject({
    ...{ code: 'BAD_SLOT', message: `${token} does not answer with what was written to its slots` },
  })
  await expect(resultOf({ balanceOf }, { request: { allowanceSlot: 1n } })).rejects.toMatchObject({ code: 'BAD_SLOT' })
})

test('a layout that does not hold any more is learned again', async () => {
  const layout = { ...LAYOUT, balance: { ...LAYOUT.balance, mapping: { ...LAYOUT.balance.mapping, base: 5n } } }
  const { result, context } = simulate({ codes: { [token]: '0x6001' } }, { layout })
  expect(await result).toMatchObject({ success: true, ways: { balance: 'slot', allowance: 'slot' } })
  expect(context.slots.statistics).toEqual({ remembered: 1, hits: 1, misses: 1 })
})

test('a usual mapping of the sender alone is found', async () => {
  const balanceOf = (account: Address, at: WordAt) => (account === from ? at(balanceKey(from, 3n)) : 0n)
  const { result, context } = simulate({ balanceOf }, { layout: {} })
  expect(await result).toMatchObject({ success: true, ways: { balance: 'slot', allowance: 'approved' } })
  // A layout without a balance is not learned a second time.
  expect(context.slots.statistics).toMatchObject({ hits: 1, misses: 0 })
})

const ownBalance = (amount: bigint): World => ({
  balanceOf: (account) => (account === from ? amount : 0n),
  allowanceOf: () => 1_000n,
})
const noLayout = { layout: {} }

test('the own balance and allowance are used where no slot is found', async () => {
  for (const amount of [1_000n, 5_000n])
    expect(await resultOf(ownBalance(amount), noLayout)).toMatchObject({
      ...{ success: true, amountOut: 30n, ways: { balance: 'own', allowance: 'own' } },
    })
  await expect(resultOf(ownBalance(999n), noLayout)).rejects.toMatchObject({
    code: 'UNKNOWN_SLOTS',
    message: `where ${token} keeps balances and allowances could not be found, and ${from} holds less of it than goes in`,
  })
})

describe('a sender whose known balance suffices', () => {
  const withBalance = (senderBalance: bigint) =>
    ({ request: { knownState: { header, senderCode: '0x', senderBalance } } }) as const
  const owner = (balance: bigint): World => ({
    balanceOf: (account, at) => (account === from ? at(balanceKey(account)) || balance : at(balanceKey(account))),
  })

  test.each([1_000n, 5_000n])('keeps its %s, and is allowed the input', async (balance) => {
    const { result, log } = simulate(owner(balance), withBalance(balance))
    expect(await result).toMatchObject({ success: true, ways: { balance: 'own', allowance: 'slot' } })
    expect(log.orders).toHaveLength(1)
    const { overrides } = log.calls.findLast(({ call }) => call?.to === from)!.options as CallOptions
    expect(Object.keys(overrides![token]!.stateDiff!)).toEqual([allowanceKey(from, to)])
  })

  test('fails as the swap does with its own balance', async () => {
    const world: World = { ...owner(5_000n), swap: () => ({ success: false, returnData: revert('whales wait') }) }
    expect(await resultOf(world, withBalance(5_000n))).toMatchObject({
      ...{ success: false, revertReason: 'whales wait', ways: { balance: 'own' } },
    })
  })

  test('has the input written if its own balance has fallen since, or never sufficed', async () => {
    expect(await resultOf(owner(999n), withBalance(5_000n))).toMatchObject({ success: true, ways: { balance: 'slot' } })
    expect(await resultOf(owner(999n), withBalance(999n))).toMatchObject({ success: true, ways: { balance: 'slot' } })
  })

  test('has the input written if the token takes more than that', async () => {
    const world: World = { ...owner(5_000n), swap: () => ({ takes: 1_001n }) }
    expect(await resultOf(world, withBalance(5_000n))).toMatchObject({ ways: { balance: 'slot' } })
  })

  test('is run as it is sent with its own balance', async () => {
    const world: World = { ...owner(5_000n), sent: { amountOut: 7n } }
    const { request } = withBalance(5_000n)
    expect(await resultOf(world, { request: { ...request, bareRunMode: 'measured' } })).toMatchObject({
      ...{ amountOut: 7n, ways: { balance: 'own', sender: 'bare' } },
    })
  })
})

test('an own balance of which more than the input is taken is not used', async () => {
  const world = { ...ownBalance(5_000n), swap: () => ({ takes: 1_001n }) }
  await expect(resultOf(world, noLayout)).rejects.toMatchObject({ code: 'UNKNOWN_SLOTS' })
})

test('a swap that fails with the own balance is the outcome where there is no other', async () => {
  const world = { ...ownBalance(5_000n), swap: () => ({ success: false, returnData: revert('no') }) }
  expect(await resultOf(world, noLayout)).toMatchObject({ revertReason: 'no', ways: { balance: 'own' } })
})

test('slots that the token reads for the sender are used before a loan', async () => {
  const key: Hex = `0x${'e'.repeat(64)}`
  const world: World = { balanceOf: (account, at) => (account === from ? at(key) : 0n), reads: [key] }
  const { result, log } = simulate(world, { ...noLayout, request: { holders: [holder] } })
  expect(await result).toMatchObject({ ways: { balance: 'slot', allowance: 'approved' } })
  expect(log.orders.every(({ lend }) => lend === 0n)).toBe(true)
})

const lending = { layout: {}, request: { holders: [holder, miner] } }
const penniless: World = { balanceOf: () => 0n }

test('a holder lends the input, once more with what a tax takes', async () => {
  const whole = simulate(penniless, lending)
  expect(await whole.result).toMatchObject({ success: true, ways: { balance: 'lent', allowance: 'approved' } })
  expect(whole.log.orders.map(({ lend }) => lend)).toEqual([0n, 1_000n])
  const taxed = simulate({ ...penniless, received: (amount) => (amount * 9n) / 10n }, lending)
  expect(await taxed.result).toMatchObject({ success: true, ways: { balance: 'lent' } })
  // 1,000 for 900 is 1,111.1 for 1,000.
  expect(taxed.log.orders.map(({ lend }) => lend)).toEqual([0n, 1_000n, 1_112n])
})

test('a holder that lends nothing is tried once, and one that lends too little twice', async () => {
  const nothing = simulate({ ...penniless, received: () => 0n }, lending)
  await expect(nothing.result).rejects.toMatchObject({ code: 'UNKNOWN_SLOTS' })
  expect(nothing.log.orders.map(({ lend }) => lend)).toEqual([0n, 1_000n, 1_000n])
  const little = simulate({ ...penniless, received: () => 500n }, lending)
  await expect(little.result).rejects.toMatchObject({ code: 'UNKNOWN_SLOTS' })
  expect(little.log.orders.map(({ lend }) => lend)).toEqual([0n, 1_000n, 2_001n, 1_000n, 2_001n])
})

test('no loan is larger than a token can express', async () => {
  const request = { ...lending.request, amountIn: 2n ** 200n }
  const { result, log } = simulate({ ...penniless, received: () => 5n }, { ...lending, request })
  await expect(result).rejects.toMatchObject({ code: 'UNKNOWN_SLOTS' })
  expect(log.orders.map(({ lend }) => lend)).toEqual([0n, 2n ** 200n, 2n ** 200n])
})

test('of the holders the first whose loan works is used, otherwise the failure of the first', async () => {
  const failing = (...lenders: readonly Address[]): World => ({
    ...penniless,
    swap: ({ lender }) => ({ success: !lenders.includes(lender), returnData: revert(lender) }),
  })
  expect(await resultOf(failing(holder), lending)).toMatchObject({ success: true, ways: { balance: 'lent' } })
  const { revertReason } = await resultOf(failing(holder, miner), lending)
  expect(revertReason).toBe(holder)
})

test('a sender approves where the allowance is not what was written, the amount or all', async () => {
  const numbers = simulate({ allowanceOf: () => 999n })
  expect(await numbers.result).toMatchObject({ success: true, ways: { balance: 'slot', allowance: 'approved' } })
  expect(numbers.log.orders.map(({ approve }) => approve)).toEqual([0n, 1_000n])
  const yesOrNo = simulate({ allowanceOf: () => 0n, approved: (units) => (units === ALL ? ALL : 0n) })
  expect(await yesOrNo.result).toMatchObject({ ways: { allowance: 'approved' } })
  expect(yesOrNo.log.orders.map(({ approve }) => approve)).toEqual([0n, 1_000n, ALL])
  const largerAllowance = simulate({ allowanceOf: () => 1_001n })
  expect(await largerAllowance.result).toMatchObject({ ways: { allowance: 'slot' } })
})

test('a token that grants nothing at all cannot be set up', async () => {
  const { result, log } = simulate(
    { allowanceOf: () => 0n, approved: () => 999n, codes: { [token]: '0x6001' } },
    { layout: { balance: LAYOUT.balance } },
  )
  await expect(result).rejects.toMatchObject({ code: 'UNKNOWN_SLOTS' })
  expect(log.orders.slice(0, 2).map(({ approve }) => approve)).toEqual([1_000n, ALL])
})

test('an allowance that the caller wants approved is not confirmed', async () => {
  const { result, log } = simulate(
    { allowanceOf: () => 0n, approved: () => 0n },
    { request: { allowance: 'approved' } },
  )
  expect(await result).toMatchObject({ success: true, ways: { balance: 'slot', allowance: 'approved' } })
  expect(log.orders.map(({ approve }) => approve)).toEqual([1_000n])
})

test('a failure is the own one of the swap where the token lets a spender take the input', async () => {
  const fails: World = {
    swap: ({ lender }) => ({ success: lender === holder, returnData: revert('no') }),
  }
  const request = { holders: [holder] }
  const ownSimulation = simulate(fails, { request })
  expect(await ownSimulation.result).toMatchObject({ success: false, ways: { balance: 'slot' } })
  expect(ownSimulation.log.takes).toBe(1)
  expect(await resultOf({ ...fails, moves: false }, { request })).toMatchObject({
    success: true,
    ways: { balance: 'lent' },
  })
  // Without a holder the failure stands.
  expect(await resultOf({ ...fails, moves: false })).toMatchObject({ success: false, ways: { balance: 'slot' } })
  // A sender that approves by itself has shown that the token works.
  const approving = simulate({ ...fails, moves: false }, { layout: { balance: LAYOUT.balance }, request })
  expect(await approving.result).toMatchObject({ success: false, ways: { balance: 'slot', allowance: 'approved' } })
  expect(approving.log.takes).toBe(0)
})

const bareRunMode = { request: { bareRunMode: 'measured' } } as const

test('as it is sent, the same outcome is confirmed, with the gas that is charged', async () => {
  const { result, log } = simulate({ sent: { gasUsed: 90_000n, maxUsedGas: 121_500n } }, bareRunMode)
  expect(await result).toMatchObject({ gasUsed: 100_000, chargedGas: 90_000, ways: { sender: 'same' } })
  expect(await result).not.toHaveProperty('outcomeWithProbe')
  expect(log.calls.filter(({ method }) => method === 'simulateV1')).toHaveLength(1)
})

test('as it is sent, another outcome is the result, and that of the probe is kept', async () => {
  const sent = { success: false, returnData: revert('contract!'), gasUsed: 90_000n, maxUsedGas: 91_000n }
  const result = await resultOf({ sent }, { request: { bareRunMode: 'measured', alternatives: ['0x11'] } })
  expect(result).toMatchObject({
    ...{ success: false, amountOut: 0n, gasUsed: 70_000, chargedGas: 90_000, revertReason: 'contract!' },
    outcomeWithProbe: { success: true, amountOut: 30n, gasUsed: 100_000, returnData: '0x' },
    ways: { balance: 'slot', allowance: 'slot', sender: 'bare' },
  })
  expect(result).not.toHaveProperty('others')
})

test('gas that agrees with the charge is not measured again, other gas is', async () => {
  const charged = { request: { bareRunMode: 'charged' } } as const
  const runs = async (gasUsed: bigint) => {
    const { result, log } = simulate({ sent: { gasUsed } }, charged)
    return { result: await result, simulated: log.calls.filter(({ method }) => method === 'simulateV1').length }
  }
  // 100,000 for the call and 21,000 before it; a fifth of that may be refunded.
  for (const gasUsed of [121_000n, 97_000n]) {
    const { result, simulated } = await runs(gasUsed)
    expect(result).toMatchObject({ gasUsed: 100_000, chargedGas: Number(gasUsed), ways: { sender: 'same' } })
    expect(simulated).toBe(1)
  }
  for (const gasUsed of [130_000n, 80_000n]) {
    const { result, simulated } = await runs(gasUsed)
    expect(result).toMatchObject({ chargedGas: Number(gasUsed), ways: { sender: 'bare' } })
    expect(simulated).toBe(2)
  }
})

test('a failure for a sender without code is run as it is sent in any case, others are not', async () => {
  const fails = (codes = {}): World => ({
    ...{ codes, swap: () => ({ success: false, returnData: revert('no') }), sent: { maxUsedGas: 121_000n } },
  })
  expect(await resultOf(fails())).toMatchObject({
    success: true,
    ways: { sender: 'bare' },
    outcomeWithProbe: { success: false },
  })
  const withCode = await resultOf(fails({ [from]: '0x6001' }))
  expect(withCode).toMatchObject({ success: false })
  expect(withCode.ways).not.toHaveProperty('sender')
  expect((await resultOf({ sent: {} })).ways).not.toHaveProperty('sender')
  // One that is out of gas would be so for any sender.
  const outOfGas = { ...fails(), swap: ({ gas }: Run) => ({ success: false, gasUsed: gas, returnData: revert('no') }) }
  expect((await resultOf(outOfGas)).ways).not.toHaveProperty('sender')
})

test('where no node can run it as it is sent, the outcome of the probe stands', async () => {
  const result = await resultOf({}, bareRunMode)
  expect(result).toMatchObject({ success: true })
  expect(result.ways).not.toHaveProperty('sender')
})

test('a set-up that did not hold is not the one that is run as sent', async () => {
  const world: World = { allowanceOf: () => 0n, sent: { maxUsedGas: 121_000n } }
  const { result, log } = simulate(world, bareRunMode)
  expect(await result).toMatchObject({ ways: { allowance: 'approved', sender: 'same' } })
  expect(log.calls.filter(({ method }) => method === 'simulateV1')).toHaveLength(2)
})

const exhausted = ({ gas }: Run): Outcome => ({ success: false, gasUsed: gas })

test('a transaction with nothing left is out of gas, or invalid by the words of the node', async () => {
  const { result, log } = simulate({ swap: exhausted })
  expect(await result).toMatchObject({ success: false, revertReason: 'out of gas' })
  const nodeCall = log.calls.find(({ method }) => method === 'words')!
  // The whole transaction: its gas with the intrinsic part, and the price of that.
  expect(nodeCall.call).toEqual({ from, to, data: '0x', value: 0n, gas: 15_000_000n })
  expect((nodeCall.options as CallOptions).overrides?.[from]).toEqual({ balance: 15_000_000n * 7n })
  expect((nodeCall.options as CallOptions).overrides?.[token]).toHaveProperty('stateDiff')
  const invalid = new RpcError('REVERTED', 'invalid opcode')
  expect((await resultOf({ swap: exhausted, words: invalid })).revertReason).toMatch(/^invalid opcode: /)
  const other = new RpcError('REJECTED', 'invalid opcode')
  expect((await resultOf({ swap: exhausted, words: other })).revertReason).toBe('out of gas')
})

test('native input is part of the transaction that the node is asked about', async () => {
  const { calls } = await logOf({ swap: exhausted }, { request: { tokenIn: NATIVE, gasPrice: 2n } })
  const nodeCall = calls.find(({ method }) => method === 'words')!
  expect(nodeCall.call?.value).toBe(1_000n)
  expect((nodeCall.options as CallOptions).overrides?.[from]?.balance).toBe(1_000n + 30_000_000n)
})

test('no node is asked for words of any other failure', async () => {
  const { calls } = await logOf({ swap: () => ({ success: false }) })
  expect(calls.map(({ method }) => method)).not.toContain('words')
})

/** Gas of the target: one million, or half a block, without the 21,000 of the transaction. */
const CUSTOM_GAS = 979_000n
const USUAL = 14_979_000n
/** Three quarters of the usual gas are 11,234,250. */
const MORE_THAN_THREE_QUARTERS = 11_234_251n
const few = { request: { gas: 1_000_000n } }
const starvedWith = async (again: Outcome, first: Outcome = {}, options: Options = few) => {
  const silent = { success: false, gasUsed: 900_000n, ...first }
  const { result, log } = simulate({ swap: ({ gas }) => (gas === CUSTOM_GAS ? silent : again) }, options)
  const { revertReason } = await result
  return { revertReason, gas: log.orders.map((order) => order.gas) }
}
const SILENT = 'reverted without a reason'
const STARVED = 'out of gas'

test.each<[string, Outcome, string]>([
  ['succeeds', { success: true }, STARVED],
  ['says why', { success: false, returnData: revert('no') }, STARVED],
  ['uses more than it had', { success: false, gasUsed: CUSTOM_GAS + 1n }, STARVED],
  ['uses no more than it had', { success: false, gasUsed: CUSTOM_GAS }, SILENT],
  ['succeeds with nearly all of it', { success: true, gasUsed: MORE_THAN_THREE_QUARTERS }, STARVED],
  ['takes nearly all of it again', { success: false, gasUsed: MORE_THAN_THREE_QUARTERS }, SILENT],
  ['takes three quarters of it', { success: false, gasUsed: MORE_THAN_THREE_QUARTERS - 1n }, STARVED],
])('a silent failure with little gas that %s with more', async (_, again, reason) => {
  const { revertReason, gas } = await starvedWith(again)
  expect(revertReason).toBe(reason)
  expect(gas).toEqual([CUSTOM_GAS, USUAL])
})

test('only a silent failure that used more than three quarters of its gas is run again', async () => {
  const success = { success: true }
  expect(await starvedWith(success, { gasUsed: 734_250n })).toEqual({ revertReason: SILENT, gas: [CUSTOM_GAS] })
  expect(await starvedWith(success, { gasUsed: 734_251n })).toEqual({ revertReason: STARVED, gas: [CUSTOM_GAS, USUAL] })
  expect(await starvedWith(success, { returnData: revert('no') })).toEqual({ revertReason: 'no', gas: [CUSTOM_GAS] })
  expect(await starvedWith(success, { success: true })).toEqual({ revertReason: undefined, gas: [CUSTOM_GAS] })
  // All of it is gone: the node has words for that.
  expect(await starvedWith(success, { gasUsed: CUSTOM_GAS })).toEqual({ revertReason: 'out of gas', gas: [CUSTOM_GAS] })
})

test('without a limit of the caller, or with no less than usual, nothing is run again', async () => {
  const swapOf = ({ gas }: Run) => ({ success: false, gasUsed: (gas * 9n) / 10n })
  for (const request of [{}, { gas: 15_000_000n }, { gas: 16_000_000n }]) {
    const { result, log } = simulate({ swap: swapOf }, { request })
    expect(await result).toMatchObject({ revertReason: SILENT })
    expect(log.orders).toHaveLength(1)
  }
  expect((await logOf({ swap: swapOf }, { request: { gas: 14_999_999n } })).orders).toHaveLength(2)
})
