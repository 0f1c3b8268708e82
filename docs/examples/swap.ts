/**
 * A quote, proven before anybody signs it. Needs BASE_URL, CHAIN, SRC, DST, AMOUNT, FROM and MIN, the least output that you
 * accept by what you know yourself; CONTRACTS, as JSON, for a chain of your own.
 */
import { ClientError, gasLimit, SluiceClient, verify } from '@sluice/client'

const { BASE_URL = '', CHAIN, SRC = '', DST = '', AMOUNT = '', FROM = '', MIN = '', CONTRACTS } = process.env
const chain = Number(CHAIN)
const sluice = new SluiceClient({ baseUrl: BASE_URL, referer: 'https://your-domain.example/' })

try {
  const request = { src: SRC, dst: DST, amount: BigInt(AMOUNT), from: FROM, slippage: 0.5 }
  const route = await sluice.getSwap(chain, request)
  // Throws unless the bytes swap exactly this, for at least this much, for this sender, through contracts that are known.
  const terms = { minToAmount: MIN, contracts: CONTRACTS && JSON.parse(CONTRACTS) }
  const { minOutput, mode, executor, pools } = verify(chain, route, request, terms)
  const prices = await sluice.prices(chain, [SRC, DST])
  const gas = gasLimit(route)
  console.log({ toAmount: route.toAmount, minOutput, mode, executor, pools: pools.length, gas, prices })
} catch (error) {
  if (!(error instanceof ClientError)) throw error
  console.error(`${error.code}: ${error.message}`, error.retryable ? '(worth another try)' : '')
  process.exitCode = 1
}
