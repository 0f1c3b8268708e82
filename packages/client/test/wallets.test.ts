/** Tests complete swaps with each wallet adapter, against a real service and chain. */
import { IERC20__factory } from '@sluice/bindings'
import { request } from '@sluice/devnet'
import { Wallet as EthersWallet, JsonRpcProvider } from 'ethers'
import { createPublicClient, createWalletClient, defineChain, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromEip1193, fromEthers, fromViem, NATIVE, swap, type Wallet } from '../src/index.ts'
import { CHAIN, type Stage, startStage } from './service.ts'

const erc20 = IERC20__factory.createInterface()
let stage: Stage
let providers: JsonRpcProvider[]
beforeAll(async () => {
  stage = await startStage()
  providers = []
})
afterAll(async () => {
  for (const provider of providers) provider.destroy()
  await stage?.stop()
})

const account = (index: number) => stage.devnet.info.accounts[index]!
const makers: Record<string, () => Wallet | Promise<Wallet>> = {
  viem() {
    const transport = http(stage.devnet.url)
    const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 }
    const chain = defineChain({
      id: CHAIN,
      name: 'local',
      nativeCurrency,
      rpcUrls: { default: { http: [stage.devnet.url] } },
    })
    const signer = privateKeyToAccount(account(0).privateKey as `0x${string}`)
    const pollingInterval = 50
    return fromViem(
      createWalletClient({ account: signer, chain, transport }),
      createPublicClient({ chain, transport, pollingInterval, cacheTime: 0 }),
    )
  },
  ethers() {
    const provider = new JsonRpcProvider(stage.devnet.url, CHAIN, { staticNetwork: true, cacheTimeout: -1 })
    provider.pollingInterval = 50
    providers.push(provider)
    return fromEthers(new EthersWallet(account(1).privateKey, provider))
  },
  'EIP-1193'() {
    return fromEip1193(
      { request: ({ method, params }) => request(stage.devnet.url, method, params ?? []) },
      account(2).address,
    )
  },
}

describe.each(Object.keys(makers))('with %s', (kind) => {
  let wallet: Wallet
  beforeAll(async () => {
    wallet = await makers[kind]!()
  })
  const send = async (to: string, data: string) =>
    expect(await wallet.succeeded(await wallet.send({ to, data: data as `0x${string}`, value: 0n }))).toBe(true)
  const allowance = async (token: string) =>
    BigInt(
      await wallet.call(token, erc20.encodeFunctionData('allowance', [wallet.address, stage.guard]) as `0x${string}`),
    )

  test('the approval is exactly the input, and the quoted output arrives', async () => {
    const [src, dst] = [stage.token('WETH'), stage.token('USDC')]
    const before = await stage.balance(dst, wallet.address)
    const estimates: bigint[] = []
    const estimateGas: NonNullable<Wallet['estimateGas']> = async (transaction) => {
      estimates.push(await wallet.estimateGas!(transaction))
      return estimates.at(-1)!
    }
    const watched = { ...wallet, estimateGas }
    const { hash, route } = await swap(stage.client, watched, CHAIN, { src, dst, amount: 10n ** 17n }, stage)
    const received = (await stage.balance(dst, wallet.address)) - before
    expect(received).toBe(BigInt(route.toAmount))
    expect(await allowance(src)).toBe(0n)
    const sent = await request<{ gas: string; input: string }>(stage.devnet.url, 'eth_getTransactionByHash', [hash])
    expect(BigInt(sent.gas)).toBe((estimates.at(-1)! * 120n + 99n) / 100n)
    // The node estimates the next block; the service estimates every block up to the deadline.
    expect(estimates.at(-1)).toBeLessThanOrEqual(BigInt(route.gasEstimate))
    expect(sent.input).toBe(route.tx.data)
  })

  test('native input needs no approval', async () => {
    const dst = stage.token('USDC')
    const before = await stage.balance(dst, wallet.address)
    const { route } = await swap(stage.client, wallet, CHAIN, { src: NATIVE, dst, amount: 10n ** 17n }, stage)
    expect((await stage.balance(dst, wallet.address)) - before).toBe(BigInt(route.toAmount))
  })

  test('a token that requires an allowance reset gets it', async () => {
    const [src, dst] = [stage.token('USDT'), stage.token('DAI')]
    await send(src, erc20.encodeFunctionData('approve', [stage.guard, 5n]))
    expect(await allowance(src)).toBe(5n)
    const before = await stage.balance(dst, wallet.address)
    const { route } = await swap(stage.client, wallet, CHAIN, { src, dst, amount: 10_000_000n }, stage)
    expect((await stage.balance(dst, wallet.address)) - before).toBe(BigInt(route.toAmount))
  })

  test('a sufficient allowance is not changed', async () => {
    const [src, dst] = [stage.token('USDC'), stage.token('DAI')]
    await send(src, erc20.encodeFunctionData('approve', [stage.guard, 10n ** 12n]))
    await swap(stage.client, wallet, CHAIN, { src, dst, amount: 10_000_000n }, stage)
    expect(await allowance(src)).toBe(10n ** 12n - 10_000_000n)
  })
})
