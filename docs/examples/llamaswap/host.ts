/**
 * Side of LlamaSwap that an adapter meets, written down from its adapters: types, and the two helpers that every adapter calls. There they
 * stand in `utils/getTxs` and `utils/sendTx`, over wagmi; here they are over any EIP-1193 wallet, so that the adapter runs without LlamaSwap.
 *
 * @see https://github.com/LlamaSwap/interface (src/components/Aggregator)
 */

type Hex = `0x${string}`

/** Settings of a swap in addition to its tokens and amount. */
export type ExtraData = {
  /** The zero address before a wallet is connected. */
  readonly userAddress: string
  /** Percent. */
  readonly slippage: string | number
  /** Output in base units, in place of an input; empty or `0` for none. */
  readonly amountOut?: string
}

export type AdapterQuote<RawQuote> = {
  /** Base units of the output token. */
  readonly amountReturned: string
  /** Base units of the input token, of adapters with `isOutputAvailable`. */
  readonly amountIn?: string
  readonly estimatedGas: string
  readonly tokenApprovalAddress: string
  /** Handed on to `swap`, `getTxData` and `getTx`, perhaps by way of JSON. */
  readonly rawQuote: RawQuote
  readonly logo: string
}

export type Eip5792 = { readonly shouldRemoveApproval: boolean; readonly isTokenApproved: boolean }

export type SwapArguments<RawQuote> = {
  readonly tokens: { readonly fromToken: { readonly address: string } }
  readonly fromAmount: bigint
  readonly fromAddress: string
  readonly rawQuote: RawQuote
  /** Given for wallets that send batches. */
  readonly eip5792?: Eip5792 | undefined
  readonly chain: string
}

/** An adapter: a module with these exports. */
export type Adapter<RawQuote> = {
  readonly name: string
  /** Symbol of the aggregator's own token; null for none. */
  readonly token: string | null
  readonly isOutputAvailable?: boolean
  /** By LlamaSwap's names of chains. */
  readonly chainToId: Readonly<Record<string, number>>
  readonly approvalAddress: (chain: string) => string
  readonly getQuote: (
    chain: string,
    from: string,
    to: string,
    amount: string,
    extra: ExtraData,
  ) => Promise<AdapterQuote<RawQuote>>
  readonly swap: (swap: SwapArguments<RawQuote>) => Promise<unknown>
  readonly getTxData: (quote: { readonly rawQuote: RawQuote }) => string | undefined
  readonly getTx: (quote: { readonly rawQuote: RawQuote }) => Partial<Call> | undefined
}

type Call = { readonly from: string; readonly to: string; readonly data: string; readonly value?: bigint }

/** approve(address spender, uint256 amount) */
const APPROVE = '0x095ea7b3'
const word = (value: bigint | string) =>
  (typeof value === 'bigint' ? value.toString(16) : value.slice(2).toLowerCase()).padStart(64, '0')

/** The calls of a swap; for wallets that send batches, preceded by the calls of the approval. */
export function getTxs(swap: {
  readonly fromAddress: string
  readonly routerAddress: string
  readonly data: string
  readonly value?: bigint
  readonly fromTokenAddress: string
  readonly fromAmount: bigint
  readonly eip5792?: Eip5792 | undefined
  readonly tokenApprovalAddress: string
}): readonly Call[] {
  const { fromAddress: from, routerAddress: to, data, value, fromTokenAddress, eip5792 } = swap
  const approve = (amount: bigint): Call => ({
    ...{ from, to: fromTokenAddress },
    data: `${APPROVE}${word(swap.tokenApprovalAddress)}${word(amount)}`,
  })
  return [
    ...(eip5792?.shouldRemoveApproval ? [approve(0n)] : []),
    ...(eip5792 && !eip5792.isTokenApproved ? [approve(swap.fromAmount)] : []),
    { from, to, data, ...(value && { value }) },
  ]
}

type Eip1193 = { request(call: { readonly method: string; readonly params: readonly unknown[] }): Promise<unknown> }

/** Sends one call as a transaction, several as a batch. Resolves to the hash, or to the id of the batch. */
export async function sendTx(calls: readonly Call[]): Promise<unknown> {
  const { ethereum } = globalThis as { ethereum?: Eip1193 }
  const last = calls.at(-1)
  if (!ethereum || !last) throw new Error('no wallet is connected')
  const sentCalls = calls.map(({ value, ...call }) => ({ ...call, ...(value && { value: hex(value) }) }))
  if (calls.length === 1) return ethereum.request({ method: 'eth_sendTransaction', params: sentCalls })
  const chainId = await ethereum.request({ method: 'eth_chainId', params: [] })
  const batch = { version: '2.0.0', from: last.from, chainId, atomicRequired: true, calls: sentCalls }
  return ethereum.request({ method: 'wallet_sendCalls', params: [batch] })
}

function hex(value: bigint): Hex {
  return `0x${value.toString(16)}`
}
