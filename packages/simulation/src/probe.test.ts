/** Orders and reports of the probe, encoded and decoded here by ethers. */
import { AlternativesProbe__factory, SwapProbe__factory, TargetProbe__factory } from '@sluice/bindings'
import { bytecode } from '@sluice/bindings/bytecode'
import { type Hex, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { expect, test } from 'vitest'
import { callGas, decodeReports, encodeOrder, type ProbeOrder, probeAt, probeAtTarget } from './probe.ts'

const swapProbe = SwapProbe__factory.createInterface()
const alternativesProbe = AlternativesProbe__factory.createInterface()
const targetProbe = TargetProbe__factory.createInterface()
const addressOf = (digit: string) => toAddress(`0x${digit.repeat(40)}`)
const from = addressOf('1')
const to = addressOf('2')
const tokenIn = addressOf('3')
const tokenOut = addressOf('4')
const spender = addressOf('5')
const holder = addressOf('6')
const PROBE = '5177ce0000000000000000000000000000000001'
const TARGET_PROBE = '5177ce0000000000000000000000000000000005'

const order: ProbeOrder = {
  probeLocation: 'sender',
  from: from,
  to: to,
  data: '0x1234',
  gas: 6_300_000n,
  value: 0n,
  tokenIn: tokenIn,
  tokenOut: tokenOut,
  recipient: holder,
  spender: spender,
  approvalAmount: 0n,
  maxReturn: 100,
}

test('an order is encoded as the contract has it', () => {
  const [decoded, data] = swapProbe.decodeFunctionData('run', encodeOrder({ ...order, approvalAmount: 8n }))
  expect(data).toBe('0x1234')
  expect([...decoded].map((value) => String(value).toLowerCase())).toEqual([
    ...[to, '6300000', '0', tokenIn, tokenOut, holder, spender, '8', ZERO_ADDRESS, '0', '100'],
  ])
  const lent = encodeOrder({ ...order, loan: { holder, amount: 9n } })
  const [{ lender, lend }] = swapProbe.decodeFunctionData('run', lent)
  expect([lender.toLowerCase(), lend]).toEqual([holder, 9n])
})

test('the native token is the zero address to contracts', () => {
  const of = (changed: Partial<ProbeOrder>) =>
    swapProbe.decodeFunctionData('run', encodeOrder({ ...order, ...changed }))[0]
  expect(of({ tokenIn: NATIVE }).tokenIn).toBe(ZERO_ADDRESS)
  expect(of({ tokenOut: NATIVE }).tokenOut).toBe(ZERO_ADDRESS)
})

test('an order at the target is for the target probe, and one with alternatives for the alternatives probe', () => {
  const [, data] = targetProbe.decodeFunctionData('runHere', encodeOrder({ ...order, probeLocation: 'target' }))
  expect(data).toBe('0x1234')
  const [{ target }, datas] = alternativesProbe.decodeFunctionData(
    'runEach',
    encodeOrder({ ...order, alternatives: ['0x56', '0x'] }),
  )
  expect(target.toLowerCase()).toBe(to)
  expect([...datas]).toEqual(['0x1234', '0x56', '0x'])
})

test.each<[at: ProbeOrder['probeLocation'], value: bigint, gas: bigint, expected: bigint]>([
  ['sender', 0n, 5_000n, 5_000n],
  ['sender', 1n, 5_000n, 2_700n],
  ['sender', 1n, 2_301n, 1n],
  ['sender', 1n, 2_300n, 0n],
  ['sender', 1n, 2_299n, 0n],
  ['sender', 0n, 0n, 0n],
  ['target', 1n, 5_000n, 5_000n],
])('a call at the %s with %s wei and %s gas is given %s, since value brings a stipend', (at, value, gas, expected) => {
  const input = encodeOrder({ ...order, probeLocation: at, value, gas })
  const [decoded] =
    at === 'sender' ? swapProbe.decodeFunctionData('run', input) : targetProbe.decodeFunctionData('runHere', input)
  expect(decoded.gas).toBe(expected)
  expect(decoded.value).toBe(value)
})

test('the call has the 64th parts that frames hold back, calldata of no zero bytes, and the gas of the probe', () => {
  // 6,300,000 are 63 parts of 6,400,000; 11 bytes of calldata.
  const input: Hex = `0x${'00'.repeat(11)}`
  expect(callGas(order, input)).toBe(6_400_000n + 21_000n + 11n * 16n + 8_000_000n)
  // One frame more, rounded down.
  expect(callGas({ ...order, alternatives: [] }, input)).toBe(6_501_587n + 21_000n + 11n * 16n + 8_000_000n)
})

const reading = (ok: boolean, amount: bigint) => ({ ok, amount })
const before = { tokenIn: reading(true, 1n), allowance: reading(false, 2n), tokenOut: reading(true, 3n) }
const afterwards = { tokenIn: reading(true, 4n), allowance: reading(true, 5n), tokenOut: reading(false, 6n) }
const report = {
  ...{ success: true, gasUsed: 100_000n, gasBefore: 60_000_000n, before, afterwards, coinbase: addressOf('9') },
  ...{ gasPrice: 7n, number: 8n, timestamp: 9n, chainId: 1n, returnSize: 2n, returnData: '0xabcd' },
}
type Report = typeof report

const decodedOf = (changed: Partial<Report>, changedOrder: Partial<ProbeOrder> = {}) =>
  decodeReports(swapProbe.encodeFunctionResult('run', [{ ...report, ...changed }]) as Hex, {
    ...order,
    ...changedOrder,
  })[0]

test('a report has every field of the answer', () => {
  expect(decodedOf({})).toEqual({
    ...{
      success: true,
      gasUsed: 99_877n,
      isOutOfGas: false,
      isStarved: false,
      balancesBefore: before,
      balancesAfter: afterwards,
    },
    ...{ coinbase: addressOf('9'), gasPrice: 7n, blockNumber: 8, timestamp: 9, returnData: '0xabcd' },
  })
})

test.each<[at: ProbeOrder['probeLocation'], value: bigint, overhead: bigint]>([
  ['sender', 0n, 123n],
  // 9,000 for the value, less the stipend that the target got for nothing.
  ['sender', 1n, 123n + 6_700n],
  ['target', 0n, 120n],
  ['target', 1n, 120n],
])('at the %s with %s wei the call itself costs %s', (at, value, overhead) => {
  expect(decodedOf({}, { probeLocation: at, value }).gasUsed).toBe(100_000n - overhead)
})

test('with others, reports come in their order, and each call costs 132', () => {
  const reports = [report, { ...report, gasUsed: 50_132n, success: false, returnData: '0x' }]
  const answer = alternativesProbe.encodeFunctionResult('runEach', [reports]) as Hex
  const [first, second, ...none] = decodeReports(answer, { ...order, alternatives: ['0x56'] })
  expect(first).toMatchObject({ success: true, gasUsed: 99_868n, returnData: '0xabcd' })
  expect(second).toMatchObject({ success: false, gasUsed: 50_000n, returnData: '0x' })
  expect(none).toEqual([])
  const [paid] = decodeReports(answer, { ...order, alternatives: ['0x56'], value: 1n })
  expect(paid.gasUsed).toBe(100_000n - 132n - 6_700n)
  expect(() =>
    decodeReports(alternativesProbe.encodeFunctionResult('runEach', [[]]) as Hex, { ...order, alternatives: [] }),
  ).toThrow('the probe reported nothing')
})

test('gas has run out where a failure took all of it', () => {
  const outOfGas = (gasUsed: bigint, success = false) => decodedOf({ gasUsed: gasUsed + 123n, success }).isOutOfGas
  expect(outOfGas(6_299_999n)).toBe(false)
  expect(outOfGas(6_300_000n)).toBe(true)
  expect(outOfGas(6_300_001n)).toBe(true)
  expect(outOfGas(6_300_000n, true)).toBe(false)
})

test('a target is starved if it failed after more than half of too little gas', () => {
  const starved = (gasBefore: bigint, gasUsed: bigint, success = false) =>
    decodedOf({ gasBefore, gasUsed: gasUsed + 123n, success }).isStarved
  // 6,400,000 hand on the 6,300,000 of the order, and 63 less hand on 63/64 of that.
  expect(starved(6_400_000n, 6_300_000n)).toBe(false)
  expect(starved(6_399_999n, 6_299_999n)).toBe(true)
  expect(starved(6_399_999n, 6_299_999n, true)).toBe(false)
  // 64,000 hand on 63,000.
  expect(starved(64_000n, 31_500n)).toBe(false)
  expect(starved(64_000n, 31_501n)).toBe(true)
})

const proxyTo = (address: string, jump = '2b') => `363d3d373d3d3d363d73${address}5af43d82803e903d9160${jump}57fd5bf3`
const probeAddress = `0x${PROBE}`

test('an account without code gets a proxy that stops on a plain payment', () => {
  expect(probeAt(from, '0x')).toEqual({
    [from]: { code: `0x36600557005b${proxyTo(PROBE, '31')}` },
    [probeAddress]: { code: bytecode.SwapProbe.runtime },
  })
  expect(probeAt(from, '0x', 'AlternativesProbe')).toMatchObject({
    [probeAddress]: { code: bytecode.AlternativesProbe.runtime },
  })
})

test('the own code of an account moves to where the probe finds it', () => {
  const account = toAddress('0x0000000000000000000000000000000000000009')
  expect(probeAt(account, '0x6001')).toEqual({
    [account]: { code: `0x${proxyTo(PROBE)}` },
    [probeAddress]: { code: bytecode.SwapProbe.runtime },
    // The last digits of 0x517cc1b727220a94fe13abe8fa9a6ee0 with the 9 in them.
    '0x00000000517cc1b727220a94fe13abe8fa9a6ee9': { code: '0x6001' },
  })
  expect(probeAtTarget(account, '0x6001')).toEqual({
    [account]: { code: `0x${proxyTo(TARGET_PROBE)}` },
    [`0x${TARGET_PROBE}`]: { code: bytecode.TargetProbe.runtime },
    '0x00000000517cc1b727220a94fe13abe8fa9a6ee9': { code: '0x6001' },
  })
})

test('a delegation of EIP-7702 is kept as a proxy, and code that only looks like one as it is', () => {
  const account = toAddress('0x0000000000000000000000000000000000000009')
  const original = '0x00000000517cc1b727220a94fe13abe8fa9a6ee9'
  const movedOf = (code: Hex) =>
    [probeAt(account, code), probeAtTarget(account, code)].map((all) => all[original as never])
  const proxy = { code: `0x${proxyTo('ab'.repeat(20))}` }
  expect(movedOf(`0xef0100${'ab'.repeat(20)}`)).toEqual([proxy, proxy])
  expect(movedOf(`0xEF0100${'AB'.repeat(20)}`)).toEqual([proxy, proxy])
  const lookalikes: Hex[] = [
    `0xef0100${'ab'.repeat(21)}`,
    `0xef0100${'ab'.repeat(19)}`,
    `0x00ef0100${'ab'.repeat(20)}`,
    `0xef0101${'ab'.repeat(20)}`,
  ]
  for (const code of lookalikes) expect(movedOf(code)).toEqual([{ code }, { code }])
})
