import type { TokenOf } from '../service/tokens.ts'
import { Notice } from '../ui/Notice.tsx'
import type { Quote } from './use-quote.ts'

type Props = { readonly quote: Quote; readonly tokenOf: TokenOf; readonly direct: boolean }

/** Addresses in the service's words become the names that the page uses. */
const ADDRESS = /0x[0-9a-fA-F]{40}/g

export function Warnings({ quote, tokenOf, direct }: Props) {
  return (
    <>
      {quote.warnings?.map((text) => {
        const named = text.replace(ADDRESS, (address) => tokenOf(address).symbol)
        return <Notice key={text} kind="warn" title={`${named.charAt(0).toUpperCase()}${named.slice(1)}.`} />
      })}
      {direct && (
        <Notice kind="warn" title="Paid out by the Executor.">
          This token takes a part of every transfer, so it goes straight to you; the Guard checks what your balance grew
          by.
        </Notice>
      )}
    </>
  )
}
