import { brief } from '../format/number.ts'

/** Six and four digits; the whole in the title and for whoever copies it. */
export function Address({ of }: { readonly of: string }) {
  return (
    <span className="addr" title={of}>
      {brief(of)}
    </span>
  )
}
