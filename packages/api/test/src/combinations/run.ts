/** Sends random requests to a service over the local chain and checks each response. */
import type { ChildProcess } from 'node:child_process'
import { NATIVE } from '@sluice/chains'
import type { Devnet } from '@sluice/devnet'
import fc from 'fast-check'
import { request } from '../devnet.ts'
import { Checks } from './check.ts'
import { type Document, type Drawn, drawn, type KnownValues } from './draw.ts'
import { Pulse } from './pulse.ts'

const AT_ONCE = 4
/** Timeout after which the service counts as hanging. */
const NEVER_MS = 15_000
/** Maximum repetitions of a late request. */
const MAX_TRIES = 3

/** Result of a run. */
export type Outcome = {
  readonly requests: number
  readonly seed: number
  /** Number of responses by operation and status. */
  readonly answers: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly slowestMs: number
  readonly medianMs: number
  /** Number of requests that were late among others. They are violations only if they are also late alone. */
  readonly late: number
  /** Requests with the faults of their responses. */
  readonly violations: readonly string[]
}

/** Options of a run. */
export type Options = {
  readonly requests: number
  readonly seed: number
  /** Maximum response time in milliseconds. */
  readonly inTimeMs: number
}

/** Sends random requests to a service and checks the responses. */
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
  const late: { readonly drawnRequest: Drawn; readonly status: number; readonly wrong: readonly string[] }[] = []
  const ask = async (drawnRequest: Drawn) => {
    const started = performance.now()
    const { status, wrong } = await fetch(url + drawnRequest.path, {
      ...drawnRequest.init,
      signal: AbortSignal.timeout(NEVER_MS),
    })
      .then(async (answer) => ({
        status: answer.status,
        wrong: checks.of(drawnRequest, answer.status, await bodyOf(answer)),
      }))
      .catch((error: Error) => {
        // A hanging service will not answer the remaining requests either.
        queue.length = 0
        return { status: 0, wrong: [`no answer: ${error.message}`] }
      })
    const ms = performance.now() - started
    // An unreachable node is retried until the request times out, so such requests are not late.
    const isOut = status >= 500 && !drawnRequest.path.includes('/31337')
    // Judging a mined swap takes seconds, as documented.
    const mayTakeSeconds = drawnRequest.operation.operationId === 'referee'
    const isLate =
      !isOut && !mayTakeSeconds && ms > inTimeMs && pulse.wasQuick(started) && ms - pulse.waited(started) > inTimeMs
    return { status, wrong, ms, isLate }
  }
  const report = (drawnRequest: Drawn, status: number, wrong: readonly string[]) =>
    violations.push(
      `${drawnRequest.init.method} ${drawnRequest.path} ${drawnRequest.init.body ?? ''} → ${status}: ${wrong.join('; ')}`,
    )
  const send = async (drawnRequest: Drawn) => {
    const { status, wrong, ms, isLate } = await ask(drawnRequest)
    times.push(ms)
    const { operationId } = drawnRequest.operation
    const byStatus = answers[operationId] ?? {}
    answers[operationId] = byStatus
    byStatus[status] = (byStatus[status] ?? 0) + 1
    // 502 may mean that the node on the same machine was late.
    if (isLate || (status === 502 && wrong.length > 0))
      late.push({ drawnRequest, status, wrong: [...wrong, `took ${Math.round(ms)} ms`] })
    else if (wrong.length > 0) report(drawnRequest, status, wrong)
  }
  /** Returns true if a request fails or is late even alone. Searches are deterministic in work, so a slow one stays slow. */
  const isSoAlone = async (drawnRequest: Drawn) => {
    for (let tried = 0; tried < MAX_TRIES; tried++) {
      const { isLate, wrong } = await ask(drawnRequest)
      if (!isLate && wrong.length === 0) return false
    }
    return true
  }
  try {
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let drawnRequest = queue.pop(); drawnRequest; drawnRequest = queue.pop()) await send(drawnRequest)
      }),
    )
    for (const { drawnRequest, status, wrong } of late)
      if (await isSoAlone(drawnRequest)) report(drawnRequest, status, [...wrong, 'and no better when asked alone'])
  } finally {
    pulse.stop()
  }
  times.sort((a, b) => a - b)
  const medianMs = Math.round(times[Math.floor(times.length / 2)]! * 10) / 10
  return { requests, seed, answers, slowestMs: Math.round(times.at(-1)!), medianMs, late: late.length, violations }
}

/** Returns the whole body. For a stream, returns its first event as an object with the event's name. */
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

async function knownOf(service: string, { chainId, url, info }: Devnet): Promise<KnownValues> {
  const permits: KnownValues['permits'][number][] = []
  // Sequential, because concurrent approvals would use the same nonce.
  for (const symbol of ['WETH', 'DAI', 'USDT'])
    permits.push(await signed(service, url, info.tokens[symbol]!.address, info.accounts[2]!.address))
  return {
    chainId,
    tokens: Object.values(info.tokens).map(({ address }) => address),
    accounts: info.accounts.map(({ address }) => address),
    pools: info.pools.map(({ id, address }) => id ?? address),
    sources: [...new Set(info.pools.flatMap(({ family, dex }) => [family, dex]))],
    permits,
    transactions: await minedTransactions(service, url, info),
    head: Number(await request<string>(url, 'eth_blockNumber')),
  }
}

/** Blocks whose transactions are drawn: setup of the chain, and the swaps below. */
const RECENT_BLOCKS = 12

/** Swaps the native token for two tokens, and returns the hashes of the newest transactions. */
async function minedTransactions(service: string, node: string, { tokens, accounts }: Devnet['info']) {
  const from = accounts[1]!.address
  for (const dst of [tokens.USDC!, tokens.DAI!]) {
    const query = new URLSearchParams({ src: NATIVE, dst: dst.address, amount: `${10n ** 18n}`, from })
    const { tx } = (await (await fetch(`${service}/aggregator/31337?${query}`)).json()) as {
      tx: { to: string; data: string; value: string }
    }
    await request(node, 'eth_sendTransaction', { ...tx, from, value: `0x${BigInt(tx.value).toString(16)}` })
  }
  const head = Number(await request<string>(node, 'eth_blockNumber'))
  const numbers = Array.from({ length: RECENT_BLOCKS }, (_, k) => `0x${(head - k).toString(16)}`)
  const blocks = await Promise.all(
    numbers.map((number) => request<{ transactions: string[] }>(node, 'eth_getBlockByNumber', number, false)),
  )
  return blocks.flatMap(({ transactions }) => transactions)
}

/** Amount above every drawn amount, in base units. */
const PLENTY = `${10n ** 40n}`
/** Lifetime of permits in seconds: longer than a long run, and within the allowed day. */
const LASTING = 80_000

/** Signs a Permit2 permit after its owner approved Permit2. */
async function signed(
  service: string,
  node: string,
  src: string,
  from: string,
): Promise<KnownValues['permits'][number]> {
  const deadline = `${Math.floor(Date.now() / 1_000) + LASTING}`
  const query = new URLSearchParams({ src, from, amount: PLENTY, deadline })
  type Offer = { kind: string; permit: string; typedData: object; approval: { to: string; data: string } | null }
  const { permits } = (await (await fetch(`${service}/permit/31337?${query}`)).json()) as { permits: Offer[] }
  const { permit, typedData, approval } = permits.find(({ kind }) => kind === 'permit2')!
  if (approval) await request(node, 'eth_sendTransaction', { from, to: approval.to, data: approval.data })
  const signature = await request<string>(node, 'eth_signTypedData_v4', from, JSON.stringify(typedData))
  return { permit: `${permit}${signature}`, src, from }
}
