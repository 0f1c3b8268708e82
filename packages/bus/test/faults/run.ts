/** Kills, stops, cuts and empties at random for a while, and reports what workers showed meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Draw, faultsOf } from './faults.ts'
import { World } from './world.ts'

/** Milliseconds after which what has not healed is stuck, where the machine is the test's alone. */
const STUCK_MS = 15_000
/** For the processes to start. */
const START_MS = 3_000

export type FaultReport = {
  readonly seconds: number
  readonly seed: number
  readonly faults: Readonly<Record<string, number>>
  readonly shown: number
  readonly blocks: number
  readonly ofBlocks: number
  readonly wrong: readonly string[]
  readonly healMs: { readonly times: number; readonly median: number; readonly max: number }
  readonly wantMs: { readonly times: number; readonly median: number; readonly max: number }
  /** Faults after which not all workers had shown a newer block in time. */
  readonly stuck: readonly string[]
  /** Wants that no worker has had an answer to at the end. */
  readonly unanswered: number
  readonly gaps: number
  readonly joins: number
  readonly errors: Readonly<Record<string, number>>
}

export type FaultOptions = {
  readonly seconds: number
  readonly seed: number
  /** Names of those that may happen; all when absent. */
  readonly only?: readonly string[] | undefined
  /** Milliseconds after which what has not healed is stuck: more where others take most of the machine. */
  readonly stuckMs?: number
  /** Options of Node, for the processes that are tested. */
  readonly execArgv?: readonly string[]
}

/** Every fault once, in an order that the seed gives, then at random; every other one follows upon the one before at once. */
export async function runFaults(options: FaultOptions): Promise<FaultReport> {
  const { seconds, seed, only, stuckMs = STUCK_MS, execArgv = [] } = options
  const world = await World.start(execArgv)
  try {
    await sleep(START_MS)
    const faults = faultsOf(world)
    const draw = draws(seed)
    const names = shuffled(only ?? Object.keys(faults), draw)
    const done: Record<string, number> = {}
    const healMs: number[] = []
    const stuck: string[] = []
    const heal = async (after: string) => {
      const ms = await world.caughtUp(stuckMs)
      if (ms === null) stuck.push(after)
      else healMs.push(ms)
    }
    const end = Date.now() + seconds * 1_000
    for (let i = 0; Date.now() < end; i++) {
      const name = names[i < names.length ? i : draw(names.length)]!
      done[name] = (done[name] ?? 0) + 1
      if ((await faults[name]!(draw)) === false) stuck.push(name)
      if (i % 2 === 1) await heal(name)
      else await sleep(draw(800))
    }
    await heal('all of them')
    await world.answered(stuckMs)
    return {
      ...{ seconds, seed, faults: done, wrong: world.consistency.wrong, stuck, errors: world.errors },
      ...{ shown: world.consistency.shown, blocks: world.consistency.blocks.size, ofBlocks: world.chain.tip().number },
      ...{ healMs: figures(healMs), wantMs: figures(world.wantMs), ...world.counts, unanswered: world.unanswered },
    }
  } finally {
    await world.stop()
  }
}

function figures(values: readonly number[]): FaultReport['healMs'] {
  const sorted = values.toSorted((a, b) => a - b)
  return { times: sorted.length, median: sorted[sorted.length >> 1] ?? 0, max: sorted.at(-1) ?? 0 }
}

function draws(seed: number): Draw {
  let state = seed >>> 0
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

function shuffled<T>(items: readonly T[], draw: Draw): readonly T[] {
  const rest = [...items]
  return items.map(() => rest.splice(draw(rest.length), 1)[0]!)
}
