/** Generates HTTP load and summarizes the responses. */
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../lib/statistics.ts'
import { rounded } from '../record.ts'
import { type Answer, Connection } from './connection.ts'

export type Load = {
  readonly url: string
  /** Returns the next complete HTTP request. Called once per request. */
  readonly next: () => string
  readonly connections: number
  readonly seconds: number
  /** Source addresses, which the connections use in turn. */
  readonly sourceAddresses?: readonly string[]
}

type Pace = {
  /** Milliseconds between a response and the next request of a connection. */
  readonly restMs?: number
  /** Milliseconds after which a request without a response counts as a response with status 0. */
  readonly giveUpMs?: number
}

const NO_ANSWER: Answer = { status: 0, bodyBytes: 0, ms: 0 }

export type Figures = {
  /** Responses with status 200 per second. */
  readonly perSecond: number
  /**
   * Median time of the responses with status 200 in milliseconds; `p95` and `p99` are percentiles of the same times.
   */
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly slowest: number
  /** Number of responses by HTTP status; 0 stands for requests without a response. */
  readonly answers: Readonly<Record<number, number>>
}

/** Sends requests on every connection, each as soon as the previous response has arrived, or `restMs` after it. */
export async function closedLoop(load: Load & Pace): Promise<Figures> {
  const { url, next, connections, seconds, sourceAddresses, restMs, giveUpMs } = load
  const answers: Answer[] = []
  const start = performance.now()
  const end = start + seconds * 1000
  await onConnections(await openAll(url, connections, sourceAddresses), async (connection) => {
    while (performance.now() < end) {
      const answer = connection.send(next())
      answers.push(await (giveUpMs ? Promise.race([answer, sleep(giveUpMs, NO_ANSWER)]) : answer))
      if (restMs) await sleep(restMs)
    }
  })
  return figuresOf(answers, (performance.now() - start) / 1000)
}

export type OpenFigures = Figures & {
  readonly offeredPerSecond: number
  /**
   * 99th percentile of the delay in milliseconds between a request's due time and its sending. The benchmark
   * causes this part of the latency.
   */
  readonly sentLateP99: number
}

/**
 * Sends requests at a steady rate, independent of earlier responses. Latency is measured from the due time of a
 * request, and includes the wait for a free connection.
 */
export async function openLoop({
  url,
  next,
  connections,
  seconds,
  rate,
  sourceAddresses,
}: Load & { readonly rate: number }): Promise<OpenFigures> {
  const answers: Answer[] = []
  const lateMs: number[] = []
  const idleConnections = await openAll(url, connections, sourceAddresses)
  const start = performance.now()
  const pending: Promise<void>[] = []
  for (let requestIndex = 0; requestIndex < seconds * rate; requestIndex++) {
    const dueAt = start + (requestIndex * 1000) / rate
    // Sleeps instead of a busy wait, so that the service and its node can use the cores.
    while (performance.now() < dueAt || idleConnections.length === 0) await sleep(1)
    // Takes the connection that has been idle longest, because the server closes connections that stay idle.
    const connection = await idleConnections.shift()!.reconnect()
    lateMs.push(performance.now() - dueAt)
    pending.push(
      connection.send(next()).then((answer) => {
        answers.push({ ...answer, ms: performance.now() - dueAt })
        idleConnections.push(connection)
      }),
    )
  }
  await Promise.all(pending)
  const elapsedSeconds = (performance.now() - start) / 1000
  for (const connection of idleConnections) connection.close()
  const sentLateP99 = rounded(quantile(lateMs, 0.99), 2)
  return { offeredPerSecond: rate, sentLateP99, ...figuresOf(answers, elapsedSeconds) }
}

/** Runs rounds, and returns the round with the median of `metricOf`. */
export async function medianRound<T>(count: number, run: () => Promise<T>, metricOf: (round: T) => number): Promise<T> {
  const rounds: T[] = []
  for (let round = 0; round < count; round++) rounds.push(await run())
  return rounds.sort((a, b) => metricOf(a) - metricOf(b))[Math.floor(count / 2)]!
}

/** Opens connections one after the other. */
export async function openAll(
  url: string,
  count: number,
  sourceAddresses: readonly string[] = [],
): Promise<Connection[]> {
  const connections: Connection[] = []
  for (let i = 0; i < count; i++)
    connections.push(await Connection.open(url, sourceAddresses[i % sourceAddresses.length]))
  return connections
}

async function onConnections(connections: readonly Connection[], work: (connection: Connection) => Promise<void>) {
  try {
    await Promise.all(connections.map(work))
  } finally {
    for (const connection of connections) connection.close()
  }
}

export function figuresOf(answers: readonly Answer[], seconds: number): Figures {
  const successfulMs = answers.filter(({ status }) => status === 200).map(({ ms }) => ms)
  const quantileAt = (part: number) => rounded(quantile(successfulMs, part), 2)
  const countByStatus: Record<number, number> = {}
  for (const { status } of answers) countByStatus[status] = (countByStatus[status] ?? 0) + 1
  return {
    perSecond: rounded(successfulMs.length / seconds),
    p50: quantileAt(0.5),
    p95: quantileAt(0.95),
    p99: quantileAt(0.99),
    slowest: quantileAt(1),
    answers: countByStatus,
  }
}
