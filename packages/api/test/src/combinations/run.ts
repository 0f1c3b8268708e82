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
/** Times that a late request is sent again. */
const MOST_TRIES = 3

export type Outcome = {
  readonly requests: number
  readonly seed: number
  /** By endpoint and status. */
  readonly answers: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly slowestMs: number
  readonly medianMs: number
  /** Requests that were late beside others, and are no violation where they are in time alone. */
  readonly late: number
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
  const queue = fc.sample(drawn(document, await knownOf(url, devnet)), { numRuns: requests, seed })
  const answers: Record<string, Record<string, number>> = {}
  const times: number[] = []
  const violations: string[] = []
  const pulse = new Pulse(url, child.pid!)
  const late: { readonly one: Drawn; readonly status: number; readonly wrong: readonly string[] }[] = []
  const ask = async (one: Drawn) => {
    const started = performance.now()
    const { status, wrong } = await fetch(url + one.path, { ...one.init, signal: AbortSignal.timeout(NEVER_MS) })
      .then(async (answer) => ({ status: answer.status, wrong: checks.of(one, answer.status, await bodyOf(answer)) }))
      .catch((error: Error) => {
        // A service that hangs answers none of the others either.
        queue.length = 0
        return { status: 0, wrong: [`no answer: ${error.message}`] }
      })
    const ms = performance.now() - started
    // A node that nobody reaches is tried until the request's own time is up.
    const isOut = status >= 500 && !one.path.includes('/31337')
    const isLate = !isOut && ms > inTimeMs && pulse.wasQuick(started) && ms - pulse.waited(started) > inTimeMs
    return { status, wrong, ms, isLate }
  }
  const tell = (one: Drawn, status: number, wrong: readonly string[]) =>
    violations.push(`${one.init.method} ${one.path} ${one.init.body ?? ''} → ${status}: ${wrong.join('; ')}`)
  const send = async (one: Drawn) => {
    const { status, wrong, ms, isLate } = await ask(one)
    times.push(ms)
    const { operationId } = one.operation
    const byStatus = answers[operationId] ?? {}
    answers[operationId] = byStatus
    byStatus[status] = (byStatus[status] ?? 0) + 1
    // A node that shares its machine may be late itself, which 502 says.
    if (isLate || (status === 502 && wrong.length > 0))
      late.push({ one, status, wrong: [...wrong, `took ${Math.round(ms)} ms`] })
    else if (wrong.length > 0) tell(one, status, wrong)
  }
  /** Asked alone: a search takes the same work each time, so what is slow by itself stays slow, and what had to wait does not. */
  const isSoAlone = async (one: Drawn) => {
    for (let tried = 0; tried < MOST_TRIES; tried++) {
      const { isLate, wrong } = await ask(one)
      if (!isLate && wrong.length === 0) return false
    }
    return true
  }
  try {
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let one = queue.pop(); one; one = queue.pop()) await send(one)
      }),
    )
    for (const { one, status, wrong } of late)
      if (await isSoAlone(one)) tell(one, status, [...wrong, 'and no better when asked alone'])
  } finally {
    pulse.stop()
  }
  times.sort((a, b) => a - b)
  const medianMs = Math.round(times[Math.floor(times.length / 2)]! * 10) / 10
  return { requests, seed, answers, slowestMs: Math.round(times.at(-1)!), medianMs, late: late.length, violations }
}

/** Whole; of a stream its first event, as an object with the event's name. */
async function bodyOf(answer: Response): Promise<string> {
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) return answer.text()
  let text = ''
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  while (!text.includes('\n\n')) {
    const { value, done } = await reader.read()
    if (done) break
    text += value
  }
  await reader.cancel()
  const [, event, data] = /event: (\w+)\n(?:id: \d+\n)?data: (.*)\n\n/.exec(text) ?? []
  return `{"${event}":${data}}`
}

async function knownOf(service: string, { chainId, url, info }: Devnet): Promise<Known> {
  const permits: Known['permits'][number][] = []
  // One after the other: approvals sent at once would take the same nonce.
  for (const symbol of ['WETH', 'DAI', 'USDT'])
    permits.push(await signed(service, url, info.tokens[symbol]!.address, info.accounts[2]!.address))
  return {
    chainId,
    tokens: Object.values(info.tokens).map(({ address }) => address),
    accounts: info.accounts.map(({ address }) => address),
    pools: info.pools.map(({ id, address }) => id ?? address),
    sources: [...new Set(info.pools.flatMap(({ family, dex }) => [family, dex]))],
    permits,
    head: Number(await request<string>(url, 'eth_blockNumber')),
  }
}

/** Units that no drawn amount is above. */
const PLENTY = `${10n ** 40n}`
/** Seconds: longer than a long run, within the day that is allowed. */
const LASTING = 80_000

/** A signature for Permit2, which its owner has approved. */
async function signed(service: string, node: string, src: string, from: string): Promise<Known['permits'][number]> {
  const deadline = `${Math.floor(Date.now() / 1_000) + LASTING}`
  const query = new URLSearchParams({ src, from, amount: PLENTY, deadline })
  type Offer = { kind: string; permit: string; typedData: object; approval: { to: string; data: string } | null }
  const { permits } = (await (await fetch(`${service}/permit/31337?${query}`)).json()) as { permits: Offer[] }
  const { permit, typedData, approval } = permits.find(({ kind }) => kind === 'permit2')!
  if (approval) await request(node, 'eth_sendTransaction', { from, to: approval.to, data: approval.data })
  const signature = await request<string>(node, 'eth_signTypedData_v4', from, JSON.stringify(typedData))
  return { permit: `${permit}${signature}`, src, from }
}
