/** Tests of the conversion of query parameters to quote requests. */
import { createHash } from 'node:crypto'
import { type Address, type Deployment, toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import { read } from '../requests.ts'
import { checkFeeExemptKey, readQuote, readSwap, refuseBlockAndProof, swapQuery, toQuoteRequest } from './request.ts'

const GUARD = toAddress(`0x${'11'.repeat(20)}`)
const EXECUTOR = toAddress(`0x${'22'.repeat(20)}`)
const CHECKSUMMED = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const record = (address: Address) =>
  ({ address, salt: '0x', initCodeHash: '0x', codeHash: '0x', build: 'cancun', status: 'deployed' }) as const
const deployment: Deployment = {
  chainId: 1,
  guard: record(GUARD),
  executors: [{ ...record(EXECUTOR), version: 1, families: [] }],
}
const swap = { src: `0x${'aa'.repeat(20)}`, dst: `0x${'bb'.repeat(20)}`, amount: '1000', from: CHECKSUMMED }
const WRAPPED = toAddress(`0x${'33'.repeat(20)}`)
const chain = { wrappedNative: { address: WRAPPED, symbol: 'W', decimals: 18 } }
const request = (change: Record<string, string>) =>
  toQuoteRequest(read(swapQuery, { ...swap, ...change }), { deployment, chain })

test.each([GUARD, EXECUTOR])('%s, a contract of the service, cannot be the sender', (from) => {
  expect(() => request({ from })).toThrow('from must not be the Guard or an Executor')
})

test.each([
  [CHECKSUMMED.replace('5a', '5A'), 'has a wrong EIP-55 checksum'],
  [`0x${'0'.repeat(40)}`, 'must not be the zero address'],
  ['0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', 'must not be the native token'],
  [GUARD, 'must not be the Guard or an Executor'],
  [EXECUTOR, 'must not be the Guard or an Executor'],
])('%s is refused as fee recipient: %s', (convenienceFeeRecipient, reason) => {
  expect(() => request({ convenienceFee: '1', convenienceFeeRecipient })).toThrow(`convenienceFeeRecipient ${reason}`)
  expect(request({ convenienceFeeRecipient }).feeRecipient, 'without a fee it is ignored').toBeUndefined()
})

test.each([CHECKSUMMED, CHECKSUMMED.toLowerCase(), `0x${CHECKSUMMED.slice(2).toUpperCase()}`])(
  '%s is accepted as fee recipient',
  (convenienceFeeRecipient) => {
    const { feePpm, feeRecipient } = request({ convenienceFee: '1.25', convenienceFeeRecipient })
    expect(feePpm).toBe(12_500n)
    expect(feeRecipient).toBe(CHECKSUMMED.toLowerCase())
  },
)

const NATIVE_TEXT = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
test.each([
  [CHECKSUMMED.replace('5a', '5A'), {}, 'has a wrong EIP-55 checksum'],
  [`0x${'0'.repeat(40)}`, {}, 'must not be the zero address'],
  [NATIVE_TEXT, {}, 'must not be the native token'],
  [GUARD, {}, 'must not be the Guard or an Executor'],
  [EXECUTOR, {}, 'must not be the Guard or an Executor'],
  [swap.src, {}, 'must not be a token of the swap'],
  [swap.dst, {}, 'must not be a token of the swap'],
  [WRAPPED, { dst: NATIVE_TEXT }, 'must not be a token of the swap'],
  [WRAPPED, { src: NATIVE_TEXT }, 'must not be a token of the swap'],
])('%s is refused as recipient of %o: it %s', (recipient, change, reason) => {
  expect(() => request({ ...change, recipient })).toThrow(`recipient ${reason}`)
  const fee = { convenienceFee: '1', convenienceFeeRecipient: recipient }
  expect(() => request({ ...change, ...fee })).toThrow(`convenienceFeeRecipient ${reason}`)
})

test('a recipient that equals the sender counts as none', () => {
  const other = `0x${'44'.repeat(20)}`
  expect(request({ recipient: other }).recipient).toBe(other)
  expect(request({ recipient: WRAPPED }).recipient, 'no native token is swapped').toBe(WRAPPED)
  expect(request({}).recipient).toBeUndefined()
  expect(request({ recipient: CHECKSUMMED }).recipient).toBeUndefined()
})

test('names of sources are case-insensitive', () => {
  const { sources } = request({ includeSources: 'UNISWAP-v2,Brand Three', excludeSources: 'uniswap-v2' })
  expect(sources.include).toEqual(new Set(['uniswap-v2', 'brand three']))
  expect(sources.exclude).toEqual(new Set(['uniswap-v2']))
  expect(request({}).sources).toEqual({})
})

test('pools are excluded by address or id in any letter case', () => {
  const [address, id] = ['ab'.repeat(20), 'cd'.repeat(32)]
  const { excludePools } = request({ excludePools: `0x${address.toUpperCase()},0x${id.toUpperCase()}` })
  expect(excludePools).toEqual(new Set([`0x${address}`, `0x${id}`]))
})

test('a fee-exempt key must match a configured hash', () => {
  const hashes = new Set([createHash('sha256').update('open sesame').digest('hex')])
  checkFeeExemptKey(undefined, hashes)
  checkFeeExemptKey('open sesame', hashes)
  for (const wrong of ['', 'open', [...hashes][0]!])
    expect(() => checkFeeExemptKey(wrong, hashes)).toThrow('feeExemptKey is not valid')
})

test('a proof is accepted only for a quote of an exact input', () => {
  expect(readQuote({ ...swap, proof: '1' }).proof).toBe('1')
  expect(readQuote({ ...swap, proof: '0', amount: undefined, amountOut: '5' }).proof).toBe('0')
  expect(() => readQuote({ ...swap, proof: '1', amount: undefined, amountOut: '5' })).toThrow(
    'proof must be 0 with amountOut',
  )
  expect(() => readSwap({ ...swap, proof: '1' })).toThrow('proof is a parameter of /quote alone')
  expect(() => refuseBlockAndProof(readQuote({ ...swap, proof: '0' }))).toThrow('proof is a parameter of /quote alone')
})

test('a past block is accepted only for a quote without a transaction', () => {
  expect(readQuote({ ...swap, block: '7' }).block).toBe(7)
  expect(readQuote({ ...swap, block: '0', amount: undefined, amountOut: '5' }).block).toBe(0)
  expect(readQuote(swap).block).toBeUndefined()
  expect(() => readSwap({ ...swap, block: '7' })).toThrow('block is a parameter of /quote alone')
  expect(() => readQuote({ ...swap, block: '-7' })).toThrow('block must be an integer')
  expect(() => readQuote({ ...swap, block: '7', minimumBlock: '6' })).toThrow('block and minimumBlock exclude')
  expect(() => readQuote({ ...swap, block: '7', calls: '1' })).toThrow('calls must be 0 with block')
  const permit = `dai:0:0:0:0x${'11'.repeat(65)}`
  expect(() => readQuote({ ...swap, block: '7', permit })).toThrow('permit must be left out with block')
  expect(() => refuseBlockAndProof(readQuote({ ...swap, block: '7' }))).toThrow('block is a parameter of /quote alone')
  refuseBlockAndProof(readQuote(swap))
})

test('amounts of the native token are below 2^128, which no chain has', () => {
  const native = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
  const limit = 2n ** 128n
  const { amount: _, ...pair } = swap
  const exact = (amountOut: bigint, dst: string) => () => readSwap({ ...pair, dst, amountOut: `${amountOut}` })
  expect(exact(limit, native)).toThrow('amountOut must be below 2^128 wei of the native token')
  expect(exact(limit - 1n, native)().amountOut).toBe(limit - 1n)
  expect(exact(limit, swap.dst)().amountOut).toBe(limit)
  const input = (amount: bigint, src: string) => () => readSwap({ ...swap, src, amount: `${amount}` })
  expect(input(limit, native)).toThrow('amount must be below 2^128 wei of the native token')
  expect(input(limit - 1n, native)().amount).toBe(limit - 1n)
  expect(input(limit, swap.src)().amount).toBe(limit)
})
