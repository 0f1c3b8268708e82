/** Generates HTTP load and summarizes the responses. */
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../lib/statistics.ts'
import { rounded } from '../record.ts'
import { type Answer, Connection } from './connection.ts'

export type Load = {
  readonly url: string
  /** Returns the next complete request; called once per request. */
  readonly next: () => string
  readonly connections: number
  readonly seconds: number
  /** Source addresses of the connections, used in turn. */
  readonly from?: readonly string[]
}

type Pace = {
  /** Milliseconds between a response and the next request of a connection. */
  readonly restMs?: number
  /** Milliseconds after which a request without a response counts as one with status 0. */
  readonly giveUpMs?: number
}

const NO_ANSWER: Answer = { status: 0, bodyBytes: 0, ms: 0 }

export type Figures = {
  readonly perSecond: number
  /** Milliseconds of the responses with status 200. */
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly slowest: number
  readonly answers: Readonly<Record<number, number>>
}

/** Sends requests on every connection as soon as the previous response arrives, or after its rest. */
export async function closedLoop(load: Load & Pace): Promise<Figures> {
  const { url, next, connections, seconds, from, restMs, giveUpMs } = load
  const answers: Answer[] = []
  const start = performance.now()
  const end = start + seconds * 1000
  await onConnections(await openAll(url, connections, from), async (connection) => {
    while (performance.now() < end) {
      const answer = connection.send(next())
      answers.push(await (giveUpMs ? Promise.race([answer, sleep(giveUpMs, NO_ANSWER)]) : answer))
      if (restMs) await sleep(restMs)
    }
  })
  return figures(answers, (performance.now() - start) / 1000)
}

export type OpenFigures = Figures & {
  readonly offeredPerSecond: number
  /**
   * 99th percentile of the delay in milliseconds between a request's due time and its sending. This part of the latency
   * is the benchmark's own.
   */
  readonly sentLateP99: number
}

/**
 * Sends requests at a steady rate, independent of earlier responses. Latency counts from the due time of a request,
 * including any wait for a free connection.
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
  const lateMs: number[] = []
  const idle = await openAll(url, connections, from)
  const start = performance.now()
  const pending: Promise<void>[] = []
  for (let due = 0; due < seconds * rate; due++) {
    const dueAt = start + (due * 1000) / rate
    // Sleeps in between, so that the service and its node can use the cores.
    while (performance.now() < dueAt || idle.length === 0) await sleep(1)
    // Uses the connection that was idle longest, since the server closes idle connections.
    const connection = await idle.shift()!.reconnect()
    lateMs.push(performance.now() - dueAt)
    pending.push(
      connection.send(next()).then((answer) => {
        answers.push({ ...answer, ms: performance.now() - dueAt })
        idle.push(connection)
      }),
    )
  }
  await Promise.all(pending)
  const elapsedSeconds = (performance.now() - start) / 1000
  for (const connection of idle) connection.close()
  const sentLateP99 = rounded(quantile(lateMs, 0.99), 2)
  return { offeredPerSecond: rate, sentLateP99, ...figures(answers, elapsedSeconds) }
}

/** Runs rounds, and returns the one with the median value. */
export async function medianRound<T>(count: number, run: () => Promise<T>, rank: (round: T) => number): Promise<T> {
  const rounds: T[] = []
  for (let round = 0; round < count; round++) rounds.push(await run())
  return rounds.sort((a, b) => rank(a) - rank(b))[Math.floor(count / 2)]!
}

/** Opens connections one after the other. */
export async function openAll(url: string, count: number, from: readonly string[] = []): Promise<Connection[]> {
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
  const quantileAt = (part: number) => rounded(quantile(good, part), 2)
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return {
    perSecond: rounded(good.length / seconds),
    p50: quantileAt(0.5),
    p95: quantileAt(0.95),
    p99: quantileAt(0.99),
    slowest: quantileAt(1),
    answers: counts,
  }
}
