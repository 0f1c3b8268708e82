/**
 * Compares estimates with the charges of an independent implementation of the OP Stack, with the predeploys of each
 * upgrade.
 */
import { HDNodeWallet, Interface, Mnemonic, Transaction } from 'ethers'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRpc, estimateL1Fee, type FeeTransaction, type Rpc } from '../src/index.ts'
import { transactions } from './l1-transactions.ts'

const ORACLE = '0x420000000000000000000000000000000000000F'
const L1_BLOCK = '0x4200000000000000000000000000000000000015'
const CHAIN_ID = 10
/** Nonce that estimates assume. */
const NONCE = 0x1fffff
const L1 = { baseFee: 20_000_000_000n, blobBaseFee: 3_000_000_000n, baseFeeScalar: 2_269n, blobScalar: 1_055_762n }
/** Wei per published byte. */
const PER_BYTE = Number(16n * L1.baseFeeScalar * L1.baseFee + L1.blobScalar * L1.blobBaseFee) / 1e6
const OPERATOR = { scalar: 345_000n, constant: 123_456_789n }

const phrase = Mnemonic.fromPhrase('test test test test test test test test test test test junk')
const senders = transactions.map((_, i) => HDNodeWallet.fromMnemonic(phrase, `m/44'/60'/0'/0/${i}`))
const abi = new Interface(['function getL1Fee(bytes) view returns (uint256)'])
const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`

function build({ to, data, value, gas, gasPriceWei }: FeeTransaction): Transaction {
  const fees = { maxFeePerGas: gasPriceWei, maxPriorityFeePerGas: gasPriceWei }
  return Transaction.from({ type: 2, chainId: CHAIN_ID, nonce: NONCE, to, data, value, gasLimit: gas, ...fees })
}

describe.each(['ecotone', 'fjord', 'isthmus'] as const)('since %s', (hardfork) => {
  let rpc: Rpc
  let stop: () => Promise<void>

  beforeAll(async () => {
    const accounts = { mnemonic: phrase.phrase, count: transactions.length }
    const network = { type: 'edr-simulated', chainType: 'op', hardfork, chainId: CHAIN_ID, accounts } as const
    const hre = await createHardhatRuntimeEnvironment({
      networks: { op: { ...network, initialBaseFeePerGas: 1_000n } },
    })
    const server = await hre.network.createServer('op', '127.0.0.1', 0)
    const { address, port } = await server.listen()
    stop = () => server.close()
    rpc = createRpc({ chainId: CHAIN_ID, urls: [`http://${address}:${port}`] })
    const { scalar, constant } = OPERATOR
    const setSlot = (slot: bigint, value: bigint) =>
      rpc.request('hardhat_setStorageAt', [L1_BLOCK, `0x${slot.toString(16)}`, word(value)])
    await setSlot(1n, L1.baseFee)
    await setSlot(3n, (L1.baseFeeScalar << 96n) | (L1.blobScalar << 64n))
    await setSlot(7n, L1.blobBaseFee)
    if (hardfork === 'isthmus') await setSlot(8n, (scalar << 64n) | constant)
  })
  afterAll(async () => {
    rpc?.close()
    await stop?.()
  })

  /** Sends a transaction and returns the cost in addition to value and gas. */
  async function charge(transaction: FeeTransaction, sender: HDNodeWallet) {
    const balance = async () => BigInt(await rpc.request<string>('eth_getBalance', [sender.address, 'latest']))
    await rpc.request('hardhat_setNonce', [sender.address, `0x${NONCE.toString(16)}`])
    const before = await balance()
    const raw = await sender.signTransaction(build(transaction))
    const hash = await rpc.request<string>('eth_sendRawTransaction', [raw])
    type Receipt = { status: string; gasUsed: string; effectiveGasPrice: string }
    const receipt = await rpc.request<Receipt>('eth_getTransactionReceipt', [hash])
    expect(receipt.status).toBe('0x1')
    const gasUsed = BigInt(receipt.gasUsed)
    const spent = before - (await balance())
    return { gasUsed, feeWei: spent - transaction.value - gasUsed * BigInt(receipt.effectiveGasPrice) }
  }

  test('20 transactions are charged the estimate, except for unknown bytes of the signature', async () => {
    for (const [i, sent] of transactions.entries()) {
      const { gasUsed, feeWei } = await charge(sent, senders[i]!)
      const expected = { ...sent, gas: gasUsed }
      const estimate = (await estimateL1Fee(rpc, 'op-stack', expected, 'latest'))!
      const bytes = Math.abs(Number(estimate.feeWei - feeWei)) / PER_BYTE
      expect(bytes, `transaction ${i}: ${estimate.feeWei} for ${feeWei}`).toBeLessThan(4)
    }
  })

  test('20 estimates equal the oracle fee of the unsigned transaction, plus the operator fee', async () => {
    for (const transaction of transactions) {
      const call = abi.encodeFunctionData('getL1Fee', [build(transaction).unsignedSerialized])
      const data = BigInt(await rpc.request<string>('eth_call', [{ to: ORACLE, data: call }, 'latest']))
      const { scalar, constant } = OPERATOR
      const operator = hardfork === 'isthmus' ? (transaction.gas * scalar) / 1_000_000n + constant : 0n
      expect(await estimateL1Fee(rpc, 'op-stack', transaction, 'latest')).toEqual({ feeWei: data + operator, gas: 0n })
    }
  })
})
