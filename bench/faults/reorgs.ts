/**
 * `npm run bench -- faults reorgs`: removes 1 to 64 blocks at a time from the chain while clients send requests of all
 * kinds. The allowed HTTP statuses are 200, 422, and 503. A response must not use a block that was removed before the
 * request. In a result, `seen` is true if quotes used the blocks before their removal. Results in
 * `results/reorgs.json`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from '@sluice/devnet'
import { type Outcome, percentile, randomPath, send } from '../lib/quotes.ts'
import { randomOf } from '../lib/random.ts'
import { startLocalService } from '../lib/world.ts'
import { record, rounded } from '../record.ts'

const DEPTHS = [1, 2, 4, 8, 16, 32, 64]
const ROUNDS = 2
const CONCURRENT_CLIENTS = 4
/** Milliseconds of load before and after a reorg. */
const LOAD_AROUND_REORG_MS = 400
/** Maximum number of tokens in one request. */
const MAX_TOKENS = 10
const ALLOWED_STATUSES: ReadonlySet<number> = new Set([200, 422, 503])

/** A response with the time of its request. */
type Answer = Outcome & { readonly requestedAtMs: number }
type Block = { readonly number: string; readonly hash: string }
/** Times in milliseconds at which blocks were removed, by block hash. */
type RemovalTimes = Map<string, number>

const { devnet, service, stop } = await startLocalService({ LOG_LEVEL: 'silent' })
const random = randomOf(14)
const tokens = Object.values(devnet.info.tokens).map(({ address }) => address)
const simulation = await simulationPath()

function nextPath(): string {
  const kind = random()
  if (kind < 0.6) return randomPath(devnet, random)
  if (kind < 0.7) return simulation
  const selected =
    tokens
      .filter(() => random() < 0.3)
      .slice(0, MAX_TOKENS)
      .join() || tokens[0]
  return `/${kind < 0.8 ? 'prices' : kind < 0.9 ? 'liquidity' : 'tokens'}/31337?token=${selected}`
}

async function simulationPath(): Promise<string> {
  const path = randomPath(devnet, random)
  const { src, dst, fromAmount, tx } = (await (await fetch(service.url + path)).json()) as {
    readonly src: string
    readonly dst: string
    readonly fromAmount: string
    readonly tx: { readonly from: string; readonly to: string; readonly data: string }
  }
  const query = { from: tx.from, to: tx.to, data: tx.data, tokenIn: src, tokenOut: dst, amountIn: fromAmount }
  return `/simulate/31337?${new URLSearchParams({ ...query, block: 'latest' })}`
}

async function requestPath(path: string): Promise<Answer> {
  const requestedAtMs = performance.now()
  return { ...(await send(service.url + path)), requestedAtMs }
}

/** Starts clients that send requests. @returns a function that stops them and returns the responses */
function startLoad(): () => Promise<readonly Answer[]> {
  const answers: Answer[] = []
  let hasEnded = false
  const clients = Array.from({ length: CONCURRENT_CLIENTS }, async () => {
    while (!hasEnded) {
      answers.push(await requestPath(nextPath()))
      await sleep(15)
    }
  })
  return async () => {
    hasEnded = true
    await Promise.all(clients)
    return answers
  }
}

const blockAt = (number: number) =>
  request(devnet.url, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, false]) as Promise<Block | null>

/**
 * Adds blocks and removes them again. In half of the cases, replaces them by a longer branch.
 *
 * @param isQuoted - true to request quotes at the added blocks before their removal
 */
async function reorg(depth: number, isQuoted: boolean, removedBlocks: RemovalTimes): Promise<void> {
  const { chainId, info } = devnet
  const [from, to] = info.accounts
  const snapshotId = await request(devnet.url, 'evm_snapshot', [])
  const base = Number(await request(devnet.url, 'eth_blockNumber', []))
  const value = `0x${(1 + Math.floor(random() * 1_000_000)).toString(16)}`
  // The first block contains a transaction, so that no block of the other branch has the same hash.
  await request(devnet.url, 'eth_sendTransaction', [{ from: from!.address, to: to!.address, value }])
  if (depth > 1) await request(devnet.url, 'anvil_mine', [`0x${(depth - 1).toString(16)}`])
  if (isQuoted) await requestPath(`/prices/${chainId}?token=${tokens[0]}`)
  if (isQuoted) await requestPath(randomPath(devnet, random))
  const head = Number(await request(devnet.url, 'eth_blockNumber', []))
  const hashes: string[] = []
  for (let number = base + 1; number <= head; number++) hashes.push((await blockAt(number))!.hash)
  await request(devnet.url, 'evm_revert', [snapshotId])
  const now = performance.now()
  for (const hash of hashes) removedBlocks.set(hash, now)
  if (random() < 0.5) await request(devnet.url, 'anvil_mine', [`0x${(depth + 1).toString(16)}`])
}

/** Returns the fault of a response; undefined if there is none. */
function faultOf(
  { status, body, requestedAtMs }: Answer,
  removedBlocks: RemovalTimes,
  knownHashes: ReadonlySet<string>,
): string | undefined {
  if (!ALLOWED_STATUSES.has(status)) return `${status} ${/"code":"(\w+)"/.exec(body)?.[1] ?? body.slice(0, 60)}`
  if (status !== 200) return undefined
  const { blockHash } = JSON.parse(body) as { readonly blockHash?: string }
  if (blockHash === undefined) return undefined
  const removedAt = removedBlocks.get(blockHash)
  if (removedAt !== undefined)
    return removedAt < requestedAtMs ? 'a block that was removed before the request' : undefined
  return knownHashes.has(blockHash) ? undefined : 'a block that the chain never had'
}

const rows: object[] = []
const faults: Record<string, number> = {}
let slowestMs = 0
/** Number of responses that contain their block. */
let answersWithBlock = 0
try {
  for (let i = 0; i < 40; i++) await requestPath(nextPath())
  for (const isQuoted of [true, false])
    for (const depth of DEPTHS) {
      const answers: Answer[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const removedBlocks: RemovalTimes = new Map()
        const endLoad = startLoad()
        await sleep(LOAD_AROUND_REORG_MS)
        await reorg(depth, isQuoted, removedBlocks)
        await sleep(LOAD_AROUND_REORG_MS)
        const roundAnswers = await endLoad()
        const head = Number(await request(devnet.url, 'eth_blockNumber', []))
        const knownHashes = new Set<string>()
        for (let number = Math.max(0, head - 200); number <= head; number++)
          knownHashes.add((await blockAt(number))!.hash)
        for (const answer of roundAnswers) {
          const faultText = faultOf(answer, removedBlocks, knownHashes)
          if (answer.status === 200 && answer.body.includes('"blockHash"')) answersWithBlock++
          if (faultText) faults[faultText] = (faults[faultText] ?? 0) + 1
        }
        answers.push(...roundAnswers)
      }
      const maxMs = Math.max(...answers.map(({ ms }) => ms))
      slowestMs = Math.max(slowestMs, maxMs)
      const refusedCount = answers.filter(({ status }) => status === 422 || status === 503).length
      const row = {
        depth,
        seen: isQuoted,
        answers: answers.length,
        refused: refusedCount,
        p50: percentile(answers, 0.5),
        slowest: rounded(maxMs),
      }
      rows.push(row)
      console.log(JSON.stringify(row))
    }
} finally {
  await stop()
}
record('reorgs', { slowest: rounded(slowestMs), heldToTheNode: answersWithBlock, faults, rows })
process.exit(Object.keys(faults).length > 0 ? 1 : 0)
