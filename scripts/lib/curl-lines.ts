/** Example commands that `npm start` and `npm run mainnet` print. */
import type { Account, DevnetToken } from '@sluice/devnet'

type Input = {
  readonly apiUrl: string
  readonly chainId: number
  readonly accounts: readonly Account[]
  readonly tokens: { readonly WETH: DevnetToken; readonly USDC: DevnetToken }
  /** Token that the quote sells; WETH by default. */
  readonly sold?: { readonly address: string; readonly symbol: string }
}

/** Returns commands for a new user: one line per endpoint, and one that signs and sends the swap. */
export function curlLines({ apiUrl, chainId, accounts, tokens, sold }: Input): {
  readonly swapUrl: string
  readonly text: string
} {
  const from = accounts[0]!.address
  const { WETH: weth, USDC: usdc } = tokens
  const { address: src, symbol } = sold ?? { ...weth, symbol: 'WETH' }
  const amount = `1${'0'.repeat(weth.decimals)}`
  const swapUrl = `${apiUrl}/aggregator/${chainId}?src=${src}&dst=${usdc.address}&amount=${amount}&from=${from}`
  // Calldata of transfer(address,uint256): 1 USDC to account 1. This simple call changes the balance of `tokenIn`.
  const to = accounts[1]!.address.slice(2).toLowerCase().padStart(64, '0')
  const transfer = `0xa9059cbb${to}${(10n ** BigInt(usdc.decimals)).toString(16).padStart(64, '0')}`
  const body = JSON.stringify({
    from,
    to: usdc.address,
    data: transfer,
    tokenIn: usdc.address,
    amountIn: (10n ** BigInt(usdc.decimals)).toString(),
    tokenOut: weth.address,
  })
  const text = `
Open ${apiUrl} in a browser, or paste these into another terminal:

# the best route for 1 ${symbol} to USDC, and the transaction to submit
curl -s '${swapUrl}'

# what any transaction would do, without funds or approvals (here a plain transfer of 1 USDC)
curl -s -X POST ${apiUrl}/simulate/${chainId} -H 'content-type: application/json' -d '${body}'

# USD prices, depth in USD, supported chains
curl -s '${apiUrl}/prices/${chainId}?token=${weth.address},${usdc.address}'
curl -s '${apiUrl}/liquidity/${chainId}?token=${weth.address},${usdc.address}'
curl -s '${apiUrl}/chains'

# approve if needed, sign and send the swap with account 0 of the local chain
npm run -s send -- '${swapUrl}'

Ctrl-C stops everything.
`
  return { swapUrl, text }
}
