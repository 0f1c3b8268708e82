/** Tests retries, cancellation, and private transactions. */
import { NodeProxy } from '@sluice/devnet'
import { Wallet as EthersWallet, JsonRpcProvider } from 'ethers'
import { createPublicClient, createWalletClient, defineChain, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ClientError, fromEip1193, fromEthers, fromViem, NATIVE, privately, SluiceClient, swap } from '../src/index.ts'
import { CHAIN, type Stage, startStage } from './service.ts'

let stage: Stage
let proxy: NodeProxy
beforeAll(async () => {
  stage = await startStage()
  proxy = await NodeProxy.start(stage.devnet.url)
})
afterAll(async () => {
  await proxy?.stop()
  await stage?.stop()
})

const account = (index: number) => stage.devnet.info.accounts[index]!
const wanted = () => ({ src: NATIVE, dst: stage.token('USDC'), amount: 10n ** 16n })

/** Creates a client whose first `failures` requests go to a closed port. */
function unlucky(failures: number, retries?: number) {
  const requests: string[] = []
  const client = new SluiceClient({
    baseUrl: stage.server.url,
    timeoutMs: 30_000,
    ...(retries !== undefined && { retries }),
    fetch: (input, init) => {
      requests.push(String(input))
      const url = new URL(String(input))
      if (requests.length <= failures) url.port = '9'
      return fetch(url, init)
    },
  })
  return { client, seen: requests }
}

test('a temporary failure is retried up to a limit', async () => {
  const lucky = unlucky(2)
  expect((await lucky.client.getQuote(CHAIN, wanted())).toAmount).toMatch(/^\d+$/)
  expect(lucky.seen).toHaveLength(3)
  const none = unlucky(1, 0)
  await expect(none.client.chains()).rejects.toMatchObject({ code: 'NETWORK', retryable: true })
  expect(none.seen).toHaveLength(1)
  const wrong = unlucky(0)
  await expect(wrong.client.getQuote(CHAIN, { ...wanted(), amount: '1e18' })).rejects.toMatchObject({
    retryable: false,
  })
  expect(wrong.seen).toHaveLength(1)
  expect(new ClientError('HTTP', '', { status: 504, serviceCode: 'ROUTE_TIMEOUT' }).retryable).toBe(false)
  expect(new ClientError('HTTP', '', { status: 504, serviceCode: 'TIMEOUT' }).retryable).toBe(true)
})

test("the caller's signal ends a request, and the wait between two", async () => {
  const aborted = { code: 'ABORTED', retryable: false }
  await expect(stage.client.getQuote(CHAIN, wanted(), AbortSignal.abort())).rejects.toMatchObject(aborted)
  const controller = new AbortController()
  const { client, seen: requests } = unlucky(100, 50)
  const asking = client.chains(controller.signal)
  setTimeout(() => controller.abort(), 100)
  await expect(asking).rejects.toMatchObject(aborted)
  expect(requests.length).toBeLessThan(3)
})

test('an aborted swap sends nothing', async () => {
  const controller = new AbortController()
  const sent: unknown[] = []
  const provider = new JsonRpcProvider(stage.devnet.url, CHAIN, { staticNetwork: true, cacheTimeout: -1 })
  const wallet = await fromEthers(new EthersWallet(account(3).privateKey, provider))
  const confirm = () => {
    controller.abort()
    return true
  }
  const watched = {
    ...wallet,
    send: async (transaction: Parameters<typeof wallet.send>[0]) => String(sent.push(transaction)),
  }
  const swapping = swap(stage.client, watched, CHAIN, wanted(), { ...stage, confirm, signal: controller.signal })
  await expect(swapping).rejects.toMatchObject({ code: 'ABORTED' })
  expect(sent).toEqual([])
  provider.destroy()
})

test('transactions and approvals are sent only to the private node', async () => {
  const transport = http(stage.devnet.url)
  const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 }
  const rpcUrls = { default: { http: [stage.devnet.url] } }
  const chain = defineChain({ id: CHAIN, name: 'local', nativeCurrency, rpcUrls })
  const signer = privateKeyToAccount(account(4).privateKey as `0x${string}`)
  const viem = fromViem(
    createWalletClient({ account: signer, chain, transport }),
    createPublicClient({ chain, transport, pollingInterval: 50, cacheTime: 0 }),
  )
  const provider = new JsonRpcProvider(stage.devnet.url, CHAIN, { staticNetwork: true, cacheTimeout: -1 })
  const ethers = await fromEthers(new EthersWallet(account(5).privateKey, provider))
  for (const wallet of [viem, ethers]) {
    const refuses = { ...wallet, send: () => Promise.reject(new Error('sent in public')) }
    const hidden = privately(refuses, proxy.url)
    proxy.calledMethods.length = 0
    const before = await stage.balance(stage.token('USDC'), wallet.address)
    const { route } = await swap(stage.client, hidden, CHAIN, wanted(), stage)
    expect((await stage.balance(stage.token('USDC'), wallet.address)) - before).toBe(BigInt(route.toAmount))
    expect(proxy.calledMethods).toEqual(['eth_sendRawTransaction'])
    await swap(
      stage.client,
      hidden,
      CHAIN,
      { src: stage.token('USDC'), dst: stage.token('DAI'), amount: 10n ** 6n },
      stage,
    )
    expect(proxy.calledMethods.length).toBeGreaterThan(1)
    expect(new Set(proxy.calledMethods)).toEqual(new Set(['eth_sendRawTransaction']))
  }
  provider.destroy()
  const browser = fromEip1193({ request: async () => null }, account(5).address)
  expect(() => privately(browser, proxy.url)).toThrow(expect.objectContaining({ code: 'WALLET' }))
})
