/**
 * `npm run bench -- capacity calls [folder of another checkout]`: counts JSON-RPC calls and HTTP requests from the
 * service to its node. Counts them for waking (the first request, after which the service follows the chain), for each
 * block, and for each quote of an idle and of a busy service. With another checkout, also counts those of its service.
 * Results in `results/calls.json` and packages/rpc/README.md.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { NodeProxy, request } from '@sluice/devnet'
import { randomPath, sendForMs } from '../lib/quotes.ts'
import { randomOf } from '../lib/random.ts'
import { startService, startWorld } from '../lib/world.ts'
import { record, rounded } from '../record.ts'

type Count = { readonly calls: number; readonly requests: number }
type Counts = Readonly<
  Record<'waking' | 'restSecond' | 'block' | 'quoteAlone' | 'quoteBusy' | 'quoteWithBlocks', Count>
>

/**
 * Number of mined blocks. They take ten seconds, in which each periodic audit of the service runs once. In a shorter
 * time, the result would depend on chance.
 */
const BLOCKS = 50
const QUOTES = 40
/** Quotes that each of two callers requests per block. */
const QUOTES_OF_CALLER = 7
/** Number of measured starts of the service. The result is their median. */
const WAKES = 3
/** Measured seconds without activity: as long as the measurement of blocks. */
const REST_SECONDS = 10
const otherRoot = process.argv[2]
const results: Record<string, Counts> = {}
for (const [name, root] of Object.entries({
  now: join(import.meta.dirname, '../..'),
  ...(otherRoot && { before: otherRoot }),
}))
  results[name] = await countCalls(root)
const growth = otherRoot && growthPercent(results.now!, results.before!)
record('calls', { ...results, ...(growth && { morePercent: growth }) })
process.exit()

async function countCalls(root: string): Promise<Counts> {
  const { devnet, env } = await startWorld(root)
  const node = await NodeProxy.start(devnet.url)
  const start = () => startService({ ...env, LOG_LEVEL: 'silent', RPC_URL_31337: node.url }, root)
  let service = await start()
  const random = randomOf(14)
  const nextPath = () => randomPath(devnet, random)
  const countDuring = async (workCount: number, work: () => Promise<unknown>): Promise<Count> => {
    const [calls, requests] = [node.calledMethods.length, node.requestCount]
    await work()
    return {
      calls: rounded((node.calledMethods.length - calls) / workCount, 2),
      requests: rounded((node.requestCount - requests) / workCount, 2),
    }
  }
  const quote = async () => {
    const { status } = await fetch(service.url + nextPath())
    if (status !== 200) throw new Error(`a quote was answered with ${status}`)
  }
  try {
    const wakes = [await countDuring(1, quote)]
    while (wakes.length < WAKES) {
      await service.stop()
      service = await start()
      wakes.push(await countDuring(1, quote))
    }
    const waking = wakes.sort((a, b) => a.calls - b.calls)[WAKES >> 1]!
    // After these quotes, the service knows all tokens.
    for (let i = 0; i < 40; i++) await quote()
    await sleep(1_000)
    const restSecond = await countDuring(REST_SECONDS, () => sleep(REST_SECONDS * 1_000))
    const mineBlocks = async () => {
      await request(devnet.url, 'evm_mine', [])
      await sleep(200)
    }
    const block = await countDuring(BLOCKS, () => repeat(BLOCKS, mineBlocks))
    const quoteAlone = await countDuring(QUOTES, () => repeat(QUOTES, quote))
    let busyQuotes = 0
    const busy = await countDuring(1, async () => {
      busyQuotes = (await sendForMs(service.url, nextPath, 16, 2_000)).length
    })
    // Requests a fixed number of quotes per block, because the quotes of a block share its calls.
    const caller = () => repeat(QUOTES_OF_CALLER, () => quote().then(() => sleep(15)))
    const quoteWithBlocks = await countDuring(2 * QUOTES_OF_CALLER * BLOCKS, () =>
      repeat(BLOCKS, async () => void (await Promise.all([mineBlocks(), caller(), caller()]))),
    )
    const perUnit = ({ calls, requests }: Count, workCount: number): Count => ({
      calls: rounded(calls / workCount, 2),
      requests: rounded(requests / workCount, 2),
    })
    return {
      waking,
      restSecond,
      block,
      quoteAlone,
      quoteBusy: perUnit(busy, busyQuotes),
      quoteWithBlocks,
    }
  } finally {
    await service.stop()
    await node.stop()
    await devnet.stop()
  }
}

async function repeat(times: number, work: () => Promise<void>): Promise<void> {
  for (let i = 0; i < times; i++) await work()
}

/** Returns the percentages by which the counts `now` exceed the counts `before`. */
function growthPercent(now: Counts, before: Counts): Record<string, Count> {
  const percent = (a: number, b: number) => rounded(100 * (a / b - 1))
  return Object.fromEntries(
    Object.entries(now).map(([name, { calls, requests }]) => {
      const countBefore = before[name as keyof Counts]
      return [name, { calls: percent(calls, countBefore.calls), requests: percent(requests, countBefore.requests) }]
    }),
  )
}
