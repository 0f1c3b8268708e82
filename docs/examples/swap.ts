/** A quote, proven before anybody signs it. Needs BASE_URL, CHAIN, SRC, DST, AMOUNT, FROM; GUARD for a chain of your own. */
import { ClientError, gasLimit, guardOf, SluiceClient, verify } from '@sluice/client'

const { BASE_URL = '', CHAIN, SRC = '', DST = '', AMOUNT = '', FROM = '', GUARD } = process.env
const chain = Number(CHAIN)
const sluice = new SluiceClient({ baseUrl: BASE_URL, referer: 'https://your-domain.example/' })

try {
  const asked = { src: SRC, dst: DST, amount: BigInt(AMOUNT), from: FROM, slippage: 0.5 }
  const route = await sluice.getSwap(chain, asked)
  // Throws unless the bytes swap exactly this, for at least this much, for this sender, in this Guard.
  const { minOutput, pools } = verify(route, asked, GUARD ?? guardOf(chain))
  const prices = await sluice.prices(chain, [SRC, DST])
  console.log({ toAmount: route.toAmount, minOutput, pools: pools.length, gasLimit: gasLimit(route), prices })
} catch (error) {
  if (!(error instanceof ClientError)) throw error
  console.error(`${error.code}: ${error.message}`, error.retryable ? '(worth another try)' : '')
  process.exitCode = 1
}
