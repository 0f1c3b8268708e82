/** Sends requests for many chains while the processes behind nginx are replaced one after the other. */
import type { Fleet } from './fleet.ts'
import type { ChainsNode } from './many-chains.ts'

const CALLERS = 16
const MAX_FAILURES = 20

export type ReplacementResult = {
  /** Number of responses by HTTP status. Status 0 means a broken connection. */
  readonly statuses: Readonly<Record<string, number>>
  /** Responses other than 200, with their times. */
  readonly failures: readonly string[]
}

/** Replaces the processes one after the other while it sends requests. Sends at least `requests` requests in total. */
export async function replaceAllUnderLoad(
  fleet: Fleet,
  node: ChainsNode,
  requests: number,
): Promise<ReplacementResult> {
  const statuses: Record<string, number> = {}
  const failures: string[] = []
  let startedCount = 0
  let isReplacing = true
  const caller = async () => {
    while (isReplacing || startedCount < requests) {
      const { status, text } = await sendNext(fleet.url, node, startedCount++)
      statuses[status] = (statuses[status] ?? 0) + 1
      if (status !== 200 && failures.length < MAX_FAILURES)
        failures.push(`${new Date().toISOString()} ${status}: ${text}`)
    }
  }
  const load = Array.from({ length: CALLERS }, caller)
  try {
    for (const worker of fleet.workers.keys()) {
      const targetCount = startedCount + Math.ceil(requests / (fleet.workers.length + 1))
      while (startedCount < targetCount) await new Promise((resolve) => setTimeout(resolve, 20))
      await fleet.replace(worker)
    }
  } finally {
    isReplacing = false
    await Promise.all(load)
  }
  return { statuses, failures }
}

/** Sends the request with the given number: for each chain in turn a price request, a POST for a quote, or a GET. */
async function sendNext(
  url: string,
  { chainIds, devnet }: ChainsNode,
  requestNumber: number,
): Promise<{ status: number; text: string }> {
  const chainId = chainIds[requestNumber % chainIds.length]!
  const { tokens, accounts } = devnet.info
  const from = accounts[0]!.address
  const [src, dst] = [tokens.WETH!.address, tokens.USDC!.address]
  // All amounts differ, because the service combines equal requests.
  const amount = String(10n ** 15n * BigInt(1 + requestNumber))
  const query = new URLSearchParams({ src, dst, amount, from, maxSplits: '1' })
  const round = Math.floor(requestNumber / chainIds.length) % 4
  const request =
    round === 0
      ? fetch(`${url}/prices/${chainId}?token=${src}`)
      : round === 1
        ? fetch(`${url}/quotes/${chainId}`, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify({ quotes: [{ src, dst, amount }] }),
          })
        : fetch(`${url}/aggregator/${chainId}?${query}`)
  try {
    const answer = await request
    return { status: answer.status, text: await answer.text() }
  } catch (error) {
    return { status: 0, text: String(error) }
  }
}
