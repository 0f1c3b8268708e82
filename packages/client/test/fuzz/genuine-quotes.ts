/** Requests genuine quotes for every kind of transaction that the service builds on the local chain. */
import { PERMIT2, request } from '@sluice/devnet'
import { encodeCall, selectors } from '../../src/calls.ts'
import {
  ClientError,
  explain,
  fromEip1193,
  type GuardPermit,
  NATIVE,
  type Route,
  type SwapParameters,
  signPermit,
  withPermit,
} from '../../src/index.ts'
import { CHAIN, type Stage } from '../service.ts'

export type Honest = {
  readonly name: string
  readonly request: SwapParameters
  readonly route: Route
  /** Signed permit of the transaction, if it carries one. */
  readonly permit?: GuardPermit
}

const DEADLINE_SECONDS = 600
const PAIRS_OF_A_FAMILY = 2

export async function honestQuotes(stage: Stage): Promise<readonly Honest[]> {
  const { pools, accounts, tokens } = stage.devnet.info
  const [sender, feeRecipient] = [accounts[0]!.address, accounts[1]!.address]
  const head = await request<{ timestamp: string }>(stage.devnet.url, 'eth_getBlockByNumber', ['latest', false])
  const deadline = Number(head.timestamp) + DEADLINE_SECONDS
  const [weth, usdc, dai] = ['WETH', 'USDC', 'DAI'].map(stage.token) as [string, string, string]
  const whole = (symbol: string) => 10n ** BigInt(symbol === 'ETH' ? 18 : tokens[symbol]!.decimals)

  const fee = { convenienceFee: 1, convenienceFeeRecipient: feeRecipient }
  const ether = 10n ** 18n
  const variants: [string, Partial<SwapParameters>][] = [
    ['native in', { src: NATIVE, dst: usdc, amount: 50n * ether }],
    ['native in, by pools of the wrapper', { src: NATIVE, dst: usdc, amount: ether, includeSources: ['uniswap-v2'] }],
    ['native out', { src: usdc, dst: NATIVE, amount: 10n ** 9n }],
    [
      'native out, unwrapped by the Guard',
      { src: usdc, dst: NATIVE, amount: 10n ** 9n, includeSources: ['uniswap-v2'] },
    ],
    ['a wrap', { src: NATIVE, dst: weth, amount: ether }],
    ['an unwrap', { src: weth, dst: NATIVE, amount: ether }],
    ['a split with a fee', { src: weth, dst: usdc, amount: 50n * ether, ...fee }],
    ['a large split', { src: weth, dst: dai, amount: 200n * ether }],
    ['another recipient', { src: weth, dst: usdc, amount: ether, recipient: feeRecipient }],
    ['native out to another recipient', { src: usdc, dst: NATIVE, amount: 10n ** 9n, recipient: feeRecipient }],
    ['native out with a fee', { src: dai, dst: NATIVE, amount: 10_000n * ether, ...fee }],
  ]
  for (const family of new Set(pools.map((pool) => pool.family)))
    for (const pool of pools.filter((pool) => pool.family === family).slice(0, PAIRS_OF_A_FAMILY)) {
      const { tokens: symbols } = pool
      const [src = '', dst = ''] = stage.tokensOf(pool)
      variants.push([`${family}, ${symbols}`, { src, dst, amount: whole(symbols[0]!), includeSources: [family] }])
    }

  const quotes: Honest[] = []
  for (const [name, variant] of variants) {
    const request = { from: sender, deadline, maxPriceImpact: 100, ...variant } as SwapParameters
    try {
      quotes.push({ name, request, route: await stage.client.getSwap(CHAIN, request) })
    } catch (error) {
      // Some pools hold too little for one whole token.
      if (!(error instanceof ClientError && error.code === 'NO_ROUTE')) throw error
    }
  }
  for (const name of ['a split with a fee', 'native out with a fee', 'a large split'])
    quotes.push(await bySignature(stage, quotes.find((quote) => quote.name === name)!))
  return quotes
}

/** Adds a Permit2 signature to a swap. */
async function bySignature({ devnet: { url }, guard }: Stage, honest: Honest): Promise<Honest> {
  const { request: swapRequest, route } = honest
  const wallet = fromEip1193({ request: ({ method, params }) => request(url, method, params ?? []) }, swapRequest.from)
  const data = encodeCall(selectors.approve, PERMIT2, 2n ** 200n)
  await wallet.succeeded(await wallet.send({ to: swapRequest.src, data, value: 0n }))
  const wanted = { token: swapRequest.src, spender: guard, amount: BigInt(swapRequest.amount!) }
  const permit = (await signPermit(wallet, CHAIN, wanted, explain(route.tx).deadline))!
  return {
    name: `${honest.name}, signed for`,
    request: swapRequest,
    permit,
    route: { ...route, tx: withPermit(route.tx, permit) },
  }
}
