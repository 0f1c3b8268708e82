/** Sends drawn requests to a service over the local chain and holds each answer to what it must be. */
import type { ChildProcess } from 'node:child_process'
import type { Devnet } from '@sluice/devnet'
import fc from 'fast-check'
import { request } from '../devnet.ts'
import { Checks } from './check.ts'
import { type Document, type Drawn, drawn, type Known } from './draw.ts'
import { Pulse } from './pulse.ts'

const AT_ONCE = 4
/** After which an answer counts as never given. */
const NEVER_MS = 15_000

export type Outcome = {
  readonly requests: number
  readonly seed: number
  /** By endpoint and status. */
  readonly answers: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly slowestMs: number
  readonly medianMs: number
  /** Requests with what is wrong about their answers. */
  readonly violations: readonly string[]
}

export type Options = {
  readonly requests: number
  readonly seed: number
  /** Milliseconds within which every answer must come. */
  readonly inTimeMs: number
}

export async function runCombinations(
  { url, child }: { readonly url: string; readonly child: ChildProcess },
  devnet: Devnet,
  { requests, seed, inTimeMs }: Options,
): Promise<Outcome> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document
  const checks = new Checks(document, devnet.info.tokens.WETH!.address)
  const queue = fc.sample(drawn(document, await knownOf(devnet)), { numRuns: requests, seed })
  const answers: Record<string, Record<string, number>> = {}
  const times: number[] = []
  const violations: string[] = []
  const pulse = new Pulse(url, child.pid!)
  const send = async (one: Drawn) => {
    const started = performance.now()
    const { status, wrong } = await fetch(url + one.path, { ...one.init, signal: AbortSignal.timeout(NEVER_MS) })
      .then(async (answer) => ({ status: answer.status, wrong: checks.of(one, answer.status, await answer.text()) }))
      .catch((error: Error) => {
        // A service that hangs answers none of the others either.
        queue.length = 0
        return { status: 0, wrong: [`no answer: ${error.message}`] }
      })
    const ms = performance.now() - started
    times.push(ms)
    const { operationId } = one.operation
    const byStatus = answers[operationId] ?? {}
    answers[operationId] = byStatus
    byStatus[status] = (byStatus[status] ?? 0) + 1
    const isLate = ms > inTimeMs && pulse.wasQuick(started) && ms - pulse.waited(started) > inTimeMs
    const late = isLate ? [`took ${Math.round(ms)} ms`] : []
    const all = [...wrong, ...late]
    if (all.length > 0)
      violations.push(`${one.init.method} ${one.path} ${one.init.body ?? ''} → ${status}: ${all.join('; ')}`)
  }
  try {
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let one = queue.pop(); one; one = queue.pop()) await send(one)
      }),
    )
  } finally {
    pulse.stop()
  }
  times.sort((a, b) => a - b)
  const medianMs = Math.round(times[Math.floor(times.length / 2)]! * 10) / 10
  return { requests, seed, answers, slowestMs: Math.round(times.at(-1)!), medianMs, violations }
}

async function knownOf({ chainId, url, info }: Devnet): Promise<Known> {
  return {
    chainId,
    tokens: Object.values(info.tokens).map(({ address }) => address),
    accounts: info.accounts.map(({ address }) => address),
    pools: info.pools.map(({ id, address }) => id ?? address),
    sources: [...new Set(info.pools.flatMap(({ family, dex }) => [family, dex]))],
    head: Number(await request<string>(url, 'eth_blockNumber')),
  }
}
