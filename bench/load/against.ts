/**
 * `npm run bench -- load against <folder>`: compares latency without load, throughput, and processor time of this service
 * with another checkout, such as a worktree of an earlier commit with its own `node_modules`. Both run in turn on one
 * machine, on the earlier checkout's local chain with the same node and pools. This service also runs on its own local
 * chain, which has more pools. Two callers then use moving chains, with a block every fifth of a second and a constant
 * gas price. The median of the rounds' ratios counts. Results in `results/against.json`.
 */
import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from '@sluice/devnet'
import { cpuMs, nodeOfPort } from '../lib/processor.ts'
import { median } from '../lib/statistics.ts'
import { startService, startWorld, swapPaths, type World } from '../lib/world.ts'
import { record, rounded } from '../record.ts'
import { getRequest } from './connection.ts'
import { closedLoop } from './generator.ts'
import { joinChain } from './shared-chain.ts'

const [folder] = process.argv.slice(2)
if (!folder) throw new Error('npm run bench -- load against <folder of the other checkout>')
const other = resolve(process.env.INIT_CWD ?? '.', folder)

const ROUNDS = 7
const SECONDS = 3
/**
 * Swaps before the measurement, until V8 has optimized the service: it fully optimizes functions after 3,000 calls, and
 * some code serves one pair in five. Services take turns in parts, since an idle service frees memory and compiled
 * code. Every second part uses one connection, because threads, which compile separately, serve part of many
 * connections.
 */
const WARM_UP = 20_000
const WARM_UP_PARTS = 10
const CONNECTIONS = 32
/** A moving chain: two callers that pause between quotes, and the time between blocks. */
const MOVING = { connections: 2, restMs: 15, seconds: 6, blockMs: 200 }
/** Time in which a stopped service processes the blocks that it missed. */
const CATCH_UP_MS = 1_000

const [world, shared] = [await startWorld(), await startWorld(other)]
const start = async (root: string, { devnet }: World, env: World['env']) => {
  const service = await startService(env, root)
  return {
    ...service,
    chain: devnet.url,
    next: swapPaths(devnet),
    pid: service.child.pid!,
    node: nodeOfPort(devnet.port),
  }
}
const root = join(import.meta.dirname, '../..')
const sides = {
  earlier: await start(other, shared, shared.env),
  sameChain: await start(root, shared, await joinChain(shared)),
  ownChain: await start(root, world, world.env),
}
type Name = keyof typeof sides
const names = Object.keys(sides) as Name[]

/** Measures one side with a number of connections. Processor time is in microseconds per swap. */
async function measure(name: Name, connections: number, seconds = SECONDS) {
  const { url, next, pid, node } = sides[name]
  const before = [cpuMs(pid), cpuMs(node)] as const
  const { p50, perSecond, answers } = await closedLoop({ url, next: () => getRequest(next()), connections, seconds })
  const swaps = answers[200] ?? 0
  const cpuMsPerSwap = (process: number, earlier: number) => Math.round(((cpuMs(process) - earlier) * 1_000) / swaps)
  return { p50, perSecond, serviceUs: cpuMsPerSwap(pid, before[0]), nodeUs: cpuMsPerSwap(node, before[1]) }
}

async function warmUp(name: Name, connections: number): Promise<void> {
  const { url, next } = sides[name]
  let remaining = WARM_UP / WARM_UP_PARTS
  while (remaining > 0)
    remaining -= (await closedLoop({ url, next: () => getRequest(next()), connections, seconds: 1 })).answers[200] ?? 0
}

/**
 * Measures one side on a moving chain, with empty blocks at the chain's initial gas price. The other services, one of
 * which follows the same chain, are stopped meanwhile.
 */
async function measureMoving(name: Name) {
  const { url, next, chain } = sides[name]
  const otherProcesses = names.filter((other) => other !== name).map((other) => sides[other].child)
  for (const other of otherProcesses) other.kill('SIGSTOP')
  const { baseFeePerGas } = await request<{ baseFeePerGas: string }>(chain, 'eth_getBlockByNumber', ['latest', false])
  let lastMined: Promise<unknown> = Promise.resolve()
  const mineBlock = () => {
    lastMined = request(chain, 'anvil_setNextBlockBaseFeePerGas', [baseFeePerGas]).then(() =>
      request(chain, 'evm_mine', []),
    )
  }
  const blocks = setInterval(mineBlock, MOVING.blockMs)
  const { p50, p95, answers } = await closedLoop({ url, next: () => getRequest(next()), ...MOVING })
  clearInterval(blocks)
  await lastMined
  for (const other of otherProcesses) other.kill('SIGCONT')
  await sleep(CATCH_UP_MS)
  return { p50, p95, answers }
}

/** Runs a measurement for each side. The first side changes with each round. */
async function inTurn<T>(k: number, measure: (name: Name) => Promise<T>): Promise<Record<Name, T>> {
  const measurements = {} as Record<Name, T>
  for (const name of [...names.slice(k % names.length), ...names.slice(0, k % names.length)])
    measurements[name] = await measure(name)
  return measurements
}
const measureCalm = async (name: Name) => ({ one: await measure(name, 1), many: await measure(name, CONNECTIONS) })
type Figures = Awaited<ReturnType<typeof measure>>

try {
  for (let part = 0; part < WARM_UP_PARTS; part++)
    for (const name of names) await warmUp(name, part % 2 === 0 ? CONNECTIONS : 1)
  const rounds: Record<Name, Awaited<ReturnType<typeof measureCalm>>>[] = []
  for (let k = 0; k < ROUNDS; k++) rounds.push(await inTurn(k, measureCalm))
  const moving: Record<Name, Awaited<ReturnType<typeof measureMoving>>>[] = []
  for (let k = 0; k < ROUNDS; k++) moving.push(await inTurn(k, measureMoving))
  const middle = (values: readonly number[]) => rounded(median(values), 2)
  const ratiosOf = (name: Name) => {
    const ratio = (side: 'one' | 'many', figure: keyof Figures) =>
      middle(rounds.map((round) => round[name][side][figure] / round.earlier[side][figure]))
    const whileMoving = (figure: 'p50' | 'p95') =>
      middle(moving.map((round) => round[name][figure] / round.earlier[figure]))
    return {
      p50: ratio('one', 'p50'),
      perSecond: ratio('many', 'perSecond'),
      processor: {
        one: { service: ratio('one', 'serviceUs'), node: ratio('one', 'nodeUs') },
        many: { service: ratio('many', 'serviceUs'), node: ratio('many', 'nodeUs') },
      },
      moving: { p50: whileMoving('p50'), p95: whileMoving('p95') },
    }
  }
  record('against', {
    earlierCommit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: other, encoding: 'utf8' }).trim(),
    ratios: { sameChain: ratiosOf('sameChain'), ownChain: ratiosOf('ownChain') },
    rounds,
    moving,
  })
} finally {
  for (const service of Object.values(sides)) await service.stop()
  for (const { stop } of [world, shared]) await stop()
}
