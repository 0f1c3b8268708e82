/** An order with its quote, and with what becomes of it when it is signed. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { plain } from '../format/amount.ts'
import { type Token, type TokenOf, useNamed } from '../service/tokens.ts'
import { isAboutSize, refusalOf } from '../service/words.ts'
import { useSetting } from '../ui/setting.ts'
import { useBalance, useWallet } from '../wallet/use-wallet.ts'
import { type Signing, useSigning } from './signing.ts'
import type { Side } from './Ticket.tsx'
import { useLargest } from './use-largest.ts'
import { type Order, useOrder } from './use-order.ts'
import { isRefusal, type Live, type Quote, sameToken, useQuote } from './use-quote.ts'

export type Swap = {
  readonly order: Order
  readonly live: Live
  /** Quote on the screen: the one that is signed, else the newest. */
  readonly quote: Quote | undefined
  readonly tokenOf: TokenOf
  readonly balance: bigint | undefined
  /** Base units of the input; 0 while they are not known. */
  readonly paying: bigint
  /** True where the wallet has less of it than is to be paid. */
  readonly short: boolean
  /** True where the service says that there is no route. */
  readonly refused: boolean
  /** True where asking failed in another way. */
  readonly failed: boolean
  /** The largest amount that routes, where this one does not: undefined while it is looked for, 0 where none does. */
  readonly most: bigint | undefined
  readonly signing: Signing | undefined
  /** True if the output goes to an account that only the link named so far: nothing is signed before its owner accepts it. */
  readonly isRecipientNew: boolean
  readonly act: {
    readonly amount: (text: string, replace?: boolean) => void
    readonly flip: () => void
    /** Which amount is exact; what is on the screen stays as near as it can. */
    readonly exact: (end: 'in' | 'out') => void
    readonly choose: (side: Side, token: Token) => void
    readonly raise: () => void
    /** Names the account that receives the output; undefined for the wallet. */
    readonly recipient: (address: string | undefined) => void
    readonly sign: () => void
    /** Back to the order. */
    readonly leave: () => void
  }
}

export function useSwap(): Swap {
  const order = useOrder()
  const { chain, src, dst, asked, change, text, typed, exact } = order
  const { local } = useSetting()
  const wallet = useWallet()
  const queries = useQueryClient()
  const signing = useSigning()
  const [accepted, setAccepted] = useState<string>()
  const live = useQuote(asked, signing.state !== undefined)
  const balance = useBalance(chain.id, src?.address)
  const quote = signing.state?.route ?? live.quote
  const paying = exact === 'out' ? BigInt(quote?.fromAmount ?? 0) : typed?.kind === 'amount' ? typed.base : 0n
  const named = useNamed(chain.id, quote?.swaps.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]) ?? [])
  const open = signing.state === undefined
  const refused = open && isRefusal(live.error)
  const told = refused ? refusalOf(live.error)?.maxRoutableAmount : undefined
  const searched = refused && told === undefined && isAboutSize(live.error)
  const largest = useLargest(asked, searched)
  const found = largest.data === undefined ? undefined : BigInt(largest.data)
  return {
    ...{ order, live, quote, tokenOf: named.of, balance, paying, refused, signing: signing.state },
    short: balance !== undefined && paying > balance,
    failed: open && live.error !== undefined && !refused,
    isRecipientNew: order.recipient !== undefined && order.recipient !== accepted,
    most: told ?? (searched ? found : 0n),
    act: {
      amount: (amount, replace) => change({ amount }, replace),
      raise: () => change({ impact: '100' }),
      recipient(address) {
        setAccepted(address)
        change({ recipient: address }, true)
      },
      // What would be received is what is paid now: the same trade the other way round.
      flip() {
        if (!src || !dst) return
        const amount = quote ? plain(quote.toAmount, dst.decimals) : text
        change({ src: dst.address, dst: src.address, amount, exact: undefined })
      },
      exact(end) {
        const amount =
          quote && src && dst
            ? end === 'in'
              ? plain(quote.fromAmount, src.decimals)
              : plain(quote.minToAmount ?? quote.toAmount, dst.decimals)
            : text
        change({ amount, exact: end === 'out' ? 'out' : undefined })
      },
      choose(side, token) {
        const [mine, other] = side === 'pay' ? (['src', 'dst'] as const) : (['dst', 'src'] as const)
        const before = { src: src?.address, dst: dst?.address }
        // The other side's own token: the two change places.
        const swapped = sameToken(token.address, before[other]) ? before[mine] : before[other]
        change({ [mine]: token.address, ...(swapped && { [other]: swapped }) })
      },
      sign() {
        if (!asked || !live.quote || !wallet) return
        const { chainId, from: _, amountOut: __, ...rest } = asked
        const contracts = chainId === local?.chainId ? local.contracts : undefined
        // An exact output is signed as the input that the quote found for it.
        const order = { ...rest, amount: live.quote.fromAmount }
        const terms = { chainId, asked: order, shown: live.quote, contracts, direct: isDirect(live.quote) }
        void signing.start(terms, wallet)
      },
      leave() {
        signing.cancel()
        void queries.invalidateQueries({ queryKey: ['balance'] })
        live.again()
      },
    },
  }
}

/** True where the Executor pays the recipient itself, as output tokens that take a tax need. swapDirect(…) and its like with a permit. */
export function isDirect({ tx }: Pick<Quote, 'tx'>): boolean {
  return tx !== undefined && /^0x(e956b9b0|c74a41f4)/.test(tx.data)
}
