/** Hook for the default values of the console's fields, with tokens of the chosen chain. */
import { useQuery } from '@tanstack/react-query'
import { sluice } from '../service/client.ts'
import { useTokens } from '../service/tokens.ts'
import { defaultPairOf } from '../swap/params.ts'
import { useWallet } from '../wallet/use-wallet.ts'
import { type ConsoleEndpoint, isNeeded } from './openapi.ts'

type DefaultFields = {
  readonly defaults: Readonly<Record<string, string>>
  /** True while default values are loading. A request that is sent now would lack them. */
  readonly isPending: boolean
}

/**
 * Returns the chain's default pair, one whole input token as the amount, and the wallet's address or a burn address.
 */
export function useDefaultFields(chainId: number, endpoint: ConsoleEndpoint): DefaultFields {
  const { data: tokens, isPending, failureCount } = useTokens(chainId)
  const wallet = useWallet()
  const pair = tokens && defaultPairOf(tokens)
  const from = wallet?.address ?? '0x000000000000000000000000000000000000dEaD'
  const needsCalldata = endpoint.fields.some(({ name, required }) => name === 'data' && required)
  const { data: swap, isLoading } = useQuery({
    queryKey: ['example', chainId, pair?.src.address, pair?.dst.address, from],
    enabled: needsCalldata && pair !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    queryFn: () =>
      sluice.getSwap(chainId, {
        src: pair!.src.address,
        dst: pair!.dst.address,
        amount: String(10n ** BigInt(pair!.src.decimals)),
        from,
      }),
  })
  // If the token list fails to load, the console sends requests without default values.
  if (!pair) return { defaults: {}, isPending: isPending && failureCount === 0 }
  const { src, dst } = pair
  const amount = String(10n ** BigInt(src.decimals))
  const fieldDefaults: Readonly<Record<string, string>> = {
    ...{ src: src.address, dst: dst.address, amount, token: `${src.address},${dst.address}` },
    ...{ tokenIn: src.address, tokenOut: dst.address, amountIn: amount, from },
    ...(swap && { to: swap.tx.to, data: swap.tx.data }),
    quotes: JSON.stringify([{ src: src.address, dst: dst.address, amount }]),
  }
  // Fills only required fields and `amount`. The service has defaults for other fields.
  const filledFields = Object.fromEntries(
    endpoint.fields.flatMap((field) => {
      const value = fieldDefaults[field.name]
      return isNeeded(field) && value ? [[field.name, value]] : []
    }),
  )
  return { defaults: filledFields, isPending: isLoading }
}
