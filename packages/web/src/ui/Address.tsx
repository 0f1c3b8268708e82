/** A shortened address. */
import { brief } from '../format/number.ts'

/** Shows the first six and last four characters. The title has the full address. */
export function Address({ of }: { readonly of: string }) {
  return (
    <span className="addr" title={of}>
      {brief(of)}
    </span>
  )
}
