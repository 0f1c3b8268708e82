/**
 * `npm run bench -- load against <folder>`: compares the service of this checkout with that of another one, such as a
 * worktree of an earlier commit with its own `node_modules`. Compares latency without load, throughput, and processor
 * time. The services run in turn on one machine, and use the earlier checkout's local chain, with the same node and
 * pools. This checkout's service is also measured on its own local chain, which has more pools. Another measurement has
 * two callers and a moving chain, with a block every 200 ms and a constant gas price. Reports the medians of the
 * rounds' ratios. Results in `results/against.json`.
 */
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from '@sluice/devnet'
import { cpuMs, nodeProcessIdOf } from '../lib/processor.ts'
import { median } from '../lib/statistics.ts'
import { startService, startWorld, swapPaths, type World } from '../lib/world.ts'
import { record, rounded, shortCommit } from '../record.ts'
import { getRequest } from './connection.ts'
import { closedLoop } from './generator.ts'
import { joinChain } from './shared-chain.ts'

const [folder] = process.argv.slice(2)
if (!folder) throw new Error('npm run bench -- load against <folder of the other checkout>')
const otherRoot = resolve(process.env.INIT_CWD ?? '.', folder)

const ROUNDS = 7
const SECONDS = 3
/**
 * Swaps per service before the measurement, so that V8 has optimized the service. V8 fully optimizes a function after
 * 3,000 calls, and some functions are called for only one of the five pairs of tokens.
 */
const WARM_UP_SWAPS = 20_000
/**
 * Number of parts of the warm-up. The services take turns after each part, because an idle service frees memory and
 * compiled code. Every second part uses one connection. With many connections, worker threads handle some requests, so
 * that the main thread would compile less of its code.
 */
const WARM_UP_PARTS = 10
const CONNECTIONS = 32
/** Load on a moving chain: two callers that pause between quotes, and a block every `blockMs`. */
const MOVING_LOAD = { connections: 2, restMs: 15, seconds: 6, blockMs: 200 }
/** Milliseconds in which a service that was paused processes the blocks that it missed. */
const CATCH_UP_MS = 1_000

const [ownWorld, otherWorld] = [await startWorld(), await startWorld(otherRoot)]
const start = async (root: string, { devnet }: World, env: World['env']) => {
  const service = await startService(env, root)
  return {
    ...service,
    nodeUrl: devnet.url,
    nextPath: swapPaths(devnet),
    servicePid: service.child.pid!,
    nodePid: nodeProcessIdOf(devnet.port),
  }
}
const root = join(import.meta.dirname, '../..')
/** The compared services. */
const sides = {
  earlier: await start(otherRoot, otherWorld, otherWorld.env),
  sameChain: await start(root, otherWorld, await joinChain(otherWorld)),
  ownChain: await start(root, ownWorld, ownWorld.env),
}
type SideName = keyof typeof sides
const names = Object.keys(sides) as SideName[]

/**
 * Measures one side with a number of connections. `serviceUs` and `nodeUs` are the processor time in microseconds per
 * swap.
 */
async function measure(name: SideName, connections: number, seconds = SECONDS) {
  const { url, nextPath, servicePid, nodePid } = sides[name]
  const startMs = [cpuMs(servicePid), cpuMs(nodePid)] as const
  const { p50, perSecond, answers } = await closedLoop({
    url,
    next: () => getRequest(nextPath()),
    connections,
    seconds,
  })
  const swaps = answers[200] ?? 0
  const cpuUsPerSwap = (pid: number, earlierMs: number) => Math.round(((cpuMs(pid) - earlierMs) * 1_000) / swaps)
  return { p50, perSecond, serviceUs: cpuUsPerSwap(servicePid, startMs[0]), nodeUs: cpuUsPerSwap(nodePid, startMs[1]) }
}

async function warmUp(name: SideName, connections: number): Promise<void> {
  const { url, nextPath } = sides[name]
  let remaining = WARM_UP_SWAPS / WARM_UP_PARTS
  while (remaining > 0)
    remaining -=
      (await closedLoop({ url, next: () => getRequest(nextPath()), connections, seconds: 1 })).answers[200] ?? 0
}

/**
 * Measures one side on a moving chain, with empty blocks at the gas price that the chain has at the start. Pauses the
 * processes of the other sides meanwhile, because one of them follows the same chain.
 */
async function measureMovingChain(name: SideName) {
  const { url, nextPath, nodeUrl } = sides[name]
  const otherProcesses = names.filter((other) => other !== name).map((other) => sides[other].child)
  for (const other of otherProcesses) other.kill('SIGSTOP')
  const { baseFeePerGas } = await request<{ baseFeePerGas: string }>(nodeUrl, 'eth_getBlockByNumber', ['latest', false])
  let lastMined: Promise<unknown> = Promise.resolve()
  const mineBlock = () => {
    lastMined = request(nodeUrl, 'anvil_setNextBlockBaseFeePerGas', [baseFeePerGas]).then(() =>
      request(nodeUrl, 'evm_mine', []),
    )
  }
  const blockTimer = setInterval(mineBlock, MOVING_LOAD.blockMs)
  const { p50, p95, answers } = await closedLoop({ url, next: () => getRequest(nextPath()), ...MOVING_LOAD })
  clearInterval(blockTimer)
  await lastMined
  for (const other of otherProcesses) other.kill('SIGCONT')
  await sleep(CATCH_UP_MS)
  return { p50, p95, answers }
}

/** Runs a measurement for each side. The first side changes with each round. */
async function inTurn<T>(roundIndex: number, measure: (name: SideName) => Promise<T>): Promise<Record<SideName, T>> {
  const measurements = {} as Record<SideName, T>
  for (const name of [...names.slice(roundIndex % names.length), ...names.slice(0, roundIndex % names.length)])
    measurements[name] = await measure(name)
  return measurements
}
const measureStandingChain = async (name: SideName) => ({
  one: await measure(name, 1),
  many: await measure(name, CONNECTIONS),
})
type Figures = Awaited<ReturnType<typeof measure>>

try {
  for (let part = 0; part < WARM_UP_PARTS; part++)
    for (const name of names) await warmUp(name, part % 2 === 0 ? CONNECTIONS : 1)
  const rounds: Record<SideName, Awaited<ReturnType<typeof measureStandingChain>>>[] = []
  for (let round = 0; round < ROUNDS; round++) rounds.push(await inTurn(round, measureStandingChain))
  const moving: Record<SideName, Awaited<ReturnType<typeof measureMovingChain>>>[] = []
  for (let round = 0; round < ROUNDS; round++) moving.push(await inTurn(round, measureMovingChain))
  const roundedMedian = (values: readonly number[]) => rounded(median(values), 2)
  const ratiosOf = (name: SideName) => {
    const ratio = (side: 'one' | 'many', figure: keyof Figures) =>
      roundedMedian(rounds.map((round) => round[name][side][figure] / round.earlier[side][figure]))
    const ratioWhileMoving = (figure: 'p50' | 'p95') =>
      roundedMedian(moving.map((round) => round[name][figure] / round.earlier[figure]))
    return {
      p50: ratio('one', 'p50'),
      perSecond: ratio('many', 'perSecond'),
      processor: {
        one: { service: ratio('one', 'serviceUs'), node: ratio('one', 'nodeUs') },
        many: { service: ratio('many', 'serviceUs'), node: ratio('many', 'nodeUs') },
      },
      moving: { p50: ratioWhileMoving('p50'), p95: ratioWhileMoving('p95') },
    }
  }
  record('against', {
    earlierCommit: shortCommit(otherRoot),
    ratios: { sameChain: ratiosOf('sameChain'), ownChain: ratiosOf('ownChain') },
    rounds,
    moving,
  })
} finally {
  for (const service of Object.values(sides)) await service.stop()
  for (const { stop } of [ownWorld, otherWorld]) await stop()
}
