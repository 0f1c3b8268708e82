/**
 * `npm run bench -- against -- <folder>`: calm latency and throughput of this service and of the one in another checkout, such
 * as a worktree of an earlier commit with its own `node_modules`, in turn on one node and one machine. The median of the
 * rounds' ratios counts. Results in `results/against.json`.
 */
import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { record, rounded } from '../record.ts'
import { getRequest } from './connection.ts'
import { closedLoop } from './load.ts'
import { startProcess, startWorld, swapPaths } from './world.ts'

const [folder] = process.argv.slice(2)
if (!folder) throw new Error('npm run bench -- against -- <folder of the other checkout>')
const other = resolve(process.env.INIT_CWD ?? '.', folder)
const ROUNDS = 7
const SECONDS = 4
const WARM_UP = 10

const world = await startWorld()
const [own, earlier] = await Promise.all([
  startProcess('service.ts', [], world.env),
  startProcess(join(other, 'bench/api/service.ts'), [], world.env),
])
try {
  const next = swapPaths(world.devnet)
  const run = (url: string, connections: number, seconds = SECONDS) =>
    closedLoop({ url, next: () => getRequest(next()), connections, seconds })
  for (const { url } of [own, earlier]) await run(url, 32, WARM_UP)
  const rounds = []
  for (let round = 0; round < ROUNDS; round++) {
    // Each is first in every other round.
    const pair = round % 2 === 0 ? [own, earlier] : [earlier, own]
    const measured = new Map<string, { p50: number; perSecond: number }>()
    for (const { url } of pair)
      measured.set(url, { p50: (await run(url, 1)).p50, perSecond: (await run(url, 32)).perSecond })
    rounds.push({ own: measured.get(own.url)!, earlier: measured.get(earlier.url)! })
  }
  const middle = (values: readonly number[]) => rounded([...values].sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]!, 2)
  record('against', {
    earlierCommit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: other, encoding: 'utf8' }).trim(),
    p50Ratio: middle(rounds.map((round) => round.own.p50 / round.earlier.p50)),
    perSecondRatio: middle(rounds.map((round) => round.own.perSecond / round.earlier.perSecond)),
    rounds,
  })
} finally {
  await own.stop()
  await earlier.stop()
  await world.stop()
}
