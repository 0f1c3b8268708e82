import { type Address, NATIVE, toAddress } from '@sluice/chains'
import { id } from 'ethers'
import { describe, expect, test } from 'vitest'
import { changesOf, type FlowLog, type TokenTransfer } from './flows.ts'
import { withoutGasDeposits } from './settlement.ts'
import { readTrades, type TradeContext } from './trades.ts'

const account = (digit: string): Address => toAddress(`0x${digit.repeat(40)}`)
const [A, B, C, WETH] = ['1', '2', '3', '4'].map(account) as [Address, Address, Address, Address]
const [ANN, BOB, POOL, OTHER_POOL, FEES, MINER, SOLVER, SAFE] = ['a', 'b', 'c', 'd', 'e', 'f', '8', '9'].map(
  account,
) as [...[Address, Address, Address, Address], ...[Address, Address, Address, Address]]
const move = (token: Address, from: Address, to: Address, amount: bigint): TokenTransfer => ({
  token,
  from,
  to,
  amount,
})
const read = (flows: readonly TokenTransfer[], overrides: Partial<TradeContext> = {}) =>
  readTrades(changesOf(flows), {
    ...{ sender: ANN, miner: MINER, wrappedNative: WETH, externalAccounts: new Set<Address>(), logs: [] },
    tokensToSender: new Set(flows.flatMap(({ to, token }) => (to === ANN ? [token] : []))),
    ...overrides,
  })
const swap = [move(A, ANN, POOL, 100n), move(B, POOL, ANN, 50n)]
const trade = { trader: ANN, recipient: ANN, tokenIn: A, tokenOut: B, amountIn: 100n, amountOut: 50n, fees: [] }

describe('a swap', () => {
  test('is one token for another, over any number of pools and with refunds', () => {
    expect(read(swap)).toEqual({ kind: 'swap', trades: [trade] })
    const hops = [move(A, ANN, POOL, 110n), move(C, POOL, OTHER_POOL, 7n), move(B, OTHER_POOL, ANN, 50n)]
    expect(read([...hops, move(A, POOL, ANN, 10n)])).toEqual({ kind: 'swap', trades: [trade] })
  })

  test('may pay fees of either token, and the author of the block', () => {
    const fees = [move(A, ANN, FEES, 3n), move(B, POOL, FEES, 2n), move(NATIVE, POOL, MINER, 9n)]
    const reading = read([...swap, ...fees])
    expect(reading).toEqual({
      kind: 'swap',
      trades: [
        {
          ...{ ...trade, amountIn: 103n },
          fees: [
            { account: FEES, token: A, amount: 3n },
            { account: FEES, token: B, amount: 2n },
          ],
        },
      ],
    })
  })

  test('with the native token as input or output may pay the author of the block, who takes no fee of it', () => {
    const sold = [move(NATIVE, ANN, POOL, 100n), move(NATIVE, POOL, MINER, 1n), move(B, POOL, ANN, 50n)]
    expect(read(sold)).toEqual({ kind: 'swap', trades: [{ ...trade, tokenIn: NATIVE }] })
    const bought = [move(A, ANN, POOL, 100n), move(NATIVE, POOL, MINER, 1n), move(NATIVE, POOL, ANN, 50n)]
    expect(read(bought)).toEqual({ kind: 'swap', trades: [{ ...trade, tokenOut: NATIVE }] })
    // The tip is no second output of a swap for another recipient.
    const sent = [move(A, ANN, POOL, 100n), move(NATIVE, POOL, MINER, 1n), move(B, POOL, BOB, 50n)]
    expect(read(sent)).toEqual({ kind: 'swap', trades: [{ ...trade, recipient: BOB }] })
  })

  test('that ends in the native token may pay its fee before the output is unwrapped', () => {
    const flows = [
      ...[move(A, ANN, POOL, 100n), move(WETH, POOL, SOLVER, 52n), move(WETH, SOLVER, FEES, 2n)],
      ...[move(WETH, SOLVER, WETH, 50n), move(NATIVE, WETH, SOLVER, 50n), move(NATIVE, SOLVER, ANN, 50n)],
    ]
    const fees = [{ account: FEES, token: WETH, amount: 2n }]
    expect(read(flows)).toEqual({ kind: 'swap', trades: [{ ...trade, tokenOut: NATIVE, fees }] })
  })

  test('may be for another recipient, who receives most of what comes out', () => {
    const flows = [move(A, ANN, POOL, 100n), move(B, POOL, BOB, 50n), move(B, POOL, FEES, 1n)]
    const fees = [{ account: FEES, token: B, amount: 1n }]
    expect(read(flows)).toEqual({ kind: 'swap', trades: [{ ...trade, recipient: BOB, fees }] })
  })

  test('of the native token passes the wrapper, which receives nothing for itself', () => {
    const flows = [
      ...[move(NATIVE, ANN, SOLVER, 100n), move(NATIVE, SOLVER, WETH, 100n), move(WETH, WETH, SOLVER, 100n)],
      ...[move(WETH, SOLVER, POOL, 100n), move(B, POOL, ANN, 50n)],
    ]
    expect(read(flows)).toEqual({ kind: 'swap', trades: [{ ...trade, tokenIn: NATIVE }] })
    // What leaves the wrapper is not always known: it is no fee either.
    expect(read(flows.slice(0, 2).concat(flows.slice(3)))).toMatchObject({ trades: [{ fees: [] }] })
  })
})

describe('a transaction that is not a swap', () => {
  test.each([
    ['a transfer', 'transfer', 'SENT', [move(A, ANN, BOB, 5n)]],
    ['an approval', 'nothing', 'NO_INPUT', []],
    ['a gift', 'nothing', 'ONLY_CONTRACTS', [move(A, BOB, ANN, 5n)]],
    ['burning', 'nothing', 'NO_OUTPUT', [move(A, ANN, toAddress(`0x${'0'.repeat(40)}`), 5n)]],
    ['wrapping', 'wrap', 'WRAPPED', [move(NATIVE, ANN, WETH, 5n), move(WETH, WETH, ANN, 5n)]],
    ['unwrapping', 'wrap', 'WRAPPED', [move(WETH, ANN, WETH, 5n), move(NATIVE, WETH, ANN, 5n)]],
    [
      'adding to a pool',
      'several',
      'SEVERAL_INPUTS',
      [move(A, ANN, POOL, 5n), move(B, ANN, POOL, 5n), move(C, BOB, ANN, 5n)],
    ],
    ['two tokens for one', 'several', 'SEVERAL_OUTPUTS', [...swap, move(C, OTHER_POOL, ANN, 5n)]],
    [
      'two tokens to others',
      'several',
      'SEVERAL_OUTPUTS_OF_OTHERS',
      [move(A, ANN, POOL, 5n), move(B, POOL, BOB, 5n), move(C, POOL, FEES, 5n)],
    ],
    // WETH to FX and back in one transaction (mev-inspect-py 323).
    ['a circle', 'nothing', 'SAME_TOKEN', [...swap, move(B, ANN, POOL, 50n), move(A, POOL, ANN, 98n)]],
  ] as const)('%s', (_, kind, code, flows) => {
    expect(read(flows)).toMatchObject({ kind, code, reason: expect.any(String) })
  })
})

describe('orders that others submit', () => {
  const order = (who: Address) => [move(A, who, POOL, 100n), move(B, POOL, who, 50n)]
  const ofBob = { ...trade, trader: BOB, recipient: BOB }

  test('are those of people who gave one token for another, and not of pools that did', () => {
    expect(read(order(BOB), { externalAccounts: new Set([BOB]) })).toEqual({ kind: 'swap', trades: [ofBob] })
    expect(read(order(BOB))).toMatchObject({ kind: 'nothing' })
  })

  test('may be of contracts whose orders the settlement contract names', () => {
    const topics = [
      id('Trade(address,address,address,uint256,uint256,uint256,bytes)'),
      `0x${SAFE.slice(2).padStart(64, '0')}`,
    ]
    const logs = [{ address: SOLVER, topics, data: '0x' }] as unknown as FlowLog[]
    expect(read(order(SAFE), { logs })).toEqual({ kind: 'swap', trades: [{ ...trade, trader: SAFE, recipient: SAFE }] })
  })

  const topicOf = (address: Address) => `0x${address.slice(2).padStart(64, '0')}` as const
  const ofSafeSwap = { kind: 'swap', trades: [{ ...trade, trader: SAFE, recipient: SAFE }] }

  test('may be operations of ERC-4337 accounts, whose deposits for gas are no input', () => {
    const signature = id('UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)')
    const topics = [signature, `0x${'7'.repeat(64)}`, topicOf(SAFE), topicOf(BOB)]
    const logs = [{ address: SOLVER, topics, data: '0x' }] as unknown as FlowLog[]
    const flows = [...order(SAFE), move(NATIVE, SAFE, SOLVER, 9n), move(NATIVE, SOLVER, ANN, 8n)]
    expect(read(withoutGasDeposits(flows, logs), { logs })).toEqual(ofSafeSwap)
    // Another contract's deposits are not left out.
    expect(withoutGasDeposits([move(NATIVE, BOB, SOLVER, 9n)], logs)).toHaveLength(1)
  })

  test.each(['ExecutionSuccess(bytes32,uint256)', 'ExecutionFromModuleSuccess(address)'])(
    'may be of a Safe that logs %s',
    (event) => {
      const logs = [{ address: SAFE, topics: [id(event)], data: '0x' }] as unknown as FlowLog[]
      expect(read(order(SAFE), { logs })).toEqual(ofSafeSwap)
    },
  )

  test('of contracts that nothing names cannot be distinguished from pools', () => {
    expect(read(order(SAFE))).toMatchObject({ kind: 'nothing', code: 'ONLY_CONTRACTS' })
    expect(read([])).toMatchObject({ kind: 'nothing', code: 'NO_INPUT' })
  })

  test('are judged one by one', () => {
    const flows = [...order(BOB), move(C, SAFE, POOL, 5n), move(A, POOL, SAFE, 6n)]
    const ofSafe = { trader: SAFE, recipient: SAFE, tokenIn: C, tokenOut: A, amountIn: 5n, amountOut: 6n, fees: [] }
    expect(read(flows, { externalAccounts: new Set([BOB, SAFE]) })).toEqual({ kind: 'swap', trades: [ofBob, ofSafe] })
  })
})
