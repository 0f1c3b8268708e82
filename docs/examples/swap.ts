/**
 * Verifies a quote before it is signed. Needs BASE_URL, CHAIN, SRC, DST, AMOUNT, FROM, and MIN, the minimum output that you
 * accept according to an independent source. A local chain also needs CONTRACTS, as JSON.
 */
import { ClientError, gasLimit, SluiceClient, verify } from '@sluice/client'

const { BASE_URL = '', CHAIN, SRC = '', DST = '', AMOUNT = '', FROM = '', MIN = '', CONTRACTS } = process.env
const chain = Number(CHAIN)
const sluice = new SluiceClient({ baseUrl: BASE_URL, referer: 'https://your-domain.example/' })

try {
  const request = { src: SRC, dst: DST, amount: BigInt(AMOUNT), from: FROM, slippage: 0.5 }
  const route = await sluice.getSwap(chain, request)
  // Throws unless the transaction makes exactly this swap, for at least this output, for this sender, through known contracts.
  const terms = { minToAmount: MIN, contracts: CONTRACTS && JSON.parse(CONTRACTS) }
  const { minOutput, mode, executor, pools } = verify(chain, route, request, terms)
  const prices = await sluice.prices(chain, [SRC, DST])
  const gas = gasLimit(route)
  console.log({ toAmount: route.toAmount, minOutput, mode, executor, pools: pools.length, gas, prices })
} catch (error) {
  if (!(error instanceof ClientError)) throw error
  console.error(`${error.code}: ${error.message}`, error.retryable ? '(retryable)' : '')
  process.exitCode = 1
}
