/** A genuine swap of a chain, as an example: the transaction that the service would have signed now. */
import type { Route } from '@sluice/client'
import { useState } from 'react'
import { sluice } from '../service/client.ts'
import { isNative, type Token, useTokens } from '../service/tokens.ts'
import { useWallet } from '../wallet/use-wallet.ts'

/** Stands for a wallet: a simulation needs no account of anybody. */
const NOBODY = '0x000000000000000000000000000000000000dEaD'

type State = { readonly busy: boolean; readonly error: unknown }

/** @param use - receives the route, and does something with it */
export function useExampleSwap(chainId: number, use: (route: Route, amount: string) => Promise<void> | void) {
  const { data: tokens } = useTokens(chainId)
  const wallet = useWallet()
  const [state, setState] = useState<State>({ busy: false, error: null })
  const pair = tokens && deepestPair(tokens)
  return {
    /** True until there is a pair of tokens, and while the service is asked. */
    busy: state.busy || !pair,
    error: state.error,
    async fill() {
      if (!pair) return
      setState({ busy: true, error: null })
      const { src, dst } = pair
      const from = wallet?.address ?? NOBODY
      const amount = String(10n ** BigInt(src.decimals))
      try {
        await use(await sluice.getSwap(chainId, { src: src.address, dst: dst.address, amount, from }), amount)
        setState({ busy: false, error: null })
      } catch (error) {
        setState({ busy: false, error })
      }
    },
  }
}

/** The two deepest tokens that are contracts, and no copies of others. */
function deepestPair(tokens: readonly Token[]): { readonly src: Token; readonly dst: Token } | undefined {
  const [src, dst] = tokens.filter(({ address, tags }) => !isNative(address) && !tags?.includes('copy'))
  return src && dst && { src, dst }
}
