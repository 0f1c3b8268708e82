/** Faults of the fault test. */
import { setTimeout as sleep } from 'node:timers/promises'
import { INDEXERS, NEXT, WORKERS, type World } from './world.ts'

/** Milliseconds for which a process is suspended; longer than a lease. */
const SUSPEND_MS = 4_000
/** Milliseconds to wait for a delayed write; longer than the delay. */
const DELAYED_MS = 7_000

/** Draws a random integer below a limit; the sequence depends on the seed. */
export type Draw = (limit: number) => number

/** Milliseconds for two processes to start and to show a state. */
const STARTED_MS = 90_000
/** Milliseconds of the master's last writes that a replica lacks. */
const LOST_MS = 1_000
/** Milliseconds for which Redis has too little memory. */
const LOW_MEMORY_MS = 1_500

/** Faults by name; each resolves with false if the expected recovery did not happen. */
export type Faults = Readonly<Record<string, (draw: Draw) => Promise<unknown>>>

export function faultsOf(world: World): Faults {
  const { redis, keys } = world
  const pick = (names: readonly string[], draw: Draw) => names[draw(names.length)]!
  const restart = async (name: string) => {
    await world.end(name, 'SIGKILL')
    await sleep(300)
    world.startProcess(name)
  }
  const suspend = async (name: string, ms: number) => {
    world.signal(name, 'SIGSTOP')
    await sleep(ms)
    world.signal(name, 'SIGCONT')
  }
  // Redis may be the process that is down.
  const send = (...command: readonly (string | number)[]) => redis.call<string | null>(...command).catch(() => null)
  return {
    'an indexer is killed': (draw) => restart(pick(INDEXERS, draw)),
    'the owner leaves': async () => {
      const { owner } = world
      await world.end(owner, 'SIGTERM')
      world.startProcess(owner)
    },
    'both indexers are killed': async () => {
      await Promise.all(INDEXERS.map(restart))
    },
    'an indexer stands still': (draw) => suspend(pick(INDEXERS, draw), SUSPEND_MS),
    'the owner is held with a write in its hands': async () => {
      world.signal(world.owner, 'SIGUSR2')
      await sleep(DELAYED_MS)
    },
    'a worker is killed': (draw) => restart(pick(WORKERS, draw)),
    'a worker stands still': (draw) => suspend(pick(WORKERS, draw), SUSPEND_MS / 2),
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
      const used = Number(/used_memory:(\d+)/.exec((await send('INFO', 'memory')) ?? '')?.[1] ?? 0)
      const policy = draw(2) === 0 ? 'allkeys-lru' : 'allkeys-random'
      await send('CONFIG', 'SET', 'maxmemory-policy', policy, 'maxmemory', Math.ceil(used * 0.75))
      await sleep(LOW_MEMORY_MS)
      // Redis may need a while to reply.
      for (let i = 0; i < 5 && !(await send('CONFIG', 'SET', 'maxmemory-policy', 'noeviction', 'maxmemory', 0)); i++);
    },
    // Both versions share one Redis, under their own keys.
    'another version of the state comes, is followed, and goes': async () => {
      for (const name of NEXT) world.startProcess(name)
      const ms = await world.caughtUp(STARTED_MS, [NEXT[1]])
      for (const name of NEXT) await world.end(name, 'SIGTERM')
      return ms !== null
    },
    'all entries are trimmed': async () => {
      await send('XTRIM', keys.entries, 'MAXLEN', 0)
    },
    'pools are evicted': async () => {
      const generation = await send('HGET', keys.head, 'gen')
      if (generation) await send('UNLINK', keys.pools(generation))
    },
    'the memory of owners is evicted': async () => {
      await send('UNLINK', keys.poolRecords)
    },
    'the clock goes back a minute': async () => {
      await send('XSETID', keys.entries, `${Date.now() + 60_000}-0`)
      await sleep(400)
      await send('FLUSHALL')
    },
    "a worker's network is cut": () => world.cut(SUSPEND_MS * 0.75),
  }
}
