/** Loads a transaction by hash from the wallet's node or the local chain's node. The service stores no transactions. */
import { useQuery } from '@tanstack/react-query'
import { useSetting } from '../ui/setting.ts'
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
  /** `nobody`: no node is available. `absent`: the node does not know the hash. `empty`: the transaction has no calldata. */
  | { readonly kind: 'nobody' | 'absent' | 'empty' }

type NodeTransaction = {
  readonly input: string
  readonly to: string | null
  readonly from: string
  readonly value: string
} | null
type Receipt = { readonly status: string; readonly blockNumber: string } | null

export function useSentTransaction(chainId: number, hash: string | undefined) {
  const wallet = useWallet()
  const { local } = useSetting()
  return useQuery<SentTransactionState>({
    queryKey: ['sent', chainId, hash, wallet?.address],
    enabled: hash !== undefined,
    retry: false,
    queryFn: async () => {
      const ownProvider = wallet?.chainId === chainId ? (await wallet.open()).provider : undefined
      const provider = chainId === local?.chainId ? nodeProvider(local.rpcUrl) : ownProvider
      if (!provider) return { kind: 'nobody' }
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
