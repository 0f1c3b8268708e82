/** Tests swaps whose owner speeds up or cancels the transaction in the wallet before it is mined. */
import { request } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fromEip1193, NATIVE, swap } from '../src/index.ts'
import { CHAIN, type Stage, startStage } from './service.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage?.stop())

const node = <T>(method: string, ...params: readonly unknown[]) => request<T>(stage.devnet.url, method, params)

/**
 * Swaps, and replaces the transaction as soon as the client has seen that it is pending.
 *
 * @param change - fields of the replacement that differ, in addition to the fee
 */
async function swapAndReplace(change: Readonly<Record<string, string>>) {
  let [hash, replacement] = ['', '']
  const replace = async () => {
    const sent = await node<Record<string, string>>('eth_getTransactionByHash', hash)
    const { from, to, input, value, nonce, gas, maxFeePerGas } = sent
    const fee = `0x${(2n * BigInt(maxFeePerGas!)).toString(16)}`
    const call = { from, to, input, value, nonce, gas, maxFeePerGas: fee, maxPriorityFeePerGas: fee, ...change }
    replacement = await node<string>('eth_sendTransaction', call)
    await node('evm_mine')
  }
  const wallet = fromEip1193(
    {
      async request({ method, params = [] }) {
        if (method === 'eth_sendTransaction') await node('evm_setAutomine', false)
        const result = await node<unknown>(method, ...params)
        if (method === 'eth_sendTransaction') hash = String(result)
        if (method === 'eth_getTransactionByHash' && replacement === '') await replace()
        return result
      },
    },
    stage.devnet.info.accounts[2]!.address,
  )
  const order = { src: NATIVE, dst: stage.token('USDC'), amount: 10n ** 17n }
  const before = await stage.balance(order.dst, wallet.address)
  const outcome = await swap(stage.client, wallet, CHAIN, order, { ...stage, trustQuote: true })
    .catch((error: unknown) => error)
    .finally(() => node('evm_setAutomine', true))
  return { outcome, hash, replacement, received: (await stage.balance(order.dst, wallet.address)) - before }
}

test('a transaction that the owner sped up is the swap', async () => {
  const { outcome, hash, replacement, received } = await swapAndReplace({})
  expect(replacement).not.toBe(hash)
  expect(outcome).toMatchObject({ hash: replacement })
  expect(received).toBeGreaterThan(0n)
})

test('a transaction that the owner canceled is REJECTED, with its hash', async () => {
  const { address } = stage.devnet.info.accounts[2]!
  const { outcome, hash, replacement, received } = await swapAndReplace({ to: address, input: '0x', value: '0x0' })
  expect(outcome).toMatchObject({ code: 'REJECTED', details: { hash }, message: expect.stringContaining(replacement) })
  expect(received).toBe(0n)
})
