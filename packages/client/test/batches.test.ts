/** Tests approval and swap as one atomic batch. */
import { request } from '@sluice/devnet'
import { getAddress } from 'ethers'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { allowanceOf } from '../src/approve.ts'
import { fromEip1193, NATIVE, swap } from '../src/index.ts'
import { CHAIN, type Stage, startStage } from './service.ts'
import { type Behaviour, type SmartAccount, smartAccount } from './smart-account.ts'

let stage: Stage
let account: SmartAccount | undefined
beforeAll(async () => {
  stage = await startStage()
})
afterEach(() => account?.stop())
afterAll(() => stage?.stop())

const walletOf = async (index: number, behaviour: Behaviour = {}) => {
  const { address, privateKey } = stage.devnet.info.accounts[index]!
  account = await smartAccount(stage.devnet.url, privateKey, behaviour)
  // Wallets return addresses with a checksum.
  return { signed: account.signed, wallet: fromEip1193(account.provider, getAddress(address)) }
}
const wanted = () => ({ src: stage.token('USDC'), dst: stage.token('DAI'), amount: 10_000_000n })

test('the allowance is set and used within the transaction of the swap', async () => {
  const { signed, wallet } = await walletOf(0)
  const before = await stage.balance(stage.token('DAI'), wallet.address)
  const { hash, route } = await swap(stage.client, wallet, CHAIN, wanted(), stage)
  expect(signed).toEqual(['wallet_sendCalls'])
  expect((await stage.balance(stage.token('DAI'), wallet.address)) - before).toBe(BigInt(route.toAmount))
  expect(await allowanceOf(wallet, stage.token('USDC'), stage.guard)).toBe(0n)
  const receipt = await request<{ type: string; status: string }>(stage.devnet.url, 'eth_getTransactionReceipt', [hash])
  expect(receipt).toMatchObject({ type: '0x4', status: '0x1' })
})

test('a token that wants its allowance reset first gets that in the same batch', async () => {
  const { signed, wallet } = await walletOf(0)
  const src = stage.token('USDT')
  // approve(guard, 5)
  const data = `0x095ea7b3${stage.guard.slice(2).padStart(64, '0')}${'5'.padStart(64, '0')}` as const
  expect(await wallet.succeeded(await wallet.send({ to: src, data, value: 0n }))).toBe(true)
  const { route } = await swap(stage.client, wallet, CHAIN, { ...wanted(), src }, stage)
  expect(signed).toEqual(['eth_sendTransaction', 'wallet_sendCalls'])
  expect(BigInt(route.toAmount)).toBeGreaterThan(0n)
  expect(await allowanceOf(wallet, src, stage.guard)).toBe(0n)
})

test('a swap that fails leaves no allowance behind', async () => {
  const { timestamp } = await request<{ timestamp: string }>(stage.devnet.url, 'eth_getBlockByNumber', [
    'latest',
    false,
  ])
  const deadline = Number(timestamp) + 60
  const before = () => request<void>(stage.devnet.url, 'evm_setNextBlockTimestamp', [deadline + 1])
  const { signed, wallet } = await walletOf(0, { before })
  await expect(swap(stage.client, wallet, CHAIN, { ...wanted(), deadline }, stage)).rejects.toMatchObject({
    code: 'REVERTED',
  })
  expect(signed).toEqual(['wallet_sendCalls'])
  expect(await allowanceOf(wallet, stage.token('USDC'), stage.guard)).toBe(0n)
})

test.each([
  ['cannot', { status: 'unsupported' }],
  ['will not be upgraded', { status: 'ready', refuses: 5750 }],
] as const)('a wallet that %s sends the approval first, then the swap', async (_, behaviour) => {
  const { signed, wallet } = await walletOf(1, behaviour)
  await swap(stage.client, wallet, CHAIN, wanted(), stage)
  expect(signed).toEqual(['eth_sendTransaction', 'eth_sendTransaction'])
})

test('a batch that the owner declines is not sent in another way', async () => {
  const { signed, wallet } = await walletOf(1, { refuses: 4001 })
  await expect(swap(stage.client, wallet, CHAIN, wanted(), stage)).rejects.toMatchObject({ code: 'REJECTED' })
  expect(signed).toEqual([])
})

test('no batch is used if no approval is needed', async () => {
  const { signed, wallet } = await walletOf(1)
  await swap(stage.client, wallet, CHAIN, { ...wanted(), src: NATIVE, amount: 10n ** 16n }, stage)
  expect(signed).toEqual(['eth_sendTransaction'])
})
