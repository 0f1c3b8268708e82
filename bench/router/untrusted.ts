/**
 * `npm run bench -- router untrusted`: measures attacks by pools and tokens whose owners profit from the routes of
 * users. Reports the losses with the defense, which is the default, and without it (`intermediates=any`). Also reports
 * what the defense costs normal routes on the local chain. The recorded Ethereum state cannot show this cost: its pools
 * were recorded at several dates, and unrestricted routes profit from the price differences.
 */
import { setTimeout } from 'node:timers/promises'
import { accounts, startDevnet } from '@sluice/devnet'
import { devnetDir, serviceEnv, startProcess, startSystem } from '@sluice/system-test/service'
import { traps } from '@sluice/system-test/traps/traps'
import { type TrapResult, tryTrap } from '@sluice/system-test/traps/trial'
import { median, quantile } from '../lib/statistics.ts'
import { record, rounded } from '../record.ts'

const sender = accounts()[0]!.address
const TRADE_USD = [1_000, 50_000, 500_000]

/** A chain, the service that quotes on it, and tokens to trade. */
type QuotedChain = { readonly api: string; readonly chainId: number; readonly tokens: readonly string[] }

/** Requests a URL; null if the service rejects the request. Retries server errors, as data may still be loading. */
async function requestJson<T>(url: string): Promise<T | null> {
  for (let tries = 0; tries < 4; tries++) {
    const response = await fetch(url)
    if (response.ok) return (await response.json()) as T
    if (response.status < 500) return null
  }
  return null
}

type Prices = Record<string, { readonly usd: number | null; readonly reason?: string | null }>

/** Returns prices as soon as the service no longer searches for pools, or after a minute. */
async function completePrices({ api, chainId }: QuotedChain, tokenList: string): Promise<Prices> {
  for (let tries = 0; ; tries++) {
    const prices = (await requestJson<Prices>(`${api}/prices/${chainId}?token=${tokenList}&detail=1`)) ?? {}
    const isPending = Object.values(prices).some(({ reason }) => reason === 'pending')
    if (!isPending || tries === 120) return prices
    await setTimeout(500)
  }
}

/** Returns dollars per base unit of each token with a price. */
async function unitPrices(chain: QuotedChain): Promise<ReadonlyMap<string, number>> {
  const { api, chainId, tokens } = chain
  const usdPerUnit = new Map<string, number>()
  for (let offset = 0; offset < tokens.length; offset += 10) {
    const tokenList = tokens.slice(offset, offset + 10).join()
    const prices = await completePrices(chain, tokenList)
    const reports =
      (await requestJson<Record<string, { decimals: number | null } | null>>(
        `${api}/tokens/${chainId}?token=${tokenList}`,
      )) ?? {}
    for (const [token, { usd }] of Object.entries(prices)) {
      const decimals = reports[token]?.decimals
      if (usd && decimals != null) usdPerUnit.set(token, usd / 10 ** decimals)
    }
  }
  return usdPerUnit
}

/** Compares quotes from each token to three others with default settings and with `intermediates=any`. */
async function measureDefenseCost(chain: QuotedChain) {
  const { api, chainId } = chain
  const prices = await unitPrices(chain)
  const tokenList = chain.tokens.filter((token) => prices.has(token))
  const losses: number[] = []
  let withoutRoute = 0
  for (const [index, src] of tokenList.entries())
    for (const dst of [1, 3, 5].map((step) => tokenList[(index + step) % tokenList.length]!))
      for (const dollars of TRADE_USD) {
        if (src === dst) continue
        const amount = BigInt(Math.round(dollars / prices.get(src)!))
        const url = `${api}/aggregator/${chainId}?src=${src}&dst=${dst}&amount=${amount}&from=${sender}&maxPriceImpact=100`
        const unrestrictedQuote = await requestJson<{ toAmount: string }>(`${url}&intermediates=any`)
        const defaultQuote = await requestJson<{ toAmount: string }>(url)
        if (unrestrictedQuote && defaultQuote)
          losses.push((1 - Number(defaultQuote.toAmount) / Number(unrestrictedQuote.toAmount)) * 10_000)
        else if (unrestrictedQuote) withoutRoute++
      }
  if (losses.length === 0) throw new Error(`nothing could be traded on chain ${chainId}`)
  const mean = losses.reduce((sum, loss) => sum + loss, 0) / losses.length
  return {
    trades: losses.length,
    meanLossBps: rounded(mean, 3),
    medianLossBps: rounded(median(losses), 3),
    p95LossBps: rounded(quantile(losses, 0.95), 3),
    worstLossBps: rounded(Math.max(...losses), 3),
    withoutRouteByDefault: withoutRoute,
  }
}

async function measureOnLocalChain() {
  const devnet = await startDevnet({ dir: devnetDir })
  const service = await startProcess(serviceEnv(devnet))
  try {
    const tokens = Object.values(devnet.info.tokens).map(({ address }) => address)
    return await measureDefenseCost({ api: service.url, chainId: devnet.chainId, tokens })
  } finally {
    await service.stop()
    await devnet.stop()
  }
}

async function runTraps(): Promise<readonly TrapResult[]> {
  const trapResults: TrapResult[] = []
  for (const trap of traps) {
    const system = await startSystem()
    try {
      trapResults.push(await tryTrap(system, trap))
    } finally {
      await system.stop()
    }
  }
  return trapResults
}

const bpsOrReverts = (value: number | null) => (value === null ? 'reverts' : rounded(value, 2))
const localChain = await measureOnLocalChain()
console.log(localChain)
const trapResults = await runTraps()
const result = {
  trade: '4,000 LINK for UNI on the local chain',
  worstGainBps: Math.min(...trapResults.map(({ gainBps }) => gainBps ?? Number.NEGATIVE_INFINITY)),
  traps: trapResults.map(({ trap, baitedPercent, baitedQuoteBps, baitedLossBps, stepsOnIt, gainBps, ...usual }) => ({
    trap,
    any: {
      intoTheBaitPercent: baitedPercent,
      quoteOverHonestBps: bpsOrReverts(baitedQuoteBps),
      lossBps: bpsOrReverts(baitedLossBps),
    },
    default: {
      stepsOnIt,
      besideHonestBps: bpsOrReverts(gainBps),
      quotedBesideHonestBps: bpsOrReverts(usual.quotedBps),
      ...(usual.leftOut.length + usual.instead.length > 0 && { leftOut: usual.leftOut, instead: usual.instead }),
    },
  })),
}
record('untrusted', { ...result, honest: { localChain } })
