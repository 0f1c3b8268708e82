import { EnvironmentProbe__factory } from '@sluice/bindings'
import type { Hex } from '@sluice/chains'
import { expect, test } from 'vitest'
import { readCapabilities } from './capabilities.ts'
import { RpcError, type RpcErrorCode } from './errors.ts'

const abi = EnvironmentProbe__factory.createInterface()
const OTHER = `0x${'1'.repeat(40)}`
const TIME = 0x7fffffff
/** Gas left of a call with 1,000,000,000 gas, if the node gives it all. */
const PLENTY = 999_000_000n

type Environment = { coinbase?: string; gasLeft?: bigint; number?: number; timestamp?: number }
const answer = ({ coinbase = OTHER, gasLeft = PLENTY, number = 5, timestamp = 6 }: Environment = {}): Hex =>
  abi.encodeFunctionResult('read', [coinbase, gasLeft, number, timestamp]) as Hex

type Request = { readonly gas?: bigint; readonly block: Readonly<Record<string, string>> }

/** A fake node that answers calls by their gas and block overrides, and calls at a block number by `respondAt`. */
function node(
  respond: (request: Request) => Hex | RpcErrorCode,
  respondAt: (block: string) => Hex | RpcErrorCode = () => 'LAGGING',
) {
  const requests: Request[] = []
  const ask = async (method: string, params: readonly unknown[]): Promise<Hex> => {
    const [{ gas }, tag, overrides, block = {}] = params as [{ gas?: Hex }, string, object, Record<string, string>?]
    expect([method, Object.keys(overrides)]).toEqual(['eth_call', [expect.stringMatching(/^0x.{40}$/)]])
    const request = { ...(gas && { gas: BigInt(gas) }), block }
    if (tag === 'latest') requests.push(request)
    const response = tag === 'latest' ? respond(request) : respondAt(tag)
    if (response.startsWith('0x')) return response as Hex
    throw new RpcError(response as RpcErrorCode, 'no')
  }
  return { requests, capabilities: () => readCapabilities(ask) }
}
const capabilitiesOf = (respond: (request: Request) => Hex | RpcErrorCode) => node(respond).capabilities()

test('a node that does all of it', async () => {
  const { capabilities, requests } = node(({ block }) =>
    answer({ coinbase: block.feeRecipient ?? OTHER, timestamp: Number(block.time ?? 6) }),
  )
  expect(await capabilities()).toEqual({
    ...{ canOverrideState: true, coinbaseField: 'feeRecipient', canOverrideTime: true, gasCap: null },
    ignoresBlock: false,
  })
  expect(requests.map(({ gas }) => gas)).toEqual([undefined, undefined, undefined, undefined, 1_000_000_000n])
})

test('a node that ignores overrides, and one that refuses them', async () => {
  const nothing = {
    ...{ canOverrideState: false, coinbaseField: null, canOverrideTime: false, gasCap: null },
    ignoresBlock: false,
  }
  expect(await capabilitiesOf(() => '0x')).toEqual(nothing)
  for (const code of ['REJECTED', 'REVERTED', 'UNSUPPORTED', 'SIZE', 'GAS_CAP'] as const)
    expect(await capabilitiesOf(() => code)).toEqual(nothing)
})

test.each(['TIMEOUT', 'UNREACHABLE', 'RATE_LIMITED', 'PRUNED', 'BAD_ANSWER'] as const)(
  'a failure of the endpoint with %s says nothing of what it can do',
  async (code) => {
    await expect(capabilitiesOf(({ gas }) => (gas ? answer() : code))).rejects.toMatchObject({ code })
    await expect(capabilitiesOf(({ gas }) => (gas ? code : answer()))).rejects.toMatchObject({ code })
  },
)

test('an error that is none of the node is passed on', async () => {
  const broken = new TypeError('broken')
  await expect(readCapabilities(() => Promise.reject(broken))).rejects.toBe(broken)
})

test.each([
  ['feeRecipient', 'feeRecipient'],
  ['coinbase', 'coinbase'],
  ['miner', null],
])('a node that knows the field %s has %s', async (field, coinbaseField) => {
  const able = await capabilitiesOf(({ block }) => answer({ coinbase: block[field] ?? OTHER }))
  expect(able).toMatchObject({ canOverrideState: true, coinbaseField, canOverrideTime: false })
})

test('the field of the standard is taken where both work, and the address is compared without case', async () => {
  const able = await capabilitiesOf(({ block }) => answer({ coinbase: block.feeRecipient ?? block.coinbase ?? OTHER }))
  expect(able.coinbaseField).toBe('feeRecipient')
})

test('the time counts where a call runs at it, whatever the number is', async () => {
  const timed = ({ block }: Request) => answer({ timestamp: block.time ? Number(block.time) : 6 })
  expect((await capabilitiesOf(timed)).canOverrideTime).toBe(true)
  expect((await capabilitiesOf(({ block }) => answer({ number: Number(block.number ?? 5) }))).canOverrideTime).toBe(
    false,
  )
  expect((await capabilitiesOf(({ block }) => (block.time ? 'REJECTED' : answer()))).canOverrideTime).toBe(false)
  const { requests, capabilities } = node(timed)
  await capabilities()
  expect(requests[3]?.block).toEqual({ number: `0x${TIME.toString(16)}`, time: `0x${TIME.toString(16)}` })
})

const capOf = async (gasLeft: bigint) => (await capabilitiesOf(({ gas }) => answer(gas ? { gasLeft } : {}))).gasCap

test('gas above nine tenths of a thousand million is no cap', async () => {
  expect(await capOf(900_000_001n)).toBeNull()
  expect(await capOf(900_000_000n)).toBe(900_000_000n)
  expect(await capOf(49_990_000n)).toBe(49_990_000n)
  expect(await capOf(0n)).toBe(0n)
})

test('a node that refuses much gas is asked with less, until it answers', async () => {
  const { capabilities, requests } = node(({ gas = 0n }) => (gas > 40_000_000n ? 'GAS_CAP' : answer({ gasLeft: gas })))
  expect((await capabilities()).gasCap).toBe(30_000_000n)
  expect(requests.flatMap(({ gas }) => gas ?? []).map(Number)).toEqual([1e9, 3e8, 1e8, 5e7, 3e7])
})

test('a node that gives all the gas of a smaller limit has that as its cap', async () => {
  const cap = (gasLeft: bigint) =>
    capabilitiesOf(({ gas = 0n }) => (gas === 1_000_000_000n ? 'GAS_CAP' : answer({ gasLeft })))
  expect((await cap(950_000_000n)).gasCap).toBe(950_000_000n)
})

test('a node that refuses every limit, or answers nothing or with another refusal, has no known cap', async () => {
  const { capabilities, requests } = node(({ gas }) => (gas ? 'GAS_CAP' : answer()))
  expect((await capabilities()).gasCap).toBeNull()
  expect(requests.flatMap(({ gas }) => gas ?? []).at(-1)).toBe(15_000_000n)
  const refusing = node(({ gas }) => (gas ? 'REJECTED' : answer()))
  expect(await refusing.capabilities()).toMatchObject({ canOverrideState: true, gasCap: null })
  expect(refusing.requests).toHaveLength(5)
  expect((await capabilitiesOf(({ gas }) => (gas ? '0x' : answer()))).gasCap).toBeNull()
})

test.each<[string, (block: string) => Hex | RpcErrorCode, boolean]>([
  ['every block at the newest', () => answer({ timestamp: 600 }), true],
  ['a future block at the newest', (block) => answer({ timestamp: block === '0x1' ? 599 : 600 }), false],
  ['no future block', (block) => (block === '0x1' ? answer() : 'LAGGING'), false],
  ['a future block, and has no old state', (block) => (block === '0x1' ? 'PRUNED' : answer()), false],
  ['no block by number', () => 'REJECTED', false],
  ['every block without overrides', () => '0x', false],
])('a node that runs %s', async (_, respondAt, ignoresBlock) => {
  expect((await node(() => answer(), respondAt).capabilities()).ignoresBlock).toBe(ignoresBlock)
})

test.each(['0x1234', '0xzz', 7, {}])(
  'an answer that does not decode, such as %j, is a failure of the endpoint',
  async (result) => {
    const probe = async () => result as Hex
    await expect(readCapabilities(probe)).rejects.toMatchObject({ name: 'RpcError', code: 'BAD_ANSWER' })
  },
)
