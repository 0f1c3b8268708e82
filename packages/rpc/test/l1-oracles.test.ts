/**
 * Checks the fees of 20 transactions in each other model. The oracles return recorded results of the real contracts.
 * The expected fees are computed here by the published rules of each chain's node.
 */
import { readFileSync } from 'node:fs'
import { brotliCompressSync, constants, deflateRawSync } from 'node:zlib'
import type { L1FeeModel } from '@sluice/chains'
import { type Anvil, NodeProxy, type RpcCall, request, startAnvil } from '@sluice/devnet'
import { AbiCoder, getBytes, keccak256, Transaction } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRpc, estimateL1Fee, type FeeTransaction, type L1Fee, type Rpc } from '../src/index.ts'
import { transactions } from './l1-transactions.ts'

type Recording = { state: Record<string, string>; compressedBytes?: number[]; answers: Record<string, string> }
const recordings = JSON.parse(readFileSync(new URL('fixtures/l1-oracles.json', import.meta.url), 'utf8')) as Record<
  'mantle' | 'metis' | 'scroll' | 'morph',
  Recording
>
const stateOf = (model: keyof typeof recordings) =>
  Object.fromEntries(Object.entries(recordings[model].state).map(([name, value]) => [name, BigInt(value)]))

const CHAIN_ID = 31337
/** Nonce and signature that the estimates assume. */
const NONCE = 0x1fffff
const SIGNATURE = {
  r: '0x9d1f3b5a7c2e4f60819ab3c5d7e9f10a2b4c6d8e0f1a3b5c7d9eafb0c1d2e3f4',
  s: '0x6b8da0c2e4f618395a7b9cbddeff01234577899bbcdeef0112345667899abccd',
  yParity: 1,
} as const

let anvil: Anvil
beforeAll(async () => {
  anvil = await startAnvil()
})
afterAll(() => anvil?.stop())

/** Estimates all transactions with a node that answers some calls itself. */
async function estimates(
  model: L1FeeModel,
  answer: (call: RpcCall) => Promise<object | undefined> | object | undefined,
) {
  const node = await NodeProxy.start(anvil.url, answer)
  const rpc: Rpc = createRpc({ chainId: CHAIN_ID, urls: [node.url] })
  try {
    const fees: (L1Fee | null)[] = []
    for (const transaction of transactions) fees.push(await estimateL1Fee(rpc, model, transaction, 'latest'))
    return { fees, calls: node.calledMethods.filter((method) => method === 'eth_call').length }
  } finally {
    rpc.close()
    await node.stop()
  }
}

/** An oracle that replays recorded calls of its contract; other calls fail. */
function recorded(model: keyof typeof recordings) {
  const { answers } = recordings[model]
  return ({ method, params }: RpcCall) => {
    if (method !== 'eth_call') return undefined
    const { data, input } = params[0] as { data?: string; input?: string }
    const result = answers[keccak256((data ?? input)!)]
    return result ? { result } : { error: { code: 3, message: 'execution reverted' } }
  }
}

function signed({ to, data, value, gas, gasPriceWei }: FeeTransaction): Uint8Array {
  const fees = { maxFeePerGas: gasPriceWei, maxPriorityFeePerGas: gasPriceWei }
  const common = { chainId: CHAIN_ID, nonce: NONCE, to, data, value, gasLimit: gas }
  return getBytes(Transaction.from({ type: 2, ...common, ...fees, signature: SIGNATURE }).serialized)
}
const calldataGas = (bytes: Uint8Array) => bytes.reduce((sum, byte) => sum + (byte === 0 ? 4n : 16n), 0n)

test('mantle: the fee in ether times the MNT ratio, plus the operator fee', async () => {
  const { state, answers } = recordings.mantle
  const { fees } = await estimates('mantle', recorded('mantle'))
  const { tokenRatio, operatorFeeScalar, operatorFeeConstant } = stateOf('mantle')
  for (const [i, fee] of fees.entries()) {
    const operator = transactions[i]!.gas * operatorFeeScalar! * 100n + operatorFeeConstant!
    const ether = (fee!.feeWei - operator) / tokenRatio!
    expect(Object.values(answers).map(BigInt)).toContain(ether)
    expect(fee).toEqual({ feeWei: ether * tokenRatio! + operator, gas: 0n })
    // At least what 100 compressed bytes cost.
    const { l1BaseFee, blobBaseFee, baseFeeScalar, blobBaseFeeScalar } = stateOf('mantle')
    const perByte = 16n * baseFeeScalar! * l1BaseFee! + blobBaseFeeScalar! * blobBaseFee!
    expect(ether).toBeGreaterThanOrEqual((100n * perByte) / 1_000_000n)
  }
  expect(state.tokenRatio).toBe('3800')
})

test('mantle before the Arsia upgrade, with other gas accounting, has an unknown fee', async () => {
  const { fees } = await estimates('mantle', (call) => {
    const answer = recorded('mantle')(call)
    // All calls but the upgrade flag return 1.
    return answer && 'result' in answer && BigInt(answer.result!) === 1n ? { result: `0x${'00'.repeat(32)}` } : answer
  })
  expect(new Set(fees)).toEqual(new Set([null]))
})

test('metis: calldata gas of the transaction in the form before EIP-2718, with 68 bytes for its signature', async () => {
  const { fees } = await estimates('metis', recorded('metis'))
  const { l1BaseFee, overhead, scalar, decimals } = stateOf('metis')
  for (const [i, { to, data, value, gas, gasPriceWei }] of transactions.entries()) {
    const fields = { type: 0, nonce: NONCE, to, data, value, gasLimit: gas, gasPrice: gasPriceWei }
    const rlp = getBytes(Transaction.from(fields).unsignedSerialized)
    const l1Gas = calldataGas(rlp) + 68n * 16n + overhead!
    expect(fees[i]).toEqual({ feeWei: (l1Gas * l1BaseFee! * scalar!) / 10n ** decimals!, gas: 0n })
  }
})

test('scroll since Galileo: compressed size, with a price that grows with the size', async () => {
  const { fees, calls } = await estimates('scroll', recorded('scroll'))
  const { l1BaseFee, blobBaseFee, execScalar, blobScalar, penaltyFactor } = stateOf('scroll')
  for (const [i, transaction] of transactions.entries()) {
    const length = Math.min(signed(transaction).length, recordings.scroll.compressedBytes![i]!)
    const base = (execScalar! * l1BaseFee! + blobScalar! * blobBaseFee!) * BigInt(length)
    const feeWei = (base + (base * BigInt(length)) / penaltyFactor!) / 10n ** 9n
    expect(fees[i], `transaction ${i}`).toEqual({ feeWei, gas: 0n })
  }
  // The flag is read once, because upgrades are not reverted.
  expect(calls).toBe(1 + transactions.length)
})

test('morph: a fixed part for the commit, and the signed size in blobs', async () => {
  const { fees } = await estimates('morph', recorded('morph'))
  const { l1BaseFee, blobBaseFee, commitScalar, blobScalar } = stateOf('morph')
  for (const [i, transaction] of transactions.entries()) {
    const blob = BigInt(signed(transaction).length) * blobBaseFee! * blobScalar!
    expect(fees[i]).toEqual({ feeWei: (commitScalar! * l1BaseFee! + blob) / 10n ** 9n, gas: 0n })
  }
})

describe('arbitrum', () => {
  const UNIT_PRICE = 2_500_000_000n
  const BASE_FEE = 20_000_000n
  const brotli = (bytes: Uint8Array) =>
    BigInt(
      brotliCompressSync(bytes, {
        params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 22 },
      }).length,
    )

  /** Reproduces the estimate of a node: the size of a sample transaction with the call, plus a margin. */
  function estimatedGas(to: string, data: string): bigint {
    const filler = { r: keccak256('0x52'), s: keccak256('0x53').replace(/^0x./, '0x1'), yParity: 0 } as const
    const common = { type: 2, chainId: 42161, nonce: Number(BigInt(keccak256('0x4e')) >> 205n), to, data }
    const fees = { maxFeePerGas: 0xe6_54_32_10n, maxPriorityFeePerGas: 0x8f_54_32_10n, gasLimit: 0x91_00_12_34n }
    const size = brotli(getBytes(Transaction.from({ ...common, ...fees, signature: filler }).serialized))
    const units = ((16n * size + 16n * 16n) * 10_100n) / 10_000n
    return (units * UNIT_PRICE * 11_000n) / 10_000n / BASE_FEE
  }

  test('the fee is the charge of the transaction, and the gas is the required part of its limit', async () => {
    const { fees } = await estimates('arbitrum', ({ method, params }) => {
      if (method !== 'eth_call') return undefined
      const { data, input } = params[0] as { data?: string; input?: string }
      const call = `0x${(data ?? input)!.slice(10)}`
      const [to, , bytes] = AbiCoder.defaultAbiCoder().decode(['address', 'bool', 'bytes'], call)
      const words = [estimatedGas(to, bytes), BASE_FEE, UNIT_PRICE]
      return { result: `0x${words.map((word) => word.toString(16).padStart(64, '0')).join('')}` }
    })
    for (const [i, transaction] of transactions.entries()) {
      const { to, data, value } = transaction
      expect(fees[i]!.gas).toBe(estimatedGas(to, data))
      const charged = 16n * brotli(signed(transaction)) * UNIT_PRICE
      // The sample transaction has longer values, gas, and prices by a few bytes.
      const bytes = Number(fees[i]!.feeWei - charged) / Number(16n * UNIT_PRICE)
      expect(bytes, `transaction ${i}, ${value}`).toBeGreaterThan(-12)
      expect(bytes, `transaction ${i}`).toBeLessThan(16)
      expect(fees[i]!.gas * BASE_FEE).toBeGreaterThan(charged)
    }
  })
})

test('linea: the difference between the gas price and the sequencer price at each size', async () => {
  const [fixed, variable] = [100n, 40_000_000n]
  const word = (value: bigint) => value.toString(16).padStart(8, '0')
  const extraData = `0x01${word(fixed)}${word(variable)}${word(0n)}${'00'.repeat(19)}`
  const { fees } = await estimates('linea', async ({ method, params }) =>
    method.startsWith('eth_getBlockBy')
      ? { result: { ...(await request<object>(anvil.url, method, params)), extraData, baseFeePerGas: '0x7' } }
      : undefined,
  )
  for (const [i, transaction] of transactions.entries()) {
    const { gas, gasPriceWei } = transaction
    const size = BigInt(deflateRawSync(signed(transaction), { level: 9 }).length)
    const price = 7n + (variable * 1_000n * size) / gas + fixed * 1_000n
    expect(fees[i]!.feeWei).toBe(price > gasPriceWei ? (price - gasPriceWei) * gas : 0n)
  }
  expect(fees.some((fee) => fee!.feeWei > 0n)).toBe(true)
})
