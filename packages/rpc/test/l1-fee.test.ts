import { readFileSync } from 'node:fs'
import { type Hex, type L1FeeModel, toAddress } from '@sluice/chains'
import { type Anvil, NodeProxy, request, startAnvil } from '@sluice/devnet'
import { dataSlice, getBytes, keccak256, Transaction } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRpc, estimateL1Fee, estimateL1FeePerByte, type FeeTransaction, type Rpc } from '../src/index.ts'

const fixture = (name: string) => JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), 'utf8'))

const OP_ORACLE = '0x420000000000000000000000000000000000000F'
const OP_L1_BLOCK = '0x4200000000000000000000000000000000000015'
const SCROLL_ORACLE = '0x5300000000000000000000000000000000000002'
const NODE_INTERFACE = '0x00000000000000000000000000000000000000C8'

let anvil: Anvil
let rpc: Rpc
beforeAll(async () => {
  anvil = await startAnvil()
  rpc = createRpc({ chainId: 31337, urls: [anvil.url] })
})
afterAll(async () => {
  rpc?.close()
  await anvil?.stop()
})

const word = (value: bigint | number): Hex => `0x${value.toString(16).padStart(64, '0')}`
const setCode = (address: string, code: string) => rpc.request('anvil_setCode', [address, code])
const setSlot = (address: string, slot: number, value: bigint | number) =>
  rpc.request('anvil_setStorageAt', [address, word(slot), word(value)])

function noise(length: number): Hex {
  let text = ''
  for (let block = keccak256('0x01'); text.length < 2 * length; block = keccak256(block)) text += block.slice(2)
  return dataSlice(`0x${text}`, 0, length) as Hex
}

const swap = (data: Hex): FeeTransaction => ({
  to: toAddress('0x00000000000000000000000000000000000c0de0'),
  data,
  value: 0n,
  gas: 250_000n,
  gasPriceWei: 1_000_000n,
})
const feeOf = (model: L1FeeModel, transaction: FeeTransaction) => estimateL1Fee(rpc, model, transaction, 'latest')

/** Encodes the transaction as the sender would sign it, independently of the code under test. */
function rlp({ to, data, value, gas, gasPriceWei }: FeeTransaction): Uint8Array {
  const fees = { maxFeePerGas: gasPriceWei, maxPriorityFeePerGas: gasPriceWei }
  return getBytes(
    Transaction.from({ type: 2, chainId: 31337, nonce: 0x1fffff, to, data, value, gasLimit: gas, ...fees })
      .unsignedSerialized,
  )
}

describe('op-stack, by the published bytecode of its predeploys', () => {
  const L1_BASE_FEE = 20_000_000_000n
  const BLOB_BASE_FEE = 3_000_000_000n
  // Base's scalars in 2025.
  const BASE_FEE_SCALAR = 2_269n
  const BLOB_SCALAR = 1_055_762n

  beforeAll(async () => {
    const { gasPriceOracle, l1Block } = fixture('op-stack')
    await setCode(OP_ORACLE, gasPriceOracle)
    await setCode(OP_L1_BLOCK, l1Block)
    await setSlot(OP_L1_BLOCK, 1, L1_BASE_FEE)
    await setSlot(OP_L1_BLOCK, 3, (BASE_FEE_SCALAR << 96n) | (BLOB_SCALAR << 64n))
    await setSlot(OP_L1_BLOCK, 7, BLOB_BASE_FEE)
  })

  const weighted = 16n * BASE_FEE_SCALAR * L1_BASE_FEE + BLOB_SCALAR * BLOB_BASE_FEE

  test('since Ecotone it is the L1 cost of the calldata, weighted by the two scalars', async () => {
    await setSlot(OP_ORACLE, 0, 1)
    const transaction = swap(noise(600))
    const bytes = rlp(transaction)
    const calldataGas = bytes.reduce((sum, byte) => sum + (byte === 0 ? 4n : 16n), 0n) + 68n * 16n
    expect(await feeOf('op-stack', transaction)).toEqual({ feeWei: (calldataGas * weighted) / 16_000_000n, gas: 0n })
  })

  test('since Fjord it follows the compressed size, with a floor of 100 bytes', async () => {
    await setSlot(OP_ORACLE, 0, 0x0101)
    const floor = (100n * weighted) / 1_000_000n
    expect((await feeOf('op-stack', swap('0x')))?.feeWei).toBe(floor)
    expect((await feeOf('op-stack', swap(`0x${'00'.repeat(600)}`)))?.feeWei).toBeLessThan(2n * floor)
    const { feeWei } = (await feeOf('op-stack', swap(noise(600))))!
    expect(feeWei).toBeGreaterThan((500n * weighted) / 1_000_000n)
    expect(feeWei).toBeLessThan((700n * weighted) / 1_000_000n)
  })

  test('a byte that does not compress costs about its share of the weights', async () => {
    const perByte = await estimateL1FeePerByte(rpc, 'op-stack', 1_000_000n, 'latest')
    expect(perByte / (Number(weighted) / 1e6)).toBeGreaterThan(0.8)
    expect(perByte / (Number(weighted) / 1e6)).toBeLessThan(0.9)
  })
})

test('scroll, by the code and storage of its oracle on the live chain: commit and blob scalars over the signed size', async () => {
  const { code, storage } = fixture('scroll')
  await setCode(SCROLL_ORACLE, code)
  for (const [slot, value] of Object.entries<string>(storage)) await setSlot(SCROLL_ORACLE, Number(slot), BigInt(value))
  const slot = (n: number) => BigInt(storage[`0x${n.toString(16)}`])
  const [l1BaseFee, l1BlobBaseFee, execScalar, blobScalar, penalty] = [1, 5, 6, 7, 10].map(slot) as [
    bigint,
    bigint,
    bigint,
    bigint,
    bigint,
  ]
  const transaction = swap(noise(600))
  const size = BigInt(rlp(transaction).length) + SIGNATURE_BYTES
  expect(await feeOf('scroll', transaction)).toEqual({
    feeWei: ((execScalar * l1BaseFee + blobScalar * l1BlobBaseFee) * size * penalty) / 10n ** 18n,
    gas: 0n,
  })
})
/** Parity, and r and s with a length byte each. */
const SIGNATURE_BYTES = 67n

describe('arbitrum', () => {
  // The live chains have no code at this address; their nodes implement it. This replacement has the same interface:
  // gas = 16 × size of the call, base fee of the block, 1 gwei.
  const standIn = '0x36601002600052486020 52633b9aca0060405260606000f3'.replace(' ', '')

  test('the publishing cost is gas added to the limit', async () => {
    await setCode(NODE_INTERFACE, standIn)
    const fee = (await feeOf('arbitrum', swap(noise(640))))!
    // Selector, three words of arguments, the length, the bytes.
    expect(fee.gas).toBe(16n * (4n + 3n * 32n + 32n + 640n))
    expect(fee.feeWei).toBeGreaterThan(0n)
  })
})

describe('linea', () => {
  // anvil cannot set the extra data of its blocks, so a proxy adds it to the responses.
  let node: NodeProxy
  let linea: Rpc
  const fixedKwei = 100
  const variableKwei = 40_000_000
  const hex4 = (value: number) => value.toString(16).padStart(8, '0')

  beforeAll(async () => {
    const extraData = `0x01${hex4(fixedKwei)}${hex4(variableKwei)}${hex4(0)}${'00'.repeat(19)}`
    node = await NodeProxy.start(anvil.url, async ({ method, params }) =>
      method.startsWith('eth_getBlockBy')
        ? { result: { ...(await request<object>(anvil.url, method, params)), extraData } }
        : undefined,
    )
    linea = createRpc({ chainId: 31337, urls: [node.url] })
  })
  afterAll(async () => {
    linea?.close()
    await node?.stop()
  })

  test('is the difference between the gas price and the minimum price of the sequencer', async () => {
    const { baseFeePerGas } = (await linea.getBlock('latest'))!
    const cheap = { ...swap(noise(600)), gasPriceWei: baseFeePerGas! }
    const fee = (await estimateL1Fee(linea, 'linea', cheap, 'latest'))!
    // Random bytes do not compress: 600 bytes, plus about 150 for the rest of the transaction.
    const wei = BigInt(variableKwei) * 1_000n
    expect(fee.feeWei).toBeGreaterThan(wei * 650n + 100_000n * cheap.gas)
    expect(fee.feeWei).toBeLessThan(wei * 800n + 100_000n * cheap.gas)
  })

  test('is zero if the gas price covers it', async () => {
    const rich = { ...swap(noise(600)), gasPriceWei: 10n ** 12n }
    expect(await estimateL1Fee(linea, 'linea', rich, 'latest')).toEqual({ feeWei: 0n, gas: 0n })
  })

  test('is unknown for a block without pricing', async () => {
    expect(await feeOf('linea', swap('0x'))).toBeNull()
  })
})

test.each<L1FeeModel>(['morph', 'zksync', 'unknown'])(
  '%s: the fee is unknown if the oracle does not answer',
  async (model) => {
    expect(await feeOf(model, swap('0x'))).toBeNull()
    expect(await estimateL1FeePerByte(rpc, model, 1n, 'latest')).toBe(0)
  },
)

test('a chain that does not publish data has no data fee', async () => {
  expect(await feeOf('none', swap('0x'))).toEqual({ feeWei: 0n, gas: 0n })
})

test('a node that does not answer is an error, not a fee', async () => {
  const dead = createRpc({ chainId: 31337, urls: ['http://127.0.0.1:9'] })
  await expect(estimateL1Fee(dead, 'op-stack', swap('0x'), 'latest')).rejects.toMatchObject({ code: 'UNREACHABLE' })
})
