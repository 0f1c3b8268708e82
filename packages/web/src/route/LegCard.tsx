/** The tooltip of a leg, which is a swap in one pool of the route. */
import type { SwapLeg } from '@sluice/client'
import { rateText } from '../format/amount.ts'
import type { TokenOf } from '../service/tokens.ts'
import { Address } from '../ui/Address.tsx'
import { Amount, Count, Decimal, Percent } from '../ui/Num.tsx'
import { FamilyMark } from './FamilyMark.tsx'

type Props = {
  readonly leg: SwapLeg
  readonly tokenOf: TokenOf
  readonly position: { readonly left: number; readonly top: number }
}

/** Shows the details of a leg next to its mark in the diagram. Screen readers find the same details in `LegTable`. */
export function LegCard({ leg, tokenOf, position }: Props) {
  const soldToken = tokenOf(leg.tokenIn)
  const boughtToken = tokenOf(leg.tokenOut)
  return (
    <div className="tip" style={position} aria-hidden="true">
      <h3>
        <FamilyMark family={leg.protocol} />
        {leg.dex}
      </h3>
      <span className="addr">
        {leg.protocol} · <Address address={leg.pool} />
      </span>
      <dl>
        <dt>In</dt>
        <dd>
          <Amount base={leg.amountIn} decimals={soldToken.decimals} digits={9} /> {soldToken.symbol}
        </dd>
        <dt>Out</dt>
        <dd>
          <Amount base={leg.amountOut} decimals={boughtToken.decimals} digits={9} /> {boughtToken.symbol}
        </dd>
        <dt>Share of {soldToken.symbol}</dt>
        <dd>
          <Percent value={leg.share} />
        </dd>
        <dt>Price</dt>
        <dd>
          <Decimal text={legRate(leg, tokenOf)} maxDecimals={5} /> {boughtToken.symbol}
        </dd>
        <dt>Gas</dt>
        <dd>
          <Count value={leg.gas} />
        </dd>
      </dl>
    </div>
  )
}

/** Returns whole output tokens per whole input token, after fees and transfer taxes. */
export function legRate(leg: SwapLeg, tokenOf: TokenOf): string {
  return rateText(
    { amount: BigInt(leg.amountIn), decimals: tokenOf(leg.tokenIn).decimals },
    { amount: BigInt(leg.amountOut), decimals: tokenOf(leg.tokenOut).decimals },
  )
}
