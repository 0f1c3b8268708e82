import { setTimeout as sleep } from 'node:timers/promises'
import { rounded } from '../record.ts'
import { type Answer, Connection } from './connection.ts'

export type Load = {
  readonly url: string
  /** The next request, whole; called once for each. */
  readonly next: () => string
  readonly connections: number
  readonly seconds: number
  /** Addresses that the connections come from, in turn. */
  readonly from?: readonly string[]
}

/** Milliseconds for which a connection rests before it asks again. */
type Rest = { readonly restMs?: number }

export type Figures = {
  readonly perSecond: number
  /** Milliseconds of the answers with status 200. */
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly slowest: number
  readonly answers: Readonly<Record<number, number>>
}

/** Every connection asks again as soon as it is answered, or after its rest. */
export async function closedLoop({ url, next, connections, seconds, from, restMs }: Load & Rest): Promise<Figures> {
  const answers: Answer[] = []
  const started = performance.now()
  const end = started + seconds * 1000
  await onConnections(await openAll(url, connections, from), async (connection) => {
    while (performance.now() < end) {
      answers.push(await connection.send(next()))
      if (restMs) await sleep(restMs)
    }
  })
  return figures(answers, (performance.now() - started) / 1000)
}

export type OpenFigures = Figures & {
  readonly offeredPerSecond: number
  /** Milliseconds after they were due at which 99 % of the requests were sent: a part of their latency that is our own. */
  readonly sentLateP99: number
}

/**
 * Requests come at a steady rate, whether earlier ones are answered or not. Latency counts from when a request was due,
 * also where it had to wait for a free connection.
 */
export async function openLoop({
  url,
  next,
  connections,
  seconds,
  rate,
  from,
}: Load & { readonly rate: number }): Promise<OpenFigures> {
  const answers: Answer[] = []
  const late: number[] = []
  const idle = await openAll(url, connections, from)
  const started = performance.now()
  const pending: Promise<void>[] = []
  for (let due = 0; due < seconds * rate; due++) {
    const dueAt = started + (due * 1000) / rate
    // Asleep in between: the cores belong to the service and its node.
    while (performance.now() < dueAt || idle.length === 0) await sleep(1)
    // The one that rested longest: a connection that is never used is closed by the server after its time for headers.
    const connection = await idle.shift()!.standing()
    late.push(performance.now() - dueAt)
    pending.push(
      connection.send(next()).then((answer) => {
        answers.push({ ...answer, ms: performance.now() - dueAt })
        idle.push(connection)
      }),
    )
  }
  await Promise.all(pending)
  const took = (performance.now() - started) / 1000
  for (const connection of idle) connection.close()
  late.sort((a, b) => a - b)
  const sentLateP99 = rounded(late[Math.floor(late.length * 0.99)]!, 2)
  return { offeredPerSecond: rate, sentLateP99, ...figures(answers, took) }
}

async function openAll(url: string, count: number, from: readonly string[] = []): Promise<Connection[]> {
  const connections: Connection[] = []
  for (let k = 0; k < count; k++) connections.push(await Connection.open(url, from[k % from.length]))
  return connections
}

async function onConnections(connections: readonly Connection[], work: (connection: Connection) => Promise<void>) {
  try {
    await Promise.all(connections.map(work))
  } finally {
    for (const connection of connections) connection.close()
  }
}

export function figures(answers: readonly Answer[], seconds: number): Figures {
  const good = answers.filter(({ status }) => status === 200).map(({ ms }) => ms)
  good.sort((a, b) => a - b)
  const at = (part: number) => rounded(good[Math.min(good.length - 1, Math.floor(good.length * part))] ?? Number.NaN, 2)
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return {
    perSecond: rounded(good.length / seconds),
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    slowest: at(1),
    answers: counts,
  }
}
