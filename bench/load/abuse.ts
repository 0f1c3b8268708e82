/**
 * `npm run bench -- load abuse [<seconds of each kind> <seconds until memory is read> <kind>…]`: measures normal
 * callers while an abusive client sends expensive requests. The client sends one kind of request at a time, on sixteen
 * connections of one address. The callers have other addresses, and are also measured before the abuse. Memory is read
 * at the end. Results in `results/abuse.json`.
 */
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startLocalService, startProcess, type World } from '../lib/world.ts'
import { record, rounded } from '../record.ts'
import type { AbuseOrder, AbuseReport } from './abuser.ts'
import { getRequest } from './connection.ts'
import { requestGenerators, type Target } from './expensive-requests.ts'
import { closedLoop } from './generator.ts'
import { EXPOSED_GC, memoryOf } from './memory.ts'

const [seconds = 20, restSeconds = 60] = process.argv.slice(2, 4).map(Number)
const onlyKinds = process.argv.slice(4)
const SECONDS_WITHOUT_ABUSE = 5
const WARM_UP_SECONDS = 10
/** Addresses of normal callers, each with one connection. */
const CALLER_ADDRESSES = ['127.0.0.2', '127.0.0.3', '127.0.0.4']
/** Pause of a normal caller between a response and its next request. */
const PAUSE_MS = 50
/** Maximum wait of a normal caller for a response. A request that takes longer counts as lost. */
const GIVE_UP_MS = 10_000
/** Chain ids whose nodes are down or never respond. */
const DEAD_CHAINS = [40_001, 40_002, 40_003, 40_004]

const temporaryDir = mkdtempSync(join(tmpdir(), 'sluice-abuse-'))
const hangingServer = createServer(() => {}).listen(0, '127.0.0.1')
await once(hangingServer, 'listening')
const { devnet, service, nextPath, stop } = await startLocalService((world) => ({
  ...withDeadChains(world),
  ...EXPOSED_GC,
}))
const abuser = await startProcess(join(import.meta.dirname, 'abuser.ts'), [])
try {
  const { tokens, accounts } = devnet.info
  const target: Target = {
    chainId: 31337,
    weth: tokens.WETH!.address,
    usdc: tokens.USDC!.address,
    account: accounts[0]!.address,
    deadChains: DEAD_CHAINS,
  }
  await measureCallers(WARM_UP_SECONDS)
  const memoryBefore = await memoryOf(service)
  const results: Record<string, object> = {}
  for (const kind of Object.keys(requestGenerators(target)).filter(
    (name) => onlyKinds.length === 0 || onlyKinds.includes(name),
  )) {
    const quietFigures = await measureCallers(SECONDS_WITHOUT_ABUSE)
    const abuserReport = new Promise<AbuseReport>((resolve) =>
      abuser.child.once('message', (message) => resolve(message as AbuseReport)),
    )
    abuser.child.send({ url: service.url, target, kind, seconds } satisfies AbuseOrder)
    const loadedFigures = await measureCallers(seconds)
    const { answers } = await abuserReport
    const timesQuiet = rounded(loadedFigures.p95 / quietFigures.p95)
    results[kind] = {
      timesQuiet,
      quiet: quietFigures,
      loaded: loadedFigures,
      abuser: answers,
      memoryMB: (await memoryOf(service)).residentMB,
    }
    console.error(`${kind}: ${timesQuiet} times ${quietFigures.p95} ms, lost ${loadedFigures.lost}`)
    await sleep(2_000)
  }
  await sleep(restSeconds * 1000)
  const memoryAfter = await memoryOf(service)
  record('abuse', { connections: 16, secondsOfEach: seconds, restSeconds, memoryBefore, memoryAfter, kinds: results })
} finally {
  await abuser.stop()
  await stop()
  hangingServer.close()
  rmSync(temporaryDir, { recursive: true })
}

/** Measures normal callers, who send one request at a time, and pause after the response. */
async function measureCallers(forSeconds: number) {
  const { answers, p50, p95, slowest } = await closedLoop({
    ...{ url: service.url, next: () => getRequest(nextPath()), seconds: forSeconds },
    ...{
      connections: CALLER_ADDRESSES.length,
      sourceAddresses: CALLER_ADDRESSES,
      restMs: PAUSE_MS,
      giveUpMs: GIVE_UP_MS,
    },
  })
  const { 200: answered = 0, ...otherStatuses } = answers
  const lostCount = Object.values(otherStatuses).reduce((sum, count) => sum + count, 0)
  return { answered, lost: lostCount, p50, p95, slowest }
}

/**
 * Copies the local chain's files to other chain ids: two have no server at their endpoint, and two have a node that
 * never responds.
 */
function withDeadChains({ env }: World): Readonly<Record<string, string>> {
  for (const part of ['chains', 'deployments'] as const) {
    mkdirSync(join(temporaryDir, part))
    const sourceDir = part === 'chains' ? env.CHAINS_DIR! : env.DEPLOYMENTS_DIR!
    const file = readFileSync(join(sourceDir, '31337.json'), 'utf8')
    for (const id of [31337, ...DEAD_CHAINS])
      writeFileSync(join(temporaryDir, part, `${id}.json`), file.replace('"chainId": 31337', `"chainId": ${id}`))
  }
  const hangingUrl = `http://127.0.0.1:${(hangingServer.address() as AddressInfo).port}`
  const urls = DEAD_CHAINS.map((id, i) => [`RPC_URL_${id}`, i % 2 === 0 ? 'http://127.0.0.1:9' : hangingUrl])
  return {
    CHAINS_DIR: join(temporaryDir, 'chains'),
    DEPLOYMENTS_DIR: join(temporaryDir, 'deployments'),
    ...Object.fromEntries(urls),
  }
}
