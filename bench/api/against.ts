/**
 * `npm run bench -- against -- <folder>`: calm latency and throughput of this service and of the one in another checkout, such
 * as a worktree of an earlier commit with its own `node_modules`, in turn on one machine, each on a local chain of its own making.
 * The median of the rounds' ratios counts. Results in `results/against.json`.
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
type Side = { readonly url: string; readonly next: () => string }

const ROUNDS = 7
const SECONDS = 4
const WARM_UP = 10

const worlds = [await startWorld(), await startWorld(other)] as const
const sides = await Promise.all([
  startProcess('service.ts', [], worlds[0].env),
  startProcess(join(other, 'bench/api/service.ts'), [], worlds[1].env),
])
const [own, earlier] = sides.map((service, k) => ({ ...service, next: swapPaths(worlds[k]!.devnet) }))
try {
  const run = ({ url, next }: Side, connections: number, seconds = SECONDS) =>
    closedLoop({ url, next: () => getRequest(next()), connections, seconds })
  for (const side of [own!, earlier!]) await run(side, 32, WARM_UP)
  const rounds = []
  for (let round = 0; round < ROUNDS; round++) {
    // Each is first in every other round.
    const pair = round % 2 === 0 ? [own!, earlier!] : [earlier!, own!]
    const measured = new Map<string, { p50: number; perSecond: number }>()
    for (const side of pair)
      measured.set(side.url, { p50: (await run(side, 1)).p50, perSecond: (await run(side, 32)).perSecond })
    rounds.push({ own: measured.get(own!.url)!, earlier: measured.get(earlier!.url)! })
  }
  const middle = (values: readonly number[]) => rounded([...values].sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]!, 2)
  record('against', {
    earlierCommit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: other, encoding: 'utf8' }).trim(),
    p50Ratio: middle(rounds.map((round) => round.own.p50 / round.earlier.p50)),
    perSecondRatio: middle(rounds.map((round) => round.own.perSecond / round.earlier.perSecond)),
    rounds,
  })
} finally {
  for (const service of sides) await service.stop()
  for (const world of worlds) await world.stop()
}
