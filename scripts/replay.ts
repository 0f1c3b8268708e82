/**
 * `npm run replay -- <quoteId>`: repeats a quote from the quote log in the service's DATA_DIR, for support and
 * disputes. Searches the route again on the logged pools of the quote's block, encodes its transaction, and compares
 * both with the response.
 */
import { defaultDataDir, quoteLogPath } from '@sluice/api'
import { findRecord, MarketError } from '@sluice/liquidity'
import { type ReplayResult, readQuoteId, replayRecord } from '@sluice/quoting'
import { fail } from './lib/command-line.ts'
import { userDirectories } from './lib/run.ts'

const USAGE = `usage: npm run replay -- <quoteId>
  exit code: 0 if route and transaction are identical, 1 if not, 2 if the quote cannot be replayed
DATA_DIR names the service's directory; default: as for the service.`

/** Exit code for a quote that cannot be replayed. */
const USAGE_EXIT_CODE = 2

const [quoteId = '', ...extraArguments] = process.argv.slice(2)
const quoteKey = readQuoteId(quoteId)
if (!quoteKey || extraArguments.length > 0) fail(USAGE, USAGE_EXIT_CODE)
const dataDir = userDirectories().DATA_DIR ?? defaultDataDir(process.env)

try {
  const record = findRecord(quoteLogPath(dataDir, quoteKey.chainId), quoteId)
  if (!record)
    fail(
      `${quoteId}: the log of chain ${quoteKey.chainId} has no such quote; it may have been deleted`,
      USAGE_EXIT_CODE,
    )
  const replayedQuote = replayRecord(record)
  print(replayedQuote)
  process.exitCode = replayedQuote.differences.length > 0 ? 1 : 0
} catch (error) {
  if (!(error instanceof MarketError)) throw error
  fail(error.message, USAGE_EXIT_CODE)
}

function print({ at, block, amountIn, amountOut, minOutput, route, data, differences }: ReplayResult): void {
  console.log(`${quoteId}: made at ${at} of block ${block}`)
  for (const leg of route?.legs ?? [])
    console.log(
      `  ${leg.pool.family} ${leg.pool.dex} ${leg.pool.id}: ${leg.amountIn} ${leg.tokenIn} for ${leg.amountOut} ${leg.tokenOut}`,
    )
  console.log(`  ${amountIn} for ${amountOut}, at least ${minOutput}; ${(data.length - 2) / 2} bytes of calldata`)
  console.log(
    differences.length === 0
      ? 'the same route and the same transaction, bit for bit'
      : `different from what was answered: ${differences.join(', ')}`,
  )
}
