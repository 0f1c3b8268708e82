/** Faults that may befall a bus. */
import { setTimeout as sleep } from 'node:timers/promises'
import { INDEXERS, NEXT, WORKERS, type World } from './world.ts'

/** Longer than a lease. */
const STOPPED_MS = 4_000
/** Longer than a write is held. */
const HELD_MS = 7_000

/** Whole numbers below a limit, the same for the same seed. */
export type Draw = (limit: number) => number

/** For two processes to start and to come to a state that is shown. */
const STARTED_MS = 90_000
/** Time of its master's last writes that a replica lacks. */
const LOST_MS = 1_000
/** With too little memory. */
const SHORT_MS = 1_500

/** False where what it should have come to did not happen. */
export type Faults = Readonly<Record<string, (draw: Draw) => Promise<unknown>>>

export function faultsOf(world: World): Faults {
  const { redis, keys } = world
  const pick = (names: readonly string[], draw: Draw) => names[draw(names.length)]!
  const killed = async (name: string) => {
    await world.end(name, 'SIGKILL')
    await sleep(300)
    world.startProcess(name)
  }
  const stopped = async (name: string, ms: number) => {
    world.signal(name, 'SIGSTOP')
    await sleep(ms)
    world.signal(name, 'SIGCONT')
  }
  /** Redis itself may be the one that is down. */
  const ask = (...command: readonly (string | number)[]) => redis.call<string | null>(...command).catch(() => null)
  return {
    'an indexer is killed': (draw) => killed(pick(INDEXERS, draw)),
    'the owner leaves': async () => {
      const { owner } = world
      await world.end(owner, 'SIGTERM')
      world.startProcess(owner)
    },
    'both indexers are killed': async () => {
      await Promise.all(INDEXERS.map(killed))
    },
    'an indexer stands still': (draw) => stopped(pick(INDEXERS, draw), STOPPED_MS),
    'the owner is held with a write in its hands': async () => {
      world.signal(world.owner, 'SIGUSR2')
      await sleep(HELD_MS)
    },
    'a worker is killed': (draw) => killed(pick(WORKERS, draw)),
    'a worker stands still': (draw) => stopped(pick(WORKERS, draw), STOPPED_MS / 2),
    'Redis is killed and loses a second': async () => {
      await redis.kill()
      await sleep(400)
      await redis.start()
    },
    'Redis is killed and loses everything': async () => {
      await redis.kill()
      redis.forget()
      await redis.start()
    },
    'Redis fails over to a replica that lacks the last second': () => redis.failOver(LOST_MS),
    'Redis runs out of memory and evicts keys': async (draw) => {
      const used = Number(/used_memory:(\d+)/.exec((await ask('INFO', 'memory')) ?? '')?.[1] ?? 0)
      const policy = draw(2) === 0 ? 'allkeys-lru' : 'allkeys-random'
      await ask('CONFIG', 'SET', 'maxmemory-policy', policy, 'maxmemory', Math.ceil(used * 0.75))
      await sleep(SHORT_MS)
      // It may take a while to answer.
      for (let i = 0; i < 5 && !(await ask('CONFIG', 'SET', 'maxmemory-policy', 'noeviction', 'maxmemory', 0)); i++);
    },
    // Both are on one Redis side by side, and each goes by its own keys.
    'another version of the state comes, is followed, and goes': async () => {
      for (const name of NEXT) world.startProcess(name)
      const ms = await world.caughtUp(STARTED_MS, [NEXT[1]])
      for (const name of NEXT) await world.end(name, 'SIGTERM')
      return ms !== null
    },
    'all entries are trimmed': async () => {
      await ask('XTRIM', keys.entries, 'MAXLEN', 0)
    },
    'pools are evicted': async () => {
      const generation = await ask('HGET', keys.head, 'gen')
      if (generation) await ask('UNLINK', keys.pools(generation))
    },
    'the memory of owners is evicted': async () => {
      await ask('UNLINK', keys.known)
    },
    'the clock goes back a minute': async () => {
      await ask('XSETID', keys.entries, `${Date.now() + 60_000}-0`)
      await sleep(400)
      await ask('FLUSHALL')
    },
    "a worker's network is cut": () => world.cut(STOPPED_MS * 0.75),
  }
}
