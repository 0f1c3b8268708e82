/** Tests a service over imitated RPC providers: it finds every pool, or `/ready` reports the missing ones and the reason. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Devnet, NodeProxy, providers, setProvider, startDevnet } from '@sluice/devnet'
import { devnetDir, type Service, serviceEnv, startService } from '@sluice/system-test/service'
import { get, quote } from '@sluice/system-test/swap'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'

type Ready = {
  readonly status: string
  readonly state: string
  readonly pools?: number
  readonly scan?: {
    readonly state: string
    readonly progress: number
    readonly blocksPerCall?: number
    readonly reason?: string
    readonly families: readonly string[]
  }
}

let devnet: Devnet
let expected: number
const stops: (() => Promise<void>)[] = []
beforeAll(async () => {
  devnet = await startDevnet({ dir: devnetDir })
  const service = await start(devnet.url)
  await untilScanned(service)
  await sleep(1_000)
  expected = (await ready(service)).pools!
  await service.stop()
  stops.length = 0
})
afterAll(() => devnet?.stop())
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function start(url: string): Promise<Service> {
  const service = await startService({ ...serviceEnv(devnet), [`RPC_URL_${devnet.chainId}`]: url, DATA_DIR: '' })
  stops.push(() => service.stop())
  return service
}

async function ready(service: Service): Promise<Ready> {
  return (await get<Ready>(`${service.url}/ready/${devnet.chainId}`)).body
}

function firstQuote({ url }: Service) {
  const { WETH, USDC } = devnet.info.tokens
  const { address: from } = devnet.info.accounts[0]!
  return quote(url, devnet.chainId, { src: WETH.address, dst: USDC.address, amount: 10n ** 18n, from })
}

const MAX_LOOKS = 1_000

/** Wakes the chain, and waits until the scan of past logs and the reads of pools have ended or failed. */
async function untilScanned(service: Service, pools = 0): Promise<Ready> {
  await firstQuote(service)
  for (let look = 0; look < MAX_LOOKS; look++) {
    const now = await ready(service)
    if (now.scan?.state === 'failing' || (now.scan?.state === 'done' && now.pools! >= pools)) return now
    await sleep(100)
  }
  throw new Error(`the search has not ended: ${JSON.stringify(await ready(service))}`)
}

/** Without LONG: all providers that hide pools, and a twelfth of the others. */
const tried = providers().filter(({ scanErrorPattern: failsWith }, k) => process.env.LONG || failsWith || k % 12 === 0)

test.each(tried)('$name', { timeout: 120_000 }, async (provider) => {
  const node = await NodeProxy.start(devnet.url)
  stops.push(() => node.stop())
  setProvider(node, provider)
  const service = await start(node.url)
  const { scan, pools, status } = await untilScanned(service, expected)
  const { poolsPending } = (await firstQuote(service)) as { readonly poolsPending?: true }
  expect(status).toBe('ready')
  if (!provider.scanErrorPattern) {
    expect(scan).toMatchObject({ state: 'done', progress: 1, families: [] })
    expect(scan?.reason).toBeUndefined()
    expect(pools).toBe(expected)
    expect(poolsPending).toBeUndefined()
  } else {
    expect(scan).toMatchObject({ state: 'failing', reason: expect.stringMatching(provider.scanErrorPattern) })
    expect(scan!.families).toEqual(expect.arrayContaining(['uniswap-v4', 'balancer-v2', 'balancer-v3']))
    expect(pools).toBeLessThan(expected)
    expect(poolsPending).toBe(true)
  }
})
