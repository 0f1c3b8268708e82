/**
 * Loads a transaction by hash from the wallet's or the local chain's node, because the service stores no transactions.
 */
import { useQuery } from '@tanstack/react-query'
import { useServiceInfo } from '../ui/service-info.ts'
import { nodeProvider } from '../wallet/local-account.ts'
import { useWallet } from '../wallet/use-wallet.ts'
import { type PastedTx, readPasted } from './input.ts'

export type SentTransactionState =
  | {
      readonly kind: 'sent'
      readonly tx: PastedTx
      readonly outcome: 'landed' | 'reverted' | 'waiting'
      readonly block: number | undefined
    }
  /**
   * `no-node`: the page has no node to ask. `absent`: the node does not know the hash. `empty`: there is no calldata.
   */
  | { readonly kind: 'no-node' | 'absent' | 'empty' }

type NodeTransaction = {
  readonly input: string
  readonly to: string | null
  readonly from: string
  readonly value: string
} | null
type Receipt = { readonly status: string; readonly blockNumber: string } | null

export function useSentTransaction(chainId: number, hash: string | undefined) {
  const wallet = useWallet()
  const { local } = useServiceInfo()
  return useQuery<SentTransactionState>({
    queryKey: ['sent', chainId, hash, wallet?.address],
    enabled: hash !== undefined,
    retry: false,
    queryFn: async () => {
      const walletProvider = wallet?.chainId === chainId ? (await wallet.open()).provider : undefined
      const provider = chainId === local?.chainId ? nodeProvider(local.rpcUrl) : walletProvider
      if (!provider) return { kind: 'no-node' }
      const requestNode = (method: string) => provider.request({ method, params: [hash] })
      const answers = await Promise.all([
        requestNode('eth_getTransactionByHash'),
        requestNode('eth_getTransactionReceipt'),
      ])
      const [transaction, receipt] = answers as [NodeTransaction, Receipt]
      if (!transaction) return { kind: 'absent' }
      const { input: data, to, from, value } = transaction
      const parsed = readPasted(JSON.stringify({ data, to, from, value }))
      if (parsed.kind !== 'transaction') return { kind: 'empty' }
      const outcome = receipt ? (receipt.status === '0x1' ? 'landed' : 'reverted') : 'waiting'
      return { kind: 'sent', tx: parsed.tx, outcome, block: receipt ? Number(receipt.blockNumber) : undefined }
    },
  })
}
