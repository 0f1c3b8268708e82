import { type Address, type Hex, toAddress } from '@sluice/chains'
import { type Rpc, RpcError } from '@sluice/rpc'
import { PERMIT2 } from '@sluice/simulation'
import { expect, test } from 'vitest'
import { findPermitFault } from './fault.ts'
import { type Permit, permit2Abi, tokenAbi } from './permit.ts'

const [token, owner, spender] = ['1', '2', '3'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [
  ...[Address, Address, Address],
]
const NOW = 1_800_000_000
const AMOUNT = 1_000n
const block = { hash: `0x${'ab'.repeat(32)}`, timestamp: NOW } as never
const signature = `0x${'11'.repeat(32)}${'22'.repeat(32)}1b` as Hex
const permitOf = (kind: Permit['kind'], overrides: Partial<Permit> = {}) =>
  ({ kind, amount: AMOUNT, nonce: 7n, deadline: BigInt(NOW), signature, ...overrides }) as Permit

type NodeState = {
  readonly allowance?: bigint | 'none'
  readonly nonce?: bigint | 'none'
  /** Amount, expiration, and next nonce in Permit2; `none` if it is not deployed. */
  readonly permit2Grant?: readonly [bigint, bigint, bigint] | 'none'
  /** True if the permit call succeeds. */
  readonly permitSucceeds?: boolean
}
/** A node with Permit2 and a token in the given state, which records permit calls. */
function nodeIn({ allowance = 0n, nonce = 7n, permit2Grant = [0n, 0n, 7n], permitSucceeds = true }: NodeState) {
  const permits: { readonly from: string; readonly to: string; readonly args: unknown[] }[] = []
  const call = async ({ from, to, data }: { from: Address; to: Address; data: Hex }) => {
    const abi = to === PERMIT2 ? permit2Abi : tokenAbi
    const { fragment, name, args } = abi.parseTransaction({ data })!
    const answer = (values: readonly unknown[] | 'none') => {
      if (values === 'none') throw new RpcError('REVERTED', 'no')
      return abi.encodeFunctionResult(fragment, values) as Hex
    }
    if (name === 'permit') {
      permits.push({ from, to, args: args.toArray(true) })
      return permitSucceeds ? '0x' : answer('none')
    }
    if (to === PERMIT2) return answer(permit2Grant)
    const value = name === 'allowance' ? allowance : nonce
    return answer(value === 'none' ? 'none' : [value])
  }
  return { rpc: { call } as unknown as Rpc, permits }
}
const permitUse = {
  token,
  owner,
  ownerCode: '0x',
  spender,
  amount: AMOUNT,
  block,
  signal: new AbortController().signal,
} as const
const faultyField = async (permit: Permit, state: NodeState = {}) =>
  (await findPermitFault(nodeIn(state).rpc, permit, permitUse))?.field

test.each<[Permit['kind'], Partial<Permit>, NodeState, string | undefined]>([
  ...((['eip2612', 'dai'] as Permit['kind'][]).flatMap(
    (kind): [Permit['kind'], Partial<Permit>, NodeState, string | undefined][] => [
      [kind, {}, {}, undefined],
      [kind, {}, { permitSucceeds: false }, 'permit.signature'],
      [kind, {}, { permitSucceeds: false, allowance: AMOUNT }, undefined],
      [kind, {}, { permitSucceeds: false, allowance: AMOUNT - 1n }, 'permit.signature'],
      [kind, {}, { nonce: 'none' }, 'permit.kind'],
      [kind, { deadline: BigInt(NOW - 1) }, {}, 'permit.deadline'],
      [kind, { nonce: 6n }, {}, 'permit.nonce'],
      [kind, { nonce: 6n, deadline: 0n, amount: 0n }, { allowance: AMOUNT }, undefined],
      [kind, {}, { allowance: 'none' }, undefined],
    ],
  ) as [Permit['kind'], Partial<Permit>, NodeState, string | undefined][]),
  ['eip2612', { amount: AMOUNT - 1n }, {}, 'permit.amount'],
  ['dai', { amount: 0n }, {}, undefined],
  ['permit2', {}, { allowance: AMOUNT }, undefined],
  ['permit2', {}, { allowance: AMOUNT, permitSucceeds: false }, 'permit.signature'],
  ['permit2', {}, { allowance: AMOUNT - 1n }, 'permit.kind'],
  ['permit2', {}, { allowance: 'none' }, 'permit.kind'],
  ['permit2', {}, { allowance: AMOUNT, permit2Grant: 'none' }, 'permit.kind'],
  ['permit2', { nonce: 6n }, { allowance: AMOUNT }, 'permit.nonce'],
  ['permit2', { deadline: BigInt(NOW - 1) }, { allowance: AMOUNT }, 'permit.deadline'],
  ['permit2', { amount: AMOUNT - 1n }, { allowance: AMOUNT }, 'permit.amount'],
  // Somebody else has submitted the signature, and the allowance that it gave is valid at the block.
  [
    'permit2',
    { nonce: 6n },
    { allowance: AMOUNT, permit2Grant: [AMOUNT, BigInt(NOW), 7n], permitSucceeds: false },
    undefined,
  ],
  ['permit2', { nonce: 6n }, { allowance: AMOUNT, permit2Grant: [AMOUNT, BigInt(NOW - 1), 7n] }, 'permit.nonce'],
  ['permit2', { nonce: 6n }, { allowance: AMOUNT, permit2Grant: [AMOUNT - 1n, BigInt(NOW), 7n] }, 'permit.nonce'],
])('a permit of kind %s with %o, at a node with %o, has the faulty field %s', async (kind, overrides, state, field) => {
  expect(await faultyField(permitOf(kind, overrides), state)).toBe(field)
})

test('a permit is tested as the spender would submit it', async () => {
  const sentPermit = async (kind: Permit['kind'], state: NodeState = {}) => {
    const { rpc, permits } = nodeIn(state)
    await findPermitFault(rpc, permitOf(kind), permitUse)
    expect(permits).toHaveLength(1)
    expect(permits[0]!.from).toBe(spender)
    return permits[0]!
  }
  const [r, s, v] = [`0x${'11'.repeat(32)}`, `0x${'22'.repeat(32)}`, 27n]
  expect(await sentPermit('eip2612')).toMatchObject({ to: token, args: [owner, spender, AMOUNT, BigInt(NOW), v, r, s] })
  expect(await sentPermit('dai')).toMatchObject({ to: token, args: [owner, spender, 7n, BigInt(NOW), true, v, r, s] })
  const { to, args } = await sentPermit('permit2', { allowance: AMOUNT })
  expect(to).toBe(PERMIT2)
  expect(args[0]).toBe(owner)
})

test('a malformed signature is rejected without a call', async () => {
  const rpc = { call: () => expect.unreachable('no call is needed') } as unknown as Rpc
  expect(await findPermitFault(rpc, permitOf('eip2612', { signature: '0x12' }), permitUse)).toMatchObject({
    field: 'permit.signature',
  })
})

test('a failing node is not a fault of the permit', async () => {
  const rpc = { call: () => Promise.reject(new RpcError('TIMEOUT', 'late')) } as unknown as Rpc
  await expect(findPermitFault(rpc, permitOf('eip2612'), permitUse)).rejects.toMatchObject({ code: 'TIMEOUT' })
})
