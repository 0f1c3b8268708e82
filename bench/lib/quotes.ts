/** Sends random quote requests to a service, and swaps that change pools to its chain. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Devnet, request, type TokenSymbol } from '@sluice/devnet'
import { rounded } from '../record.ts'
import { quantile } from './statistics.ts'

/** Maximum amount of a request by token. Amounts up to it hardly move prices. */
const AMOUNTS: Readonly<Partial<Record<TokenSymbol, bigint>>> = {
  WETH: 10n ** 17n,
  USDC: 300n * 10n ** 6n,
  USDT: 300n * 10n ** 6n,
  DAI: 300n * 10n ** 18n,
  WBTC: 10n ** 6n,
  LINK: 10n * 10n ** 18n,
}

/** Returns the path of a request for a random swap on the local chain. */
export function randomPath({ info }: Devnet, random: () => number): string {
  const symbols = Object.keys(AMOUNTS) as TokenSymbol[]
  const src = Math.floor(random() * symbols.length)
  const dst = (src + 1 + Math.floor(random() * (symbols.length - 1))) % symbols.length
  const amount = (AMOUNTS[symbols[src]!]! * BigInt(1 + Math.floor(random() * 1_000_000))) / 1_000_000n + 1_000n
  const query = {
    src: info.tokens[symbols[src]!]!.address,
    dst: info.tokens[symbols[dst]!]!.address,
    amount: String(amount),
    from: info.accounts[Math.floor(random() * 5)]!.address,
    slippage: String(1 + Math.floor(random() * 3)),
  }
  return `/aggregator/31337?${new URLSearchParams(query)}`
}

export type Outcome = { readonly status: number; readonly ms: number; readonly body: string }

/** Sends a request. If there is no response, the status is 0, and the body contains the error. */
export async function send(url: string): Promise<Outcome> {
  const start = performance.now()
  const outcome = await fetch(url, { signal: AbortSignal.timeout(30_000) }).then(
    async (response) => ({ status: response.status, body: await response.text() }),
    (error: unknown) => ({ status: 0, body: String(error) }),
  )
  return { ...outcome, ms: performance.now() - start }
}

/**
 * Sends requests for `ms` milliseconds.
 *
 * @param callerCount - number of concurrent callers. Each sends one request at a time, and pauses briefly after the
 *   response
 */
export async function sendForMs(
  url: string,
  nextPath: () => string,
  callerCount: number,
  ms: number,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const endAt = performance.now() + ms
  const caller = async () => {
    while (performance.now() < endAt) {
      outcomes.push(await send(url + nextPath()))
      await sleep(15)
    }
  }
  await Promise.all(Array.from({ length: callerCount }, caller))
  return outcomes
}

/**
 * Sends a swap to the chain every 400 ms until `stop` is called, so that blocks arrive and pools change.
 *
 * @param faultlessServiceUrl - URL of the service that quotes these swaps; its node must have no injected faults
 */
export async function moveChain(
  { url, info }: Devnet,
  faultlessServiceUrl: string,
): Promise<{ readonly stop: () => Promise<void> }> {
  let isStopped = false
  const from = info.accounts[9]!.address
  const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
  const moving = (async () => {
    while (!isStopped) {
      const query = { src: NATIVE, dst: info.tokens.USDC!.address, amount: String(10n ** 16n), from, slippage: '10' }
      const answer = await fetch(`${faultlessServiceUrl}/aggregator/31337?${new URLSearchParams(query)}`).catch(
        () => null,
      )
      if (answer?.ok) {
        const { tx } = (await answer.json()) as { tx: { to: string; data: string; value: string } }
        const value = `0x${BigInt(tx.value).toString(16)}`
        await request(url, 'eth_sendTransaction', [{ from, ...tx, value, gas: '0x1e8480' }])
      }
      await sleep(400)
    }
  })()
  return {
    stop: () => {
      isStopped = true
      return moving
    },
  }
}

/** Returns the response time in milliseconds at a share of the sorted outcomes, such as 0.95; 0 if there are none. */
export function percentile(outcomes: readonly Outcome[], share: number): number {
  const times = outcomes.map(({ ms }) => ms)
  return times.length === 0 ? 0 : rounded(quantile(times, share))
}
