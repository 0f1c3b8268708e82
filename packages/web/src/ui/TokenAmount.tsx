/** A token amount with its symbol. */
import { sanitizeText } from '../format/sanitize-text.ts'
import type { PageToken } from '../service/tokens.ts'
import { Amount } from './Num.tsx'

type Props = { readonly base: bigint | string; readonly token: PageToken; readonly digits?: number }

/** Shows an amount with its symbol; in base units if the token's decimals are unknown. */
export function TokenAmount({ base, token: { symbol, decimals, tags }, digits = 7 }: Props) {
  const name = sanitizeText(symbol)
  if (tags?.includes('unknown'))
    return (
      <>
        {String(base)} <span className="unit">base units of {name}</span>
      </>
    )
  return (
    <>
      <Amount base={base} decimals={decimals} digits={digits} /> {name}
    </>
  )
}
