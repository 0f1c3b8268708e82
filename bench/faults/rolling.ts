/**
 * `npm run bench -- faults rolling [requests]`: replaces every process of the service behind nginx, one after the
 * other, while callers send requests for many chains. Records the statuses of all responses, and the number of chains
 * that each process follows. Results in `results/rolling.json`.
 */
import { hasNginx, startFleet } from '@sluice/system-test/fleet'
import { startChainsNode } from '@sluice/system-test/many-chains'
import { replaceAllUnderLoad } from '@sluice/system-test/rolling'
import { record, rounded } from '../record.ts'

const CHAINS = 30
const WORKERS = 3
const HUBS_PER_CHAIN = 2
const requests = Number(process.argv[2] ?? 8_000)

if (!hasNginx) throw new Error('nginx is not installed')
const node = await startChainsNode(CHAINS, HUBS_PER_CHAIN)
const fleet = await startFleet(WORKERS, { ...node.env, REQUEST_TIMEOUT_MS: '25000', MAX_WAIT_MS: '25000' })
const chainCounts = async () =>
  Promise.all(
    fleet.workers.map(async (url) => {
      const { chains } = (await fetch(`${url}/ready`).then((answer) => answer.json())) as { chains: object }
      return Object.keys(chains).length
    }),
  )
try {
  for (const chainId of node.chainIds) await fetch(`${fleet.url}/tokenlist/${chainId}`)
  const chainsBefore = await chainCounts()
  const start = performance.now()
  const { statuses, failures } = await replaceAllUnderLoad(fleet, node, requests)
  const seconds = rounded((performance.now() - start) / 1_000)
  record('rolling', {
    workers: WORKERS,
    chains: CHAINS,
    chainsOfEachBefore: chainsBefore,
    replaced: WORKERS,
    seconds,
    statuses,
    failures,
  })
} finally {
  await fleet.stop()
  await node.stop()
}
