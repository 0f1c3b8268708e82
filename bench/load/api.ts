/**
 * `npm run bench -- load api`: measures the API. The local node and the load run on the same machine. All swaps differ,
 * so that the service routes and simulates each of them. The baselines of the same run are the `eth_call` requests by
 * which the service simulates quotes, sent directly to the node, and Express handlers that send the same bytes as the
 * service. Results in `results/api.json`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from '../lib/statistics.ts'
import { recordProbes, startLocalService, startProcess } from '../lib/world.ts'
import { record, rounded } from '../record.ts'
import { getRequest, postRpc } from './connection.ts'
import { closedLoop, type Figures, medianRound, openLoop } from './generator.ts'

/** Rounds of each comparison. The two sides take turns, and the round with the median ratio counts. */
const ROUNDS = 5
const SECONDS = 5
/** Seconds of load before the measurement, so that V8 has optimized the service. */
const WARM_UP_SECONDS = 15
/** Requested rate of the overload as a multiple of the service's maximum rate. */
const OVERLOAD_FACTOR = 10

const { devnet, env, service, nextPath, stop } = await startLocalService()
const temporaryDir = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
try {
  const nextSwap = () => getRequest(nextPath())
  const swapLoad = { url: service.url, next: nextSwap, seconds: SECONDS }
  const paths = Array.from({ length: 5 }, nextPath)
  const probes = (await recordProbes(env, paths)).map(postRpc)
  let turn = 0
  const probeLoad = { url: devnet.url, next: () => probes[turn++ % probes.length]!, seconds: SECONDS }
  await closedLoop({ ...swapLoad, connections: 32, seconds: WARM_UP_SECONDS })

  const oneConnection = await inTurn(
    () => closedLoop({ ...probeLoad, connections: 1 }),
    () => closedLoop({ ...swapLoad, connections: 1 }),
    'p50',
  )
  const normalAndOverload = await inTurn(
    () => closedLoop({ ...swapLoad, connections: 32 }),
    ({ perSecond }) => openLoop({ ...swapLoad, connections: 2_000, rate: Math.round(perSecond * OVERLOAD_FACTOR) }),
    'p99',
  )

  const tokens = ['WETH', 'USDC', 'USDT', 'DAI', 'WBTC', 'LINK', 'UNI', 'AAVE', 'CRV', 'PEPE']
  const tokenList = tokens.map((symbol) => devnet.info.tokens[symbol]!.address).join()
  const [prices, chains] = [`/prices/31337?token=${tokenList}`, '/chains']
  const files = await Promise.all([prices, chains].map((path, i) => saveResponse(path, `${i}.json`)))
  const bareServer = await startProcess(join(import.meta.dirname, 'bare.ts'), files)
  const compare = async (path: string) => {
    const load = { next: () => getRequest(path), connections: 32, seconds: SECONDS }
    const rounds: { own: Figures; bare: Figures }[] = []
    for (let round = 0; round < ROUNDS; round++)
      rounds.push({
        bare: await closedLoop({ ...load, url: bareServer.url }),
        own: await closedLoop({ ...load, url: service.url }),
      })
    const perSecond = (side: 'own' | 'bare') => median(rounds.map((pair) => pair[side].perSecond))
    return {
      perSecond: perSecond('own'),
      barePerSecond: perSecond('bare'),
      ratio: rounded(median(rounds.map((pair) => pair.own.perSecond / pair.bare.perSecond)), 2),
    }
  }
  const comparisons = { prices: await compare(prices), chains: await compare(chains) }
  await bareServer.stop()

  record('api', {
    swap: {
      oneConnection: oneConnection.other,
      bareEthCall: oneConnection.base,
      timesTheBareEthCall: oneConnection.ratio,
      connections32: normalAndOverload.base,
      overload: normalAndOverload.other,
      overloadP99TimesNormal: normalAndOverload.ratio,
    },
    pricesOf10Tokens: comparisons.prices,
    chains: comparisons.chains,
  })
} finally {
  rmSync(temporaryDir, { recursive: true })
  await stop()
}

/** Saves a response to a file, so that the baseline sends the same bytes as the service. */
async function saveResponse(path: string, name: string): Promise<string> {
  const file = join(temporaryDir, name)
  const answer = await fetch(service.url + path)
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  writeFileSync(file, await answer.text())
  return file
}

/**
 * Runs two measurements in turn, so that other load on the machine affects both.
 *
 * @returns the round with the median ratio of the percentile
 */
function inTurn<Other extends Figures>(
  runBase: () => Promise<Figures>,
  runOther: (base: Figures) => Promise<Other>,
  percentile: 'p50' | 'p99',
): Promise<{ readonly base: Figures; readonly other: Other; readonly ratio: number }> {
  const run = async () => {
    const base = await runBase()
    const other = await runOther(base)
    return { base, other, ratio: rounded(other[percentile] / base[percentile], 2) }
  }
  return medianRound(ROUNDS, run, ({ ratio }) => ratio)
}
