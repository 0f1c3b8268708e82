/** Sends requests for many chains while the processes behind nginx are replaced one after the other. */
import type { Fleet } from './fleet.ts'
import type { ManyNodes } from './many-chains.ts'

const CALLERS = 16
const MAX_FAILURES = 20

export type ReplacementResult = {
  /** Number of responses by HTTP status. Status 0 means a broken connection. */
  readonly statuses: Readonly<Record<string, number>>
  /** Responses other than 200, with their times. */
  readonly failures: readonly string[]
}

/** Replaces all processes while it sends requests. Sends at least `requests` requests. */
export async function replaceAllUnderLoad(
  fleet: Fleet,
  nodes: ManyNodes,
  requests: number,
): Promise<ReplacementResult> {
  const statuses: Record<string, number> = {}
  const failures: string[] = []
  let startedCount = 0
  let isReplacing = true
  const caller = async () => {
    while (isReplacing || startedCount < requests) {
      const { status, text } = await sendNext(fleet.url, nodes, startedCount++)
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

/** Sends a quote by GET or POST, or a price request, for each chain in turn. */
async function sendNext(
  url: string,
  { chainIds, devnet }: ManyNodes,
  count: number,
): Promise<{ status: number; text: string }> {
  const chainId = chainIds[count % chainIds.length]!
  const { tokens, accounts } = devnet.info
  const from = accounts[0]!.address
  const [src, dst] = [tokens.WETH!.address, tokens.USDC!.address]
  // All amounts differ, because the service combines equal requests.
  const amount = String(10n ** 15n * BigInt(1 + count))
  const query = new URLSearchParams({ src, dst, amount, from, maxSplits: '1' })
  const turn = Math.floor(count / chainIds.length) % 4
  const request =
    turn === 0
      ? fetch(`${url}/prices/${chainId}?token=${src}`)
      : turn === 1
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
