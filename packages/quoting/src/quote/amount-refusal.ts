/** Refusals that are about the amount: a trade that fails at one size and routes at another does not lack a path. */
import type { ExactOutputRequest, RouteRequest, RouteResult } from '@sluice/routing'

type Sought = RouteRequest | ExactOutputRequest
type Searched = (request: Sought) => Promise<RouteResult>

/** Steps between sizes that are tried: six of them reach from a base unit to many whole tokens of any decimals. */
const STEP = 1_000_000n
const MAX_STEPS = 6
/** Searches by which the size is then narrowed down: to within a tenth of it. */
const MAX_NARROWING = 6
/** No token has more base units. */
const AMOUNT_LIMIT = 1n << 128n

export type AmountRefusal =
  /** About the least that routes, base units. */
  | { readonly kind: 'too small'; readonly min: bigint }
  /** About the most that routes, base units: of the input, or of the output where that is what was asked for. */
  | { readonly kind: 'too large'; readonly max: bigint }

/** Undefined where no size routes that was tried. */
export async function amountRefusal(sought: Sought, search: Searched): Promise<AmountRefusal | undefined> {
  const isInput = 'amountIn' in sought
  const amount = isInput ? sought.amountIn : sought.amountOut
  const routes = async (size: bigint) => {
    const { mostRivals: _, ...terms } = sought as RouteRequest
    const result = await search(isInput ? { ...terms, amountIn: size } : ({ ...terms, amountOut: size } as Sought))
    return result.ok
  }
  for (let k = 1, factor = STEP; k <= MAX_STEPS; k++, factor *= STEP) {
    const [more, less] = [amount * factor, amount / factor]
    if (isInput && more < AMOUNT_LIMIT && (await routes(more)))
      return { kind: 'too small', min: await narrowed(amount, more, routes) }
    if (less > 0n && (await routes(less))) return { kind: 'too large', max: await narrowed(amount, less, routes) }
  }
  return undefined
}

/** A size that routes, near one that does not: the middle of both by their logarithms, again and again. */
async function narrowed(failing: bigint, routing: bigint, routes: (size: bigint) => Promise<boolean>): Promise<bigint> {
  let [bad, good] = [failing, routing]
  for (let k = 0; k < MAX_NARROWING; k++) {
    const middle = BigInt(Math.round(Math.sqrt(Number(bad)) * Math.sqrt(Number(good))))
    if (middle === bad || middle === good) break
    if (await routes(middle)) good = middle
    else bad = middle
  }
  return good
}
