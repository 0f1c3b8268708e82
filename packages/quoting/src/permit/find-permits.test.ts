import { type Address, type Hex, toAddress } from '@sluice/chains'
import { type Rpc, RpcError } from '@sluice/rpc'
import { PERMIT2 } from '@sluice/simulation'
import { recoverAddress, TypedDataEncoder } from 'ethers'
import { expect, test } from 'vitest'
import { findPermits } from './find-permits.ts'
import { permit2Abi, tokenAbi } from './permit.ts'

const [token, owner, spender] = ['1', '2', '3'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [
  Address,
  Address,
  Address,
]
const NOW = 1_800_000_000
const AMOUNT = 10n ** 18n

type Answers = Readonly<Record<string, readonly unknown[]>>

/**
 * A node with Permit2 and a token that answers the given functions; all others revert.
 *
 * @param accepts - whether the token accepts the signature of a permit
 * @param approves - result of an approval of base units; undefined if it reverts
 */
function nodeWith(
  answers: Answers,
  {
    grant = [0n, 0n, 7n],
    accepts = isSigned,
    approves = () => [true],
  }: {
    readonly grant?: readonly bigint[]
    readonly accepts?: typeof isSigned
    readonly approves?: (units: bigint) => readonly unknown[] | undefined
  } = {},
): Rpc {
  const call = async ({ to, data }: { to: Address; data: Hex }) => {
    const [abi, functions] = to === PERMIT2 ? [permit2Abi, { allowance: grant }] : [tokenAbi, answers]
    const call = abi.parseTransaction({ data })!
    if (call.name === 'permit' && accepts(answers, call.args.toArray())) return '0x'
    const values = call.name === 'approve' ? approves(call.args[1]) : (functions as Answers)[call.name]
    if (!values) throw new RpcError('REVERTED', 'execution reverted')
    return abi.encodeFunctionResult(call.fragment, values) as Hex
  }
  const simulateV1 = async () => {
    throw new RpcError('UNSUPPORTED', 'no such method')
  }
  return { call, simulateV1, getCode: async () => '0x' } as unknown as Rpc
}

const PERMIT_TYPES = {
  Permit: ['address owner', 'address spender', 'uint256 value', 'uint256 nonce', 'uint256 deadline'].map((field) => {
    const [type, name] = field.split(' ') as [string, string]
    return { name, type }
  }),
}

/** True if the owner of an EIP-2612 permit has signed it, under the domain that the token describes or `domain`. */
function isSigned({ eip712Domain, nonces }: Answers, args: readonly unknown[]): boolean {
  const [owner, spender, value, deadline, v, r, s] = args as [string, string, bigint, bigint, bigint, string, string]
  const [fields, name, version] = (eip712Domain ?? []) as [string?, string?, string?]
  const described = {
    ...(Number(fields) & 1 && { name: name! }),
    ...(Number(fields) & 2 && { version: version! }),
    ...{ chainId: domain.chainId, verifyingContract: token },
  }
  const message = { owner, spender, value, nonce: nonces![0], deadline }
  const hash = TypedDataEncoder.hash(eip712Domain ? described : domain, PERMIT_TYPES, message)
  return recoverAddress(hash, { r, s, v: Number(v) }) === owner
}
const find = (rpc: Rpc, deadline?: number, { amount = AMOUNT, now = NOW } = {}) =>
  findPermits(
    rpc,
    { token, owner, amount, deadline },
    {
      chainId: 5,
      spender,
      block: { hash: `0x${'ab'.repeat(32)}`, timestamp: now } as never,
      clock: () => now * 1_000,
      signal: new AbortController().signal,
    },
  )

test.each([
  [0n, true],
  [1n, true],
  [AMOUNT - 1n, true],
  [AMOUNT, false],
  [AMOUNT + 1n, false],
])('an allowance of %d for Permit2 needs an approval: %s', async (allowance, isNeeded) => {
  const { offers } = await find(nodeWith({ allowance: [allowance] }))
  expect(offers.map(({ permit }) => permit.kind)).toEqual(['permit2'])
  const [{ approval }] = offers as [(typeof offers)[number]]
  if (!isNeeded) return expect(approval).toBeNull()
  expect(approval).toMatchObject({ to: token, value: 0n })
  const [approvedSpender, limit] = tokenAbi.decodeFunctionData('approve', approval!.data)
  expect([toAddress(approvedSpender), limit]).toEqual([PERMIT2, 2n ** 256n - 1n])
})

const reset = tokenAbi.encodeFunctionData('approve', [PERMIT2, 0n])
test.each([
  ['no more than 96 bits', 0n, (units: bigint) => units < 2n ** 96n, { isUnlimited: false }],
  ['changes from zero only', 5n, (units: bigint) => units === 0n, { isUnlimited: true, reset: { data: reset } }],
  ['no approval of Permit2', 0n, () => false, undefined],
  ['not even a reset', 5n, () => false, undefined],
])('a token that accepts %s, with an allowance of %d', async (_, allowance, isAccepted, expected) => {
  for (const refusal of [undefined, [false]]) {
    const approves = (units: bigint) => (isAccepted(units) ? [true] : refusal)
    const { offers } = await find(nodeWith({ allowance: [allowance] }, { approves }))
    if (!expected) return expect(offers).toEqual([])
    expect(offers).toMatchObject([{ approval: expected }])
    const [, limit] = tokenAbi.decodeFunctionData('approve', offers[0]!.approval!.data)
    expect(limit).toBe(expected.isUnlimited ? 2n ** 256n - 1n : AMOUNT)
  }
})

const domain = { name: 'Coin', version: '2', chainId: 5, verifyingContract: token }
const ownPermit = {
  ...{ allowance: [0n], nonces: [3n], name: ['Coin'] },
  DOMAIN_SEPARATOR: [TypedDataEncoder.hashDomain(domain)],
}

test('the domain of a token is offered only if its hash is the separator of the token', async () => {
  const { offers } = await find(nodeWith(ownPermit))
  expect(offers.map(({ permit }) => permit.kind)).toEqual(['eip2612', 'permit2'])
  expect(offers[0]).toMatchObject({ approval: null, permit: { nonce: 3n, amount: AMOUNT }, typedData: { domain } })
  const renamed = await find(nodeWith({ ...ownPermit, name: ['Another'] }))
  expect(renamed.offers.map(({ permit }) => permit.kind)).toEqual(['permit2'])
})

test.each([
  ['no permit', () => false],
  ['a fallback function that accepts every call', () => true],
])('a token with nonces and a domain, but %s, has no form of its own', async (_, accepts) => {
  const { offers } = await find(nodeWith(ownPermit, { accepts }))
  expect(offers.map(({ permit }) => permit.kind)).toEqual(['permit2'])
})

test('a token that names another permit type has no form of its own', async () => {
  const { offers } = await find(nodeWith({ ...ownPermit, PERMIT_TYPEHASH: [`0x${'11'.repeat(32)}`] }))
  expect(offers.map(({ permit }) => permit.kind)).toEqual(['permit2'])
})

test.each([
  ['another chain', 6n, token],
  ['another contract', 5n, owner],
])('a domain that the token describes for %s is not offered', async (_, chain, contract) => {
  const eip712Domain = ['0x0f', 'Described', '1', chain, contract, `0x${'00'.repeat(32)}`, []]
  const { offers } = await find(nodeWith({ allowance: [0n], nonces: [0n], eip712Domain }))
  expect(offers.map(({ permit }) => permit.kind)).toEqual(['permit2'])
})

test.each([
  ['a salt', '0x1f', []],
  ['an extension', '0x0f', [1n]],
  ['no chain', '0x0b', []],
  ['no contract', '0x07', []],
])('a domain that the token describes with %s is not offered', async (_, fields, extensions) => {
  const eip712Domain = [fields, 'Described', '1', 5n, token, `0x${'00'.repeat(32)}`, extensions]
  const { offers } = await find(nodeWith({ allowance: [0n], nonces: [0n], eip712Domain }))
  expect(offers.map(({ permit }) => permit.kind)).toEqual(['permit2'])
})

test('a domain that the token describes for this chain and contract is offered without a separator', async () => {
  const eip712Domain = ['0x0f', 'Described', '1', 5n, token, `0x${'00'.repeat(32)}`, []]
  const { offers } = await find(nodeWith({ allowance: [0n], nonces: [0n], eip712Domain }))
  expect(offers[0]?.typedData.domain).toEqual({ ...domain, name: 'Described', version: '1' })
})

test('a deadline that has passed or is more than a day beyond the default is refused', async () => {
  const rpc = nodeWith({ allowance: [0n] })
  const last = NOW + 1_200 + 86_400
  expect((await find(rpc, last)).deadline).toBe(last)
  await expect(find(rpc, last + 1)).rejects.toMatchObject({ code: 'DEADLINE_FAR' })
  await expect(find(rpc, NOW - 1)).rejects.toMatchObject({ code: 'DEADLINE_PASSED' })
  expect((await find(rpc)).deadline).toBe(NOW + 1_200)
})

test('a failure of the node is not taken for a token without permits', async () => {
  const fail = () => Promise.reject(new RpcError('UNREACHABLE', 'no connection'))
  const failing = { call: fail, getCode: fail } as unknown as Rpc
  await expect(find(failing)).rejects.toMatchObject({ code: 'UNREACHABLE' })
})

test('Permit2 has 160 bits for amounts and 48 for deadlines, and is not offered beyond', async () => {
  const rpc = nodeWith({ allowance: [0n] })
  const kinds = async (terms: { readonly amount?: bigint; readonly now?: number }) =>
    (await find(rpc, undefined, terms)).offers.map(({ permit }) => permit.kind)
  expect(await kinds({ amount: 2n ** 160n - 1n })).toEqual(['permit2'])
  expect(await kinds({ amount: 2n ** 160n })).toEqual([])
  expect(await kinds({ now: 2 ** 48 - 1_201 })).toEqual(['permit2'])
  expect(await kinds({ now: 2 ** 48 - 1_200 })).toEqual([])
})

test('a domain that the token describes with a text too long to show is not offered', async () => {
  const described = (fields: string, name: string, version: string) => {
    const eip712Domain = [fields, name, version, 5n, token, `0x${'00'.repeat(32)}`, []]
    return find(nodeWith({ allowance: [0n], nonces: [0n], eip712Domain }))
  }
  const long = 'x'.repeat(10_000)
  for (const [name, version] of [
    [long, '1'],
    ['Coin', long],
  ] as const)
    expect((await described('0x0f', name, version)).offers.map(({ permit }) => permit.kind)).toEqual(['permit2'])
  // A field that the domain does not have may contain anything.
  const { offers } = await described('0x0d', 'Coin', long)
  expect(offers[0]?.typedData.domain).toEqual({ name: 'Coin', chainId: 5, verifyingContract: token })
  const nameless = (await described('0x0e', long, '1')).offers[0]
  expect(nameless?.typedData.domain).toEqual({ version: '1', chainId: 5, verifyingContract: token })
})
