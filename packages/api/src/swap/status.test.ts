/** Tests of the outcome of a swap, from a transaction and its receipt. */
import { NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { AbiCoder, Interface, id, zeroPadValue } from 'ethers'
import { describe, expect, test } from 'vitest'
import { receipt, sentTransaction, swapStatus } from './status.ts'

const testAddress = (digit: string) => toAddress(`0x${digit.repeat(40)}`)
const [from, guard, src, dst, executor] = [
  testAddress('1'),
  testAddress('2'),
  testAddress('3'),
  testAddress('4'),
  testAddress('5'),
]
const ORDER = '(address tokenIn,address tokenOut,uint256 minOutput,uint256 deadline,address executor)'
const abi = new Interface([`function swap(uint256,${ORDER},bytes)`, `function swapNative(${ORDER},bytes)`])
const calldata = (tokenOut = dst) => abi.encodeFunctionData('swap', [100n, [src, tokenOut, 90n, 77n, executor], '0x'])
const hash = `0x${'ab'.repeat(32)}`
const wire = { hash, from, to: guard, input: calldata(), value: '0x0', gas: '0x5208', blockHash: null, nonce: '0x1' }
const transfer = (token: string, sender: string, to: string, amount: bigint) => ({
  address: token,
  topics: [id('Transfer(address,address,uint256)'), zeroPadValue(sender, 32), zeroPadValue(to, 32)],
  data: AbiCoder.defaultAbiCoder().encode(['uint256'], [amount]),
})
const mined = {
  ...{ transactionHash: hash, blockHash: hash, blockNumber: '0x10', status: '0x1', gasUsed: '0x5208' },
  logs: [transfer(src, from, executor, 100n), transfer(dst, guard, from, 95n)],
}

describe('node responses', () => {
  test('are parsed with unknown fields and in any letter case', () => {
    const upper = {
      ...wire,
      from: from.toUpperCase().replace('0X', '0x'),
      input: wire.input.toUpperCase().replace('0X', '0x'),
    }
    expect(sentTransaction.parse(upper)).toMatchObject({ from, to: guard, input: wire.input, value: 0n, gas: 21_000n })
    expect(receipt.parse(mined)).toMatchObject({ blockNumber: 16, status: true, gasUsed: 21_000n })
    expect(receipt.parse({ ...mined, status: '0x0', effectiveGasPrice: '0x5', l1Fee: '0x7' })).toMatchObject({
      ...{ status: false, effectiveGasPrice: 5n, l1Fee: 7n },
    })
    expect(sentTransaction.parse({ ...wire, to: null }).to).toBeNull()
  })

  test.each([
    ['a hash that is none', { ...wire, hash: 'x' }],
    ['an account that is none', { ...wire, from: '0x12' }],
    ['half a byte', { ...wire, input: '0x1' }],
    ['a negative value', { ...wire, value: '-0x1' }],
    ['a decimal value', { ...wire, value: '12' }],
  ])('are refused for %s', (_, answer) => {
    expect(sentTransaction.safeParse(answer).success).toBe(false)
  })

  test('without a status or logs are not a receipt', () => {
    for (const field of ['status', 'logs', 'gasUsed', 'blockNumber', 'transactionHash'])
      expect(receipt.safeParse({ ...mined, [field]: undefined }).success, field).toBe(false)
  })
})

describe('the swap of a transaction', () => {
  const sent = sentTransaction.parse(wire)
  const landed = receipt.parse(mined)
  const order = { src, dst, fromAmount: '100', minToAmount: '90', deadline: 77 }

  test('has the amounts spent and received once it is mined', () => {
    expect(swapStatus(sent, landed, { guard, quoted: undefined })).toEqual({ ...order, spent: '100', received: '95' })
    expect(swapStatus(sent, undefined, { guard, quoted: undefined })).toEqual({ ...order, spent: null, received: null })
  })

  test.each([
    [100n, -5],
    [95n, 0],
    [76n, 25],
    [0n, null],
  ])('is compared with a quote of %d', (quoted, difference) => {
    expect(swapStatus(sent, landed, { guard, quoted })).toMatchObject({ quoted: `${quoted}`, difference })
    expect(swapStatus(sent, undefined, { guard, quoted })).toMatchObject({ difference: null })
  })

  test('is null for another contract, a contract creation, and another function', () => {
    for (const more of [{ to: executor }, { to: null }, { input: '0x12345678' as const }])
      expect(swapStatus({ ...sent, ...more }, landed, { guard, quoted: 1n })).toBeNull()
  })

  test('uses the native address of requests', () => {
    const native = abi.encodeFunctionData('swapNative', [
      [src, ZERO_ADDRESS, 90n, 77n, executor],
      '0x',
    ]) as `0x${string}`
    expect(swapStatus({ ...sent, input: native, value: 5n }, undefined, { guard, quoted: undefined })).toMatchObject({
      ...{ src: NATIVE, dst: NATIVE, fromAmount: '5' },
    })
  })

  test('amounts are null if a balance moved in the wrong direction', () => {
    const logs = [transfer(src, executor, from, 1n), transfer(dst, from, guard, 1n)]
    const odd = receipt.parse({ ...mined, logs })
    expect(swapStatus(sent, odd, { guard, quoted: undefined })).toMatchObject({ spent: null, received: null })
  })
})
