import { type Hex, NATIVE, toAddress } from '@sluice/chains'
import { type CallRequest, type Rpc, RpcError } from '@sluice/rpc'
import { SimulationError } from '@sluice/simulation'
import { Interface } from 'ethers'
import { describe, expect, test } from 'vitest'
import type { AccountCall } from '../approval.ts'
import { approvalCalls, checkBatch } from './calls.ts'

const [owner, spender, token] = ['1', '2', '3'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [
  AccountCall['to'],
  AccountCall['to'],
  AccountCall['to'],
]
const abi = new Interface([
  'function allowance(address,address) view returns (uint256)',
  'function approve(address,uint256)',
])
const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

type Token = {
  readonly allowance: Hex | 'reverts'
  /** Result of `approve`. */
  readonly approve: (amount: bigint) => Hex | 'reverts'
  /** Outcomes of an approval and a read of the allowance after it; the node lacks the method if absent. */
  readonly simulated?: () => readonly object[] | RpcError
}
const answered = (answer: Hex | 'reverts') => {
  if (answer === 'reverts') throw new RpcError('REVERTED', 'no')
  return answer
}
const rpcOf = ({ allowance, approve, simulated = () => new RpcError('UNSUPPORTED', 'no') }: Token) =>
  ({
    async call({ from, to, data }: CallRequest) {
      expect(to).toBe(token)
      const { name, args } = abi.parseTransaction({ data: data! })!
      if (name === 'allowance') {
        expect([...args]).toEqual([owner, spender].map((address) => expect.stringMatching(new RegExp(address, 'i'))))
        return answered(allowance)
      }
      expect(from).toBe(owner)
      return answered(approve(args[1]))
    },
    async simulateV1(sent: readonly CallRequest[]) {
      expect(sent.map(({ from, to, data }) => [from, to, abi.parseTransaction({ data: data! })!.name])).toEqual([
        [owner, token, 'approve'],
        [owner, token, 'allowance'],
      ])
      const outcomes = simulated()
      if (outcomes instanceof RpcError) throw outcomes
      return outcomes
    },
  }) as unknown as Rpc

const calls = async (of: Token, amount = 100n) =>
  (await approvalCalls(rpcOf(of), { token, owner, spender, amount, block: 'latest' }, {})).map(
    ({ to, data, value }) => {
      expect([to, value]).toEqual([token, 0n])
      return abi.decodeFunctionData('approve', data)[1]
    },
  )

describe('approvals before a swap', () => {
  const plain = { approve: () => word(1n) }
  test('are none if the allowance suffices, and otherwise exactly the amount', async () => {
    expect(await calls({ ...plain, allowance: word(100n) })).toEqual([])
    expect(await calls({ ...plain, allowance: word(99n) })).toEqual([100n])
    expect(await calls({ ...plain, allowance: word(0n) })).toEqual([100n])
    // The allowance is the first word, and an answer without a whole word is none.
    expect(await calls({ ...plain, allowance: `${word(99n)}${'f'.repeat(64)}` })).toEqual([100n])
    expect(await calls({ ...plain, allowance: '0xff' })).toEqual([100n])
    expect(
      await approvalCalls(
        rpcOf({ ...plain, allowance: word(0n) }),
        { token: NATIVE, owner, spender, amount: 1n, block: 'latest' },
        {},
      ),
    ).toEqual([])
  })

  test('accept a token that returns false, if the allowance is set nevertheless', async () => {
    const callsAfter = (outcomes: readonly object[] | RpcError, allowance = word(0n)) =>
      calls({ allowance, approve: () => word(0n), simulated: () => outcomes })
    const done = { success: true, returnData: '0x' }
    expect(await callsAfter([done, { success: true, returnData: word(100n) }])).toEqual([100n])
    for (const outcomes of [
      [done, { success: true, returnData: word(99n) }],
      [done, { success: true, returnData: '0x' }],
      [
        { success: false, returnData: '0x' },
        { success: true, returnData: word(100n) },
      ],
      [done],
      new RpcError('UNSUPPORTED', 'no such method'),
      new RpcError('BAD_ANSWER', 'no such method'),
    ])
      await expect(callsAfter(outcomes)).rejects.toMatchObject({ code: 'ROUTE_REVERTED' })
    await expect(callsAfter(new RpcError('TIMEOUT', 'late'))).rejects.toMatchObject({ code: 'TIMEOUT' })
  })

  test('accept a token that returns nothing, but not one that returns false or reverts', async () => {
    expect(await calls({ allowance: word(0n), approve: () => '0x' })).toEqual([100n])
    for (const answer of [word(0n), word(2n), 'reverts'] as const)
      await expect(calls({ allowance: word(0n), approve: () => answer })).rejects.toMatchObject({
        code: 'ROUTE_REVERTED',
      })
  })

  test('reset the allowance first if the token requires it', async () => {
    const insists = (amount: bigint) => (amount === 0n ? word(1n) : 'reverts')
    expect(await calls({ allowance: word(5n), approve: insists })).toEqual([0n, 100n])
    await expect(calls({ allowance: word(0n), approve: insists })).rejects.toMatchObject({
      code: 'ROUTE_REVERTED',
      details: { reasons: [] },
    })
    await expect(calls({ allowance: word(5n), approve: () => 'reverts' })).rejects.toMatchObject({
      code: 'ROUTE_REVERTED',
    })
  })

  test('treat an unreadable allowance as zero, and read only the first word of a result', async () => {
    for (const allowance of ['0x', '0x12', 'reverts'] as const)
      expect(await calls({ ...plain, allowance })).toEqual([100n])
    expect(await calls({ ...plain, allowance: `${word(100n)}ff` })).toEqual([])
    expect(await calls({ allowance: word(0n), approve: () => `${word(1n)}ff` })).toEqual([100n])
  })

  test('do not treat a failing node as a rejection by the token', async () => {
    const rpc = { call: () => Promise.reject(new RpcError('TIMEOUT', 'late')) } as unknown as Rpc
    await expect(approvalCalls(rpc, { token, owner, spender, amount: 1n, block: 'latest' }, {})).rejects.toMatchObject({
      code: 'TIMEOUT',
    })
  })
})

describe('approvals and swap in one simulation', () => {
  const approval: AccountCall = { to: token, data: '0x', value: 0n }
  type Setup = {
    readonly result: object | Error
    readonly code?: Hex
    readonly trialWays?: object
    readonly approvals?: readonly AccountCall[]
    readonly fee?: object
  }
  const check = ({ result, code = '0x', trialWays = {}, approvals = [approval], fee = {} }: Setup) => {
    const requests: object[] = []
    const checked = checkBatch(approvals, {
      request: { from: owner, feePpm: 0n, ...fee },
      route: { tokenIn: token, tokenOut: NATIVE, amountIn: 100n, legs: [{ pool: { address: spender } }] },
      trial: { swap: { to: spender, data: '0xab' }, amountOut: 50n, simulation: { ways: trialWays } },
      view: { snapshot: { block: { number: 7, hash: '0x07' } }, codeOf: async () => code, balanceOf: async () => 0n },
      simulate: async (request: object, pools: ReadonlySet<string>) => {
        requests.push({ request, pools })
        if (result instanceof Error) throw result
        return result
      },
      signal: new AbortController().signal,
    } as unknown as Parameters<typeof checkBatch>[1])
    return { checked, requests }
  }
  const paid = (amountOut: bigint, ways: object = {}) => ({ success: true, amountOut, ways })

  test('must pay as much as the swap alone', async () => {
    for (const amount of [50n, 51n]) expect(await check({ result: paid(amount) }).checked).toEqual([])
    await expect(check({ result: paid(49n) }).checked).rejects.toThrow('pays 49 instead of 50')
    const reverted = { success: false, amountOut: 0n, revertReason: 'no allowance', ways: {} }
    await expect(check({ result: reverted }).checked).rejects.toMatchObject({
      code: 'ROUTE_REVERTED',
      message: expect.stringContaining('no allowance'),
      details: { reasons: [], block: 7 },
    })
  })

  test('must pay as much without the fee, if the sender receives the fee itself', async () => {
    const fee = { feePpm: 100_000n, feeRecipient: owner }
    expect(await check({ result: paid(55n), fee }).checked).toEqual([])
    await expect(check({ result: paid(54n), fee }).checked).rejects.toThrow('pays 49 instead of 50')
  })

  test('start from the existing allowance, or from the approvals', async () => {
    const { requests, checked } = check({ result: paid(50n) })
    await checked
    const shared = { from: owner, to: spender, data: '0xab', tokenIn: token, amountIn: 100n, tokenOut: NATIVE }
    expect(requests).toMatchObject([
      { request: { ...shared, allowance: 'approved', block: { blockHash: '0x07' }, knownState: { senderCode: '0x' } } },
    ])
    expect(requests).toMatchObject([{ pools: new Set([spender]) }])
    const without = check({ result: paid(50n), approvals: [] })
    await without.checked
    expect(without.requests).toMatchObject([{ request: { allowance: 'kept' } }])
  })

  test('warn if they cannot be simulated together, or if the result depends on code at the sender', async () => {
    expect(await check({ result: new SimulationError('BAD_TOKEN', 'lent') }).checked).toEqual([
      'approvals and swap could not be run as one: lent',
    ])
    await expect(check({ result: new Error('bug') }).checked).rejects.toThrow('bug')
    const differs = ['src or dst treats accounts with code otherwise: make the calls one by one']
    expect(await check({ result: paid(10n, { sender: 'bare' }) }).checked).toEqual(differs)
    expect(await check({ result: paid(10n), trialWays: { sender: 'bare' } }).checked).toEqual(differs)
    // A sender with code runs the batch as it is, and without approvals there is no batch.
    const bare = paid(10n, { sender: 'bare' })
    await expect(check({ result: bare, code: '0x60' }).checked).rejects.toThrow('instead of')
    await expect(check({ result: bare, approvals: [] }).checked).rejects.toThrow('instead of')
    expect(await check({ result: paid(50n, { sender: 'same' }) }).checked).toEqual([])
  })
})
