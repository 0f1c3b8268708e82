/**
 * Makes a swap with an ethers signer, from quote to receipt. Needs BASE_URL, CHAIN, SRC, DST, AMOUNT, RPC_URL, and PRIVATE_KEY.
 * A local chain also needs CONTRACTS, as JSON. PRIVATE_RPC_URL sends the transaction to a private node.
 */
import { ClientError, fromEthers, privately, SluiceClient, swap } from '@sluice/client'
import { JsonRpcProvider, Wallet } from 'ethers'

const { BASE_URL = '', CHAIN, SRC = '', DST = '', AMOUNT = '', RPC_URL = '', PRIVATE_KEY = '', CONTRACTS } = process.env
const { PRIVATE_RPC_URL } = process.env
const chain = Number(CHAIN)
const provider = new JsonRpcProvider(RPC_URL, chain, { staticNetwork: true, cacheTimeout: -1 })
const wallet = await fromEthers(new Wallet(PRIVATE_KEY, provider))
const sluice = new SluiceClient({ baseUrl: BASE_URL, referer: 'https://your-domain.example/' })

try {
  const request = { src: SRC, dst: DST, amount: BigInt(AMOUNT), slippage: 'auto' } as const
  const terms = CONTRACTS ? { contracts: JSON.parse(CONTRACTS) } : {}
  const sender = PRIVATE_RPC_URL ? privately(wallet, PRIVATE_RPC_URL) : wallet
  // A signature instead of an approval if the token supports permits, otherwise an approval of exactly the amount.
  const { hash, route } = await swap(sluice, sender, chain, request, { ...terms, ways: ['permit', 'approve'] })
  console.log(JSON.stringify({ hash, toAmount: route.toAmount }))
} catch (error) {
  if (!(error instanceof ClientError)) throw error
  console.error(`${error.code}: ${error.message}`, error.retryable ? '(retryable)' : '')
  process.exitCode = 1
} finally {
  provider.destroy()
}
