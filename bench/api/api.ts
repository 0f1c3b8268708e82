/**
 * `npm run bench:api`: how fast the API answers with the local node, the API and the load on the same machine. Swaps are
 * never the same, so that each is routed and simulated. Every figure has its yardstick in the same run: the bare
 * `eth_call` of the same probes at the node, and Express handlers that send the same bytes. Results in
 * `results/api.json`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { record, rounded } from '../record.ts'
import { getRequest, postRequest } from './connection.ts'
import { closedLoop, type Figures, openLoop } from './load.ts'
import { recordProbes, startProcess, startWorld, swapPaths } from './world.ts'

/** Rounds of each comparison; the two sides take turns, and the median counts. */
const ROUNDS = 3
const SECONDS = 5
/** Seconds until the compiler of the service has seen enough. */
const WARM_UP = 8
const OVERLOAD = 10

const world = await startWorld()
const service = await startProcess('service.ts', [], world.env)
const temporary = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
try {
  const nextPath = swapPaths(world.devnet)
  const nextSwap = () => getRequest(nextPath())
  const swapLoad = { url: service.url, next: nextSwap, seconds: SECONDS }
  const paths = Array.from({ length: 5 }, nextPath)
  const probes = (await recordProbes(world, paths)).map(postRequest)
  let turn = 0
  const probeLoad = { url: world.devnet.url, next: () => probes[turn++ % probes.length]!, seconds: SECONDS }
  await closedLoop({ ...swapLoad, connections: 32, seconds: WARM_UP })

  const alone = await rounds(() => closedLoop({ ...swapLoad, connections: 1 }))
  const bareCall = await rounds(() => closedLoop({ ...probeLoad, connections: 1 }))
  const busy = await rounds(() => closedLoop({ ...swapLoad, connections: 32 }))
  const overload = await rounds(() =>
    openLoop({ ...swapLoad, connections: 2_000, rate: Math.round(busy.perSecond * OVERLOAD) }),
  )

  const tokens = ['WETH', 'USDC', 'USDT', 'DAI', 'WBTC', 'LINK', 'UNI', 'AAVE', 'CRV', 'PEPE']
  const list = tokens.map((symbol) => world.devnet.info.tokens[symbol]!.address).join()
  const [prices, chains] = [`/prices/31337?token=${list}`, '/chains']
  const files = await Promise.all([prices, chains].map((path, i) => save(path, `${i}.json`)))
  const bare = await startProcess('bare.ts', files)
  const compare = async (path: string) => {
    const load = { next: () => getRequest(path), connections: 32, seconds: SECONDS }
    const pairs: { own: Figures; bare: Figures }[] = []
    for (let round = 0; round < ROUNDS; round++)
      pairs.push({
        bare: await closedLoop({ ...load, url: bare.url }),
        own: await closedLoop({ ...load, url: service.url }),
      })
    const median = (side: 'own' | 'bare') => middle(pairs.map((pair) => pair[side].perSecond))
    return {
      perSecond: median('own'),
      barePerSecond: median('bare'),
      ratio: rounded(middle(pairs.map((pair) => pair.own.perSecond / pair.bare.perSecond)), 2),
    }
  }
  const compared = { prices: await compare(prices), chains: await compare(chains) }
  await bare.stop()

  record('api', {
    swap: {
      oneConnection: alone,
      bareEthCall: bareCall,
      timesTheBareEthCall: rounded(alone.p50 / bareCall.p50, 2),
      connections32: busy,
      overload: { offeredPerSecond: Math.round(busy.perSecond * OVERLOAD), ...overload },
      overloadP99TimesNormal: rounded(overload.p99 / busy.p99, 2),
    },
    pricesOf10Tokens: compared.prices,
    chains: compared.chains,
  })
} finally {
  rmSync(temporary, { recursive: true })
  await service.stop()
  await world.stop()
}

async function ask(url: string): Promise<string> {
  const answer = await fetch(url)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text}`)
  return text
}

/** The yardstick sends the very bytes that the service sends. */
async function save(path: string, name: string): Promise<string> {
  const file = join(temporary, name)
  writeFileSync(file, await ask(service.url + path))
  return file
}

/** The round with the median p99. */
async function rounds(run: () => Promise<Figures>): Promise<Figures> {
  const all: Figures[] = []
  for (let round = 0; round < ROUNDS; round++) all.push(await run())
  return all.sort((a, b) => a.p99 - b.p99)[Math.floor(ROUNDS / 2)]!
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!
}
