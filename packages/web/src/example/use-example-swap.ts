/** Hook that fills the form of a page with an example swap, which the service quotes when the user clicks. */
import type { Route } from '@sluice/client'
import { useState } from 'react'
import { sluice } from '../service/client.ts'
import { isNative, type PageToken, useTokens } from '../service/tokens.ts'
import { nextPaint } from '../ui/after-paint.ts'
import { useWallet } from '../wallet/use-wallet.ts'

/** Sender if no wallet is connected. The service only simulates the swap, so the sender needs no funds. */
const DEFAULT_SENDER = '0x000000000000000000000000000000000000dEaD'

type State = { readonly busy: boolean; readonly error: unknown }

/** @param onRoute - receives the route, and its input amount in base units */
export function useExampleSwap(chainId: number, onRoute: (route: Route, amount: string) => Promise<void> | void) {
  const { data: tokens } = useTokens(chainId)
  const wallet = useWallet()
  const [state, setState] = useState<State>({ busy: false, error: null })
  const pair = tokens && deepestPair(tokens)
  return {
    /** True until a pair of tokens is known, and while a route is loading. */
    busy: state.busy || !pair,
    error: state.error,
    async fill() {
      if (!pair) return
      setState({ busy: true, error: null })
      await nextPaint()
      const { src, dst } = pair
      const from = wallet?.address ?? DEFAULT_SENDER
      const amount = String(10n ** BigInt(src.decimals))
      try {
        await onRoute(await sluice.getSwap(chainId, { src: src.address, dst: dst.address, amount, from }), amount)
        setState({ busy: false, error: null })
      } catch (error) {
        setState({ busy: false, error })
      }
    },
  }
}

/** Returns the two tokens with the most liquidity, except for the native token and copies of other tokens. */
function deepestPair(tokens: readonly PageToken[]): { readonly src: PageToken; readonly dst: PageToken } | undefined {
  const [src, dst] = tokens.filter(({ address, tags }) => !isNative(address) && !tags?.includes('copy'))
  return src && dst && { src, dst }
}
