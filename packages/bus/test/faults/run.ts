/** Runs random faults for a while, and reports what workers showed meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Draw, faultsOf } from './faults.ts'
import { World } from './world.ts'

/** Milliseconds after which a fault without recovery counts as stuck, on an idle machine. */
const STUCK_MS = 15_000
/** Milliseconds for the processes to start. */
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
  /** Faults after which not all workers have shown a newer block in time. */
  readonly stuck: readonly string[]
  /** Requests without an answer at the end. */
  readonly unanswered: number
  readonly gaps: number
  readonly joins: number
  readonly errors: Readonly<Record<string, number>>
}

export type FaultOptions = {
  readonly seconds: number
  readonly seed: number
  /** Names of the faults to run; all if absent. */
  readonly only?: readonly string[] | undefined
  /** Milliseconds after which a fault without recovery counts as stuck; more on a busy machine. */
  readonly stuckMs?: number
  /** Node options of the tested processes. */
  readonly execArgv?: readonly string[]
}

/**
 * Runs every fault once in random order, then random ones. Every second fault follows the previous one without
 * recovery.
 */
export async function runFaults(options: FaultOptions): Promise<FaultReport> {
  const { seconds, seed, only, stuckMs = STUCK_MS, execArgv = [] } = options
  const world = await World.start(execArgv)
  try {
    await sleep(START_MS)
    const faults = faultsOf(world)
    const draw = randomDraw(seed)
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

function randomDraw(seed: number): Draw {
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
