import { type Hex, NATIVE, toAddress } from '@sluice/chains'
import { type CallRequest, type Rpc, RpcError } from '@sluice/rpc'
import { SimulationError } from '@sluice/simulation'
import { Interface } from 'ethers'
import { describe, expect, test } from 'vitest'
import { approvalCalls, type Call, checkBatch } from './calls.ts'

const [owner, spender, token] = ['1', '2', '3'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [
  Call['to'],
  Call['to'],
  Call['to'],
]
const abi = new Interface([
  'function allowance(address,address) view returns (uint256)',
  'function approve(address,uint256)',
])
const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

type Token = {
  readonly allowance: Hex | 'reverts'
  /** Answer to an approval. */
  readonly approve: (amount: bigint) => Hex | 'reverts'
}
const answered = (answer: Hex | 'reverts') => {
  if (answer === 'reverts') throw new RpcError('REVERTED', 'no')
  return answer
}
const rpcOf = ({ allowance, approve }: Token) =>
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
  }) as unknown as Rpc

const calls = async (of: Token, amount = 100n) =>
  (await approvalCalls(rpcOf(of), { token, owner, spender, amount, block: 'latest' }, {})).map(
    ({ to, data, value }) => {
      expect([to, value]).toEqual([token, 0n])
      return abi.decodeFunctionData('approve', data)[1]
    },
  )

describe('approvals that a wallet has to make', () => {
  const plain = { approve: () => word(1n) }
  test('none while the allowance is enough, and exactly the amount else', async () => {
    expect(await calls({ ...plain, allowance: word(100n) })).toEqual([])
    expect(await calls({ ...plain, allowance: word(99n) })).toEqual([100n])
    expect(await calls({ ...plain, allowance: word(0n) })).toEqual([100n])
    expect(
      await approvalCalls(
        rpcOf({ ...plain, allowance: word(0n) }),
        { token: NATIVE, owner, spender, amount: 1n, block: 'latest' },
        {},
      ),
    ).toEqual([])
  })

  test('a token that returns nothing has approved, one that returns false or reverts has not', async () => {
    expect(await calls({ allowance: word(0n), approve: () => '0x' })).toEqual([100n])
    for (const answer of [word(0n), word(2n), 'reverts'] as const)
      await expect(calls({ allowance: word(0n), approve: () => answer })).rejects.toMatchObject({
        code: 'ROUTE_REVERTED',
      })
  })

  test('a reset first, if the token insists and takes it', async () => {
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

  test('an allowance that cannot be read counts as none, and only the first word of an answer as the answer', async () => {
    for (const allowance of ['0x', '0x12', 'reverts'] as const)
      expect(await calls({ ...plain, allowance })).toEqual([100n])
    expect(await calls({ ...plain, allowance: `${word(100n)}ff` })).toEqual([])
    expect(await calls({ allowance: word(0n), approve: () => `${word(1n)}ff` })).toEqual([100n])
  })

  test('a node that fails is no answer of the token', async () => {
    const rpc = { call: () => Promise.reject(new RpcError('TIMEOUT', 'late')) } as unknown as Rpc
    await expect(approvalCalls(rpc, { token, owner, spender, amount: 1n, block: 'latest' }, {})).rejects.toMatchObject({
      code: 'TIMEOUT',
    })
  })
})

describe('approvals and swap as one', () => {
  const approval: Call = { to: token, data: '0x', value: 0n }
  type Given = {
    readonly result: object | Error
    readonly code?: Hex
    readonly trialWays?: object
    readonly approvals?: readonly Call[]
  }
  const check = ({ result, code = '0x', trialWays = {}, approvals = [approval] }: Given) => {
    const seen: object[] = []
    const checked = checkBatch(approvals, {
      request: { from: owner },
      route: { tokenIn: token, tokenOut: NATIVE, amountIn: 100n, legs: [{ pool: { address: spender } }] },
      trial: { swap: { to: spender, data: '0xab' }, amountOut: 50n, simulation: { ways: trialWays } },
      view: { snapshot: { block: { number: 7, hash: '0x07' } }, codeOf: async () => code },
      simulate: async (request: object, pools: ReadonlySet<string>) => {
        seen.push({ request, pools })
        if (result instanceof Error) throw result
        return result
      },
      signal: new AbortController().signal,
    } as unknown as Parameters<typeof checkBatch>[1])
    return { checked, seen }
  }
  const paid = (amountOut: bigint, ways: object = {}) => ({ success: true, amountOut, ways })

  test('must pay what the swap pays alone', async () => {
    for (const amount of [50n, 51n]) expect(await check({ result: paid(amount) }).checked).toEqual([])
    await expect(check({ result: paid(49n) }).checked).rejects.toThrow('pays 49 instead of 50')
    const reverted = { success: false, amountOut: 0n, revertReason: 'no allowance', ways: {} }
    await expect(check({ result: reverted }).checked).rejects.toMatchObject({
      code: 'ROUTE_REVERTED',
      message: expect.stringContaining('no allowance'),
      details: { reasons: [], block: 7 },
    })
  })

  test('start from the allowance that there is, or from what the approvals give', async () => {
    const { seen, checked } = check({ result: paid(50n) })
    await checked
    const shared = { from: owner, to: spender, data: '0xab', tokenIn: token, amountIn: 100n, tokenOut: NATIVE }
    expect(seen).toMatchObject([
      { request: { ...shared, allowance: 'approved', block: { blockHash: '0x07' }, known: { senderCode: '0x' } } },
    ])
    expect(seen).toMatchObject([{ pools: new Set([spender]) }])
    const without = check({ result: paid(50n), approvals: [] })
    await without.checked
    expect(without.seen).toMatchObject([{ request: { allowance: 'kept' } }])
  })

  test('warn if they cannot be run as one, and if the account would be treated otherwise for its code', async () => {
    expect(await check({ result: new SimulationError('BAD_TOKEN', 'lent') }).checked).toEqual([
      'approvals and swap could not be run as one: lent',
    ])
    await expect(check({ result: new Error('bug') }).checked).rejects.toThrow('bug')
    const differs = ['src or dst treats accounts with code otherwise: make the calls one by one']
    expect(await check({ result: paid(10n, { sender: 'bare' }) }).checked).toEqual(differs)
    expect(await check({ result: paid(10n), trialWays: { sender: 'bare' } }).checked).toEqual(differs)
    // An account with code is what the batch runs in; and without approvals the swap is alone.
    const bare = paid(10n, { sender: 'bare' })
    await expect(check({ result: bare, code: '0x60' }).checked).rejects.toThrow('instead of')
    await expect(check({ result: bare, approvals: [] }).checked).rejects.toThrow('instead of')
    expect(await check({ result: paid(50n, { sender: 'same' }) }).checked).toEqual([])
  })
})
