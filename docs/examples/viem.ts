/**
 * Makes a swap with a viem wallet, from quote to receipt: verifies the quote, approves the missing allowance, and sends the swap.
 * Needs BASE_URL, CHAIN, SRC, DST, AMOUNT, RPC_URL, and PRIVATE_KEY. A local chain also needs CONTRACTS, as JSON.
 */
import { ClientError, fromViem, SluiceClient, swap } from '@sluice/client'
import { createPublicClient, createWalletClient, defineChain, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const { BASE_URL = '', CHAIN, SRC = '', DST = '', AMOUNT = '', RPC_URL = '', PRIVATE_KEY = '', CONTRACTS } = process.env
const chain = defineChain({
  id: Number(CHAIN),
  name: 'chain',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [RPC_URL] } },
})
const transport = http()
const account = privateKeyToAccount(PRIVATE_KEY as Hex)
const wallet = fromViem(
  createWalletClient({ account, chain, transport }),
  createPublicClient({ chain, transport, pollingInterval: 500 }),
)
const sluice = new SluiceClient({ baseUrl: BASE_URL, referer: 'https://your-domain.example/' })

try {
  const request = { src: SRC, dst: DST, amount: BigInt(AMOUNT), slippage: 0.5 }
  // Without `minToAmount`, the wallet's own node confirms the amount before the wallet signs.
  const { hash, route } = await swap(sluice, wallet, chain.id, request, {
    ...(CONTRACTS && { contracts: JSON.parse(CONTRACTS) }),
    confirm: ({ toAmount }, { pools }) => {
      console.error(`${toAmount} by ${pools.length} pools`)
      return true
    },
  })
  console.log(JSON.stringify({ hash, toAmount: route.toAmount }))
} catch (error) {
  if (!(error instanceof ClientError)) throw error
  console.error(`${error.code}: ${error.message}`, error.retryable ? '(retryable)' : '')
  process.exitCode = 1
}
