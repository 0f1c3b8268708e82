/** A shortened address. */
import { shorten } from '../format/number.ts'

/** Shows the first six and last four characters. The title has the full address. */
export function Address({ address }: { readonly address: string }) {
  return (
    <span className="addr" title={address}>
      {shorten(address)}
    </span>
  )
}
