import { once } from 'node:events'
import { SlotProbe__factory, StorageProbe__factory, TokenProbe__factory } from '@sluice/bindings'
import { bytecode } from '@sluice/bindings/bytecode'
import { type Address, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { type CallOptions, type CallRequest, type RequestOptions, type Rpc, RpcError } from '@sluice/rpc'
import { AbiCoder, encodeBytes32String, keccak256, toBeHex } from 'ethers'
import { expect, test } from 'vitest'
import { createSimulationContext } from './context.ts'
import { TokenReader } from './slots/reader.ts'
import { reportToken, type TokenReportRequest } from './token-report.ts'

const addressOf = (digit: string): Address => toAddress(`0x${digit.repeat(40)}`)
const token = addressOf('3')
const pool = addressOf('6')
const SWAP_PROBE = '0x5177ce0000000000000000000000000000000001' as Address
const abi = AbiCoder.defaultAbiCoder()
const probe = TokenProbe__factory.createInterface()

type Leg = { readonly ok: boolean; readonly sent: bigint; readonly received: bigint; readonly debited: bigint }
type Round = { readonly buy: Leg; readonly pass: Leg; readonly sell: Leg }
const legOf = (sent: bigint, received = sent, debited = sent): Leg => ({ ok: true, sent, received, debited })
const FAILED: Leg = { ok: false, sent: 0n, received: 0n, debited: 0n }
const roundOf = (legs: Partial<Round> = {}): Round => {
  return { buy: legOf(1_000n), pass: legOf(250n), sell: legOf(750n), ...legs }
}

const report = {
  rounds: [roundOf()],
  decimals: toBeHex(18, 32),
  symbol: abi.encode(['string'], ['TKN']),
  approves: true,
  needsApprovalReset: false,
}
const LAYOUT = {
  balance: {
    mapping: { order: 'solidity', base: 0n, contract: token },
    shape: { kind: 'plain', shift: 0, width: 256 },
  },
} as const

type Change = {
  readonly report?: Partial<typeof report>
  readonly request?: Partial<TokenReportRequest>
  readonly layout?: object
  readonly error?: Error
}

async function measure({ error, layout = LAYOUT, ...change }: Change = {}) {
  const calls: { call: CallRequest; at: unknown; options: CallOptions }[] = []
  const rpc = {
    getCode: async (account: Address) => (account === pool ? '0x6009' : '0x'),
    call: async (call: CallRequest, at: unknown, options: CallOptions) => {
      calls.push({ call, at, options })
      if (error) throw error
      return probe.encodeFunctionResult('run', [{ ...report, ...change.report }])
    },
  } as unknown as Rpc
  const context = createSimulationContext({ timeoutMs: 77 })
  context.slots.learn(token, layout)
  const request = { token, block: 100, pool, sizes: [10n, 1_000n], ...change.request }
  const result = await reportToken(rpc, request, context)
  return { result, ...calls[0]! }
}
const reportOf = async (rounds: readonly Round[]) => (await measure({ report: { rounds: [...rounds] } })).result

test('a plain token has no taxes and can be sold', async () => {
  expect((await measure()).result).toEqual({
    ...{ token, decimals: 18, symbol: 'TKN', buyTaxPpm: 0, sellTaxPpm: 0, transferTaxPpm: 0, surchargePpm: 0 },
    ...{ rebasing: false, needsApprovalReset: false, sellable: true, sizeLimited: false },
  })
})

test('with a pool the probe stands before its code', async () => {
  const { call, at, options } = await measure()
  const { from } = call
  expect(call).toEqual({ from, to: from, data: call.data, gas: 20_000_000n })
  expect(at).toBe(100)
  expect(options).toMatchObject({ timeoutMs: 77, priority: 'lookup' })
  expect(options).not.toHaveProperty('signal')
  const { [from!]: trader, [pool]: before, [SWAP_PROBE]: swapProbe, ...others } = options.overrides!
  expect(trader).toEqual({ code: bytecode.TokenProbe.runtime })
  expect(before).toEqual({ code: expect.stringContaining(SWAP_PROBE.slice(2)) })
  expect(swapProbe).toEqual({ code: bytecode.SwapProbe.runtime })
  expect(Object.values(others)).toEqual([{ code: '0x6009' }])
  const [order] = probe.decodeFunctionData('run', call.data)
  expect([order.token, order.pool].map((one: string) => one.toLowerCase())).toEqual([token, pool])
  expect([...order.sizes]).toEqual([10n, 1_000n])
})

test('every measurement has other accounts, so that no token can let only these accounts sell', async () => {
  const accounts: unknown[] = []
  for (let k = 0; k < 3; k++) {
    const { call } = await measure()
    accounts.push(call.from, probe.decodeFunctionData('run', call.data)[0].friend.toLowerCase())
  }
  expect(new Set(accounts).size).toBe(6)
})

test('without a pool the trader is given the largest size', async () => {
  for (const sizes of [
    [10n, 1_000n, 30n],
    [1_000n, 10n],
    [10n, 30n, 1_000n],
  ]) {
    const { pool: _, ...request } = { token, block: 100, pool, sizes }
    const context = createSimulationContext()
    context.slots.learn(token, LAYOUT)
    const sent: { call: CallRequest; options: CallOptions }[] = []
    const call = async (call: CallRequest, _: unknown, options: CallOptions) => {
      sent.push({ call, options })
      return probe.encodeFunctionResult('run', [report])
    }
    await reportToken({ call } as unknown as Rpc, request, context)
    const { from } = sent[0]!.call
    const key = keccak256(abi.encode(['address', 'uint256'], [from, 0n]))
    expect(sent[0]!.options.overrides).toEqual({
      [token]: { stateDiff: { [key]: toBeHex(1_000n, 32) } },
      [from!]: { code: bytecode.TokenProbe.runtime },
    })
    expect(probe.decodeFunctionData('run', sent[0]!.call.data)[0].pool).toBe(ZERO_ADDRESS)
  }
})

test('without a pool and without slots a token cannot be measured', async () => {
  const context = createSimulationContext()
  context.slots.learn(token, {})
  await expect(reportToken({} as Rpc, { token, block: 100, sizes: [5n] }, context)).rejects.toMatchObject({
    ...{ code: 'UNKNOWN_SLOTS', message: `the storage of ${token} could not be worked out` },
  })
})

test('the signal of the caller goes along', async () => {
  const { signal } = new AbortController()
  expect((await measure({ request: { signal } })).options.signal).toBe(signal)
})

test('sizes must hold an amount', async () => {
  for (const sizes of [[], [0n], [0n, -1n]])
    await expect(measure({ request: { sizes } })).rejects.toMatchObject({
      ...{ code: 'BAD_REQUEST', message: 'sizes must hold an amount above 0' },
    })
  expect((await measure({ request: { sizes: [0n, 1n] } })).result.token).toBe(token)
})

test('a revert is a bad token, and other failures are passed on', async () => {
  const revert = new RpcError('REVERTED', 'out of gas')
  await expect(measure({ error: revert })).rejects.toMatchObject({
    ...{ code: 'BAD_TOKEN', message: `${token} cannot be measured: out of gas`, cause: revert },
  })
  for (const error of [new RpcError('TIMEOUT', 'too slow'), new TypeError('broken')])
    await expect(measure({ error })).rejects.toBe(error)
})

test.each<[bigint, bigint, number | null]>([
  [1_000n, 1_000n, 0],
  [1_000n, 997n, 3_000],
  [1_000n, 1_001n, 0],
  // 1/3 rounds down, 2/3 up, and one half up.
  [30n, 20n, 333_333],
  [30n, 10n, 666_667],
  [6_000_000n, 5_999_997n, 1],
  [6_000_001n, 5_999_998n, 0],
  // A token that stores shares may round by two units.
  [1_000n, 998n, null],
  [2n, 1n, null],
  [999_999n, 999_997n, null],
  [1_000_000n, 999_998n, 0],
])('of %s sent and %s received the tax is %s ppm', async (sent, received, tax) => {
  expect((await reportOf([roundOf({ buy: legOf(sent, received) })])).buyTaxPpm).toBe(tax)
})

test('where nothing was sent the tax is not known', async () => {
  expect((await reportOf([roundOf({ buy: legOf(0n) })])).buyTaxPpm).toBeNull()
})

test('a size whose rounding may look like a tax counts only if no other size shows the tax', async () => {
  const rounded = roundOf({ pass: legOf(1_000n, 999n) })
  expect((await reportOf([rounded, roundOf({ pass: legOf(1_000_000n, 999_999n) })])).transferTaxPpm).toBe(0)
  expect((await reportOf([rounded, roundOf({ pass: legOf(1_000_000n, 900_000n) })])).transferTaxPpm).toBe(100_000)
  expect((await reportOf([rounded, roundOf({ pass: FAILED })])).transferTaxPpm).toBeNull()
})

test('each leg has its own tax', async () => {
  const taxed = roundOf({ buy: legOf(1_000n, 990n), pass: legOf(1_000n, 980n), sell: legOf(1_000n, 970n) })
  expect(await reportOf([taxed])).toMatchObject({ buyTaxPpm: 10_000, transferTaxPpm: 20_000, sellTaxPpm: 30_000 })
})

test('taxes are those of the first size that worked, and null of none', async () => {
  const rounds = [roundOf({ sell: FAILED }), roundOf({ sell: legOf(1_000n, 900n) }), roundOf()]
  expect((await reportOf(rounds)).sellTaxPpm).toBe(100_000)
  expect((await reportOf([roundOf({ sell: FAILED })])).sellTaxPpm).toBeNull()
})

test('a leg that received more than rounding allows shows a tax only if there is no other', async () => {
  const taxed = roundOf({ sell: legOf(1_000n, 900n) })
  expect((await reportOf([roundOf({ sell: legOf(1_000n, 1_003n) }), taxed])).sellTaxPpm).toBe(100_000)
  expect((await reportOf([roundOf({ sell: legOf(1_000n, 1_002n) }), taxed])).sellTaxPpm).toBe(0)
  expect((await reportOf([roundOf({ sell: legOf(1_000n, 1_003n) })])).sellTaxPpm).toBe(0)
})

test('a token is sellable if any size that was bought could be sold', async () => {
  const unsold = roundOf({ sell: FAILED })
  const unbought = roundOf({ buy: FAILED, sell: FAILED })
  expect((await reportOf([unsold, unsold])).sellable).toBe(false)
  expect((await reportOf([roundOf(), unsold])).sellable).toBe(true)
  expect((await reportOf([unbought])).sellable).toBeNull()
  expect((await reportOf([unbought, unsold])).sellable).toBe(false)
})

test('a size is limited if another one was passed on and sold as far as it was bought', async () => {
  const unsold = roundOf({ sell: FAILED })
  const unpassed = roundOf({ pass: FAILED })
  expect((await reportOf([roundOf(), unsold])).sizeLimited).toBe(true)
  expect((await reportOf([roundOf(), unpassed])).sizeLimited).toBe(true)
  expect((await reportOf([roundOf(), roundOf()])).sizeLimited).toBe(false)
  expect((await reportOf([unsold, unpassed])).sizeLimited).toBeNull()
  // Plain transfers alone are whole, too.
  expect((await reportOf([roundOf({ buy: FAILED, sell: FAILED })])).sizeLimited).toBe(false)
})

test.each<[string, Partial<Round>, number | null]>([
  ['what rounding takes', { sell: legOf(1_000n, 1_000n, 1_002n) }, 0],
  ['more than rounding', { sell: legOf(1_000n, 1_000n, 1_003n) }, 3_000],
  ['the most of all legs', { buy: legOf(1_000n, 1_000n, 1_010n), pass: legOf(1_000n, 1_000n, 1_050n) }, 50_000],
  ['less than was sent', { buy: legOf(1_000n, 1_000n, 900n) }, 0],
  ['a part rounded down', { buy: legOf(3_000_000n, 3_000_000n, 3_000_005n) }, 1],
  ['nothing of a leg that failed', { sell: { ...FAILED, sent: 1_000n, debited: 5_000n } }, 0],
  ['nothing of a leg that sent nothing', { pass: legOf(0n, 1n, 3n) }, 0],
  ['nothing that is known', { buy: FAILED, pass: FAILED, sell: FAILED }, null],
])('the surcharge is %s', async (_, legs, surcharge) => {
  expect((await reportOf([roundOf(legs)])).surchargePpm).toBe(surcharge)
})

test('a token of shares is rebasing, and of an unknown layout it is not known', async () => {
  const shape = { kind: 'shares', shift: 0, width: 128, rate: { shares: 1n, units: 2n } }
  const shares = { balance: { mapping: LAYOUT.balance.mapping, shape } }
  expect((await measure({ layout: shares })).result.rebasing).toBe(true)
  expect((await measure({ layout: {} })).result.rebasing).toBeNull()
})

test('whether an approval needs a reset is known of a token that approves', async () => {
  const resetOf = async (approves: boolean, needsApprovalReset: boolean) =>
    (await measure({ report: { approves, needsApprovalReset } })).result.needsApprovalReset
  expect(await resetOf(true, true)).toBe(true)
  expect(await resetOf(true, false)).toBe(false)
  expect(await resetOf(false, true)).toBeNull()
})

test.each<[Hex, number | null]>([
  [toBeHex(0n, 32) as Hex, 0],
  [toBeHex(255n, 32) as Hex, 255],
  [toBeHex(256n, 32) as Hex, null],
  [`0x${'00'.repeat(31)}`, null],
  ['0x', null],
  // More than a word: the first counts.
  [`${toBeHex(6n, 32)}ffff` as Hex, 6],
])('the answer %s gives %s decimals', async (decimals, expected) => {
  expect((await measure({ report: { decimals } })).result.decimals).toBe(expected)
})

test('a symbol is text of at most 64 characters', async () => {
  const symbolOf = async (symbol: string) => (await measure({ report: { symbol } })).result.symbol
  expect(await symbolOf(encodeBytes32String('MKR'))).toBe('MKR')
  expect(await symbolOf(abi.encode(['string'], ['x'.repeat(65)]))).toBe('x'.repeat(64))
  expect(await symbolOf('0x')).toBeNull()
})

test('an aborted report does not end the search of the layout, which other callers share', async () => {
  const slotProbe = SlotProbe__factory.createInterface()
  const storageProbe = StorageProbe__factory.createInterface()
  const started = Promise.withResolvers<void>()
  const abort = new AbortController()
  const aborted = once(abort.signal, 'abort')
  /** Answers a request after the abort, and fails if the request carries the signal. */
  const afterAbort = async <T>({ signal }: RequestOptions, answer: () => T): Promise<T> => {
    started.resolve()
    await aborted
    if (signal) throw new RpcError('TIMEOUT', 'aborted')
    return answer()
  }
  const rpc = {
    getCode: (_: Address, __: unknown, options: RequestOptions) => afterAbort(options, () => '0x6001'),
    call: ({ data }: { data: Hex }, _: unknown, options: CallOptions) =>
      afterAbort(options, () => {
        if (data.startsWith(storageProbe.getFunction('words')!.selector)) {
          const [slots] = storageProbe.decodeFunctionData('words', data)
          return storageProbe.encodeFunctionResult('words', [slots.map(() => 0n)])
        }
        if (data.startsWith(slotProbe.getFunction('touched')!.selector))
          return slotProbe.encodeFunctionResult('touched', [[]])
        const [, , , count] = slotProbe.decodeFunctionData('read', data)
        const reading = { balance: 0n, allowance: 0n }
        return slotProbe.encodeFunctionResult('read', [Array.from({ length: Number(count) }, () => reading)])
      }),
    request: (_: string, __: unknown, options: RequestOptions) => afterAbort(options, () => null),
  } as unknown as Rpc
  const context = createSimulationContext()
  const report = reportToken(rpc, { token, block: 100, pool, sizes: [1n], signal: abort.signal }, context)
  const failure = expect(report).rejects.toMatchObject({ code: 'TIMEOUT' })
  await started.promise
  const layout = context.slots.layout(new TokenReader({ rpc, token, block: 100, request: {} }))
  abort.abort()
  await failure
  expect(await layout).toEqual({})
})
