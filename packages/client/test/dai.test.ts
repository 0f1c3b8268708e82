/** Tests DAI's permit with the genuine DAI on recorded Ethereum state, and the package's known contracts of chain 1. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig, type RunningServer, startServer } from '@sluice/api'
import { deployContracts } from '@sluice/contracts'
import { type Anvil, accounts, request, startMainnet } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allowanceOf } from '../src/approve.ts'
import { encodeCall } from '../src/calls.ts'
import { explain, fromEip1193, gasLimit, guardOf, NATIVE, type Outgoing, SluiceClient, swap } from '../src/index.ts'

const CHAIN = 1
/** balanceOf(address) */
const BALANCE_OF = '0x70a08231'
const DAI = '0x6B175474E89094C44Da98b954EedeAC495271d0F'
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
/** DAI's domain separator and its slot. The recorded state lacks the slot, because no recorded transaction read it. */
const SEPARATOR = '0xdbb8cf42e1ecb028be3f3dbc922e1d878b963f411dc388ced501601c60f7c6f7'
const SEPARATOR_SLOT = `0x${'5'.padStart(64, '0')}`
const dir = mkdtempSync(join(tmpdir(), 'sluice-dai-'))
let node: Anvil
let server: RunningServer
let client: SluiceClient

beforeAll(async () => {
  node = await startMainnet()
  await request(node.url, 'anvil_setStorageAt', [DAI, SEPARATOR_SLOT, SEPARATOR])
  await deployContracts({ rpcUrl: node.url, chainId: CHAIN, deploymentsDir: dir })
  const env = { PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'silent', DEPLOYMENTS_DIR: dir, RPC_URL_1: node.url }
  server = await startServer(loadConfig(env))
  client = new SluiceClient({ baseUrl: server.url, timeoutMs: 60_000 })
})
afterAll(async () => {
  await server?.close()
  await node?.stop()
  rmSync(dir, { recursive: true, force: true })
})

const walletOf = (index: number) => {
  const sent: Outgoing[] = []
  const wallet = fromEip1193(
    { request: ({ method, params }) => request(node.url, method, params ?? []) },
    accounts()[index]!.address,
  )
  const send = (transaction: Outgoing) => {
    sent.push(transaction)
    return wallet.send(transaction)
  }
  return { sent, wallet: { ...wallet, send } }
}
const amount = 100n * 10n ** 18n
const sold = { src: DAI, dst: USDC, amount }
/** Accepts unproven pools such as Curve's. Known pools still confirm the amount. */
const anyPool = { knownPools: false }

test('DAI gets an approval of exactly the amount, unless the owner accepts an unlimited permit', async () => {
  const { sent, wallet } = walletOf(0)
  const bought = await swap(client, wallet, CHAIN, { src: NATIVE, dst: DAI, amount: 10n ** 18n }, anyPool)
  expect(BigInt(bought.route.toAmount)).toBeGreaterThan(2n * amount)

  sent.length = 0
  await swap(client, wallet, CHAIN, sold, anyPool)
  expect(sent).toHaveLength(2)
  expect(await allowanceOf(wallet, DAI, guardOf(CHAIN)!)).toBe(0n)

  sent.length = 0
  const { route } = await swap(client, wallet, CHAIN, sold, { ...anyPool, unlimitedPermits: true })
  expect(sent).toHaveLength(1)
  expect(explain({ ...route.tx, data: sent[0]!.data }).permit).toMatchObject({ kind: 'dai', amount: null })
  expect(await allowanceOf(wallet, DAI, guardOf(CHAIN)!)).toBe(2n ** 256n - 1n)

  // The unlimited allowance remains, so no second signature is needed.
  sent.length = 0
  const again = await swap(client, wallet, CHAIN, sold, { ...anyPool, unlimitedPermits: true })
  expect(sent.map(({ data }) => data)).toEqual([again.route.tx.data])
})

test('the service offers and accepts the DAI permit, to the base unit', async () => {
  const { wallet } = walletOf(2)
  await swap(client, wallet, CHAIN, { src: NATIVE, dst: DAI, amount: 10n ** 18n }, anyPool)
  const offers = await client.getPermits(CHAIN, { src: DAI, amount, from: wallet.address })
  const offer = offers.find(({ kind }) => kind === 'dai')!
  expect(offer).toMatchObject({ unlimited: true, approval: null })
  const signature = await wallet.request!('eth_signTypedData_v4', [wallet.address, JSON.stringify(offer.typedData)])
  const request = { ...sold, from: wallet.address, permit: `${offer.permit}${signature}` }
  const route = await client.getSwap(CHAIN, request)
  const balance = async () => BigInt(await wallet.call(USDC, encodeCall(BALANCE_OF, wallet.address)))
  const before = await balance()
  const { to, data } = route.tx
  expect(await wallet.succeeded(await wallet.send({ to, data, value: 0n, gas: gasLimit(route) }))).toBe(true)
  expect((await balance()) - before).toBe(BigInt(route.toAmount))
  // The permit's nonce is used, but the unlimited allowance remains.
  expect((await client.getSwap(CHAIN, request)).toAmount).toMatch(/^\d+$/)
})

test('pools of Uniswap and PancakeSwap on the chain are verified by their factories', async () => {
  const { wallet } = walletOf(1)
  const includeSources = ['uniswap-v2', 'uniswap-v3', 'pancake-v3']
  let unknown: readonly string[] | undefined
  const { route } = await swap(
    client,
    wallet,
    CHAIN,
    { src: NATIVE, dst: USDC, amount: 10n ** 18n, includeSources },
    {
      knownPools: true,
      confirm: (_, { unknownPools }) => {
        unknown = unknownPools
        return true
      },
    },
  )
  expect(unknown).toEqual([])
  expect(route.swaps.length).toBeGreaterThan(0)
})
