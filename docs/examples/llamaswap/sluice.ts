/**
 * Adapter for LlamaSwap (src/components/Aggregator/adapters). There the helpers come from '../utils/getTxs' and '../utils/sendTx', and
 * `list.ts` names the adapter. NEXT_PUBLIC_SLUICE_URL names a public instance of the service.
 */
import { type AdapterQuote, type ExtraData, getTxs, type SwapArguments, sendTx } from './host.ts'

export const name = 'Sluice'
export const token = null
/** `extra.amountOut` asks for an exact output. */
export const isOutputAvailable = true

/** By LlamaSwap's names. `/chains` of the instance lists those where the Guard is deployed. */
export const chainToId: Record<string, number> = {
  ethereum: 1,
  bsc: 56,
  polygon: 137,
  optimism: 10,
  arbitrum: 42161,
  avax: 43114,
  gnosis: 100,
  fantom: 250,
  linea: 59144,
  base: 8453,
  scroll: 534352,
  sonic: 146,
  unichain: 130,
  mantle: 5000,
  mode: 34443,
  celo: 42220,
}

/** The Guard Contract: the same on every chain, as its address follows from its code. */
const GUARD = '0xf6d7bcd0794c1bb2d0fb1538caacada9276af277'
const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000'
const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'

/** Empty before a wallet is connected. */
export type RawQuote = {
  readonly tx?: { readonly from: string; readonly to: string; readonly data: string; readonly value: string }
}

type Answer = RawQuote & {
  readonly fromAmount: string
  readonly toAmount: string
  readonly gasEstimate: string
  readonly code?: string
  readonly error?: string
}

export function approvalAddress(): string {
  return GUARD
}

export async function getQuote(
  chain: string,
  from: string,
  to: string,
  amount: string,
  { userAddress, slippage, amountOut }: ExtraData,
): Promise<AdapterQuote<RawQuote>> {
  const isConnected = userAddress !== ZERO_ADDRESS
  const isExactOutput = amountOut !== undefined && amountOut !== '' && amountOut !== '0'
  const query = new URLSearchParams({
    src: from === ZERO_ADDRESS ? NATIVE : from,
    dst: to === ZERO_ADDRESS ? NATIVE : to,
    ...(isExactOutput ? { amountOut } : { amount }),
    slippage: String(slippage),
    ...(isConnected && { from: userAddress }),
  })
  const baseUrl = process.env.NEXT_PUBLIC_SLUICE_URL ?? 'https://swap.example'
  const answer = await fetch(`${baseUrl}/${isConnected ? 'aggregator' : 'quote'}/${chainToId[chain]}?${query}`)
  const { fromAmount, toAmount, gasEstimate, tx, code, error } = (await answer.json()) as Answer
  if (!answer.ok || !toAmount || toAmount === '0') throw new Error(`${code ?? answer.status}: ${error ?? 'no route'}`)
  // The page asks for an approval of this address: nobody but the one that is known here may get it.
  if (isConnected && tx?.to.toLowerCase() !== GUARD) throw new Error('the transaction is not one to the Guard')
  return {
    amountReturned: toAmount,
    amountIn: fromAmount,
    estimatedGas: gasEstimate,
    tokenApprovalAddress: GUARD,
    rawQuote: tx && isConnected ? { tx } : {},
    logo: `${baseUrl}/app/icon.svg`,
  }
}

export async function swap({ tokens, fromAmount, rawQuote, eip5792 }: SwapArguments<RawQuote>): Promise<unknown> {
  if (!rawQuote.tx) throw new Error('the quote is one without a wallet')
  const { from, to, data, value } = rawQuote.tx
  const txs = getTxs({
    ...{ fromAddress: from, routerAddress: to, data, value: BigInt(value) },
    ...{ fromTokenAddress: tokens.fromToken.address, fromAmount, eip5792, tokenApprovalAddress: GUARD },
  })
  return sendTx(txs)
}

type Quoted = { readonly rawQuote: RawQuote }

export function getTxData({ rawQuote }: Quoted): string | undefined {
  return rawQuote.tx?.data
}

export function getTx({ rawQuote: { tx } }: Quoted) {
  return tx && { from: tx.from, to: tx.to, data: tx.data, value: BigInt(tx.value) }
}
