/** Explains why an unwrap of the wrapped native token failed. */
import { IERC20Supply__factory } from '@sluice/bindings'
import { type Address, NATIVE } from '@sluice/chains'
import type { RoutePlan } from '@sluice/routing'
import type { Rpc } from '@sluice/rpc'
import { QuotingError } from '../errors.ts'
import { readerAt } from '../permit/permit.ts'
import type { TaxRecords } from '../tokens/taxes.ts'
import type { ChainView } from '../view/view.ts'
import type { ResolvedRequest } from './request.ts'
import { maxAmountOutFor } from './search-amount.ts'

const supplyAbi = IERC20Supply__factory.createInterface()

type Source = {
  readonly rpc: Rpc
  readonly view: Pick<ChainView, 'snapshot'>
  readonly wrappedNative: Address | null
  readonly tokens: { readonly taxes: TaxRecords }
}

/**
 * Checks that a route without pools does not unwrap more than the total supply of the wrapped native token. Reads the
 * supply at the block of the view (the chain's state at one block), because most swaps of a chain change it.
 *
 * @throws QuotingError `INSUFFICIENT_LIQUIDITY` with the largest amount that can be unwrapped
 */
export async function assertUnwrappable(
  { legs, tokenOut, amountIn }: RoutePlan,
  request: ResolvedRequest,
  { rpc, view, wrappedNative, tokens }: Source,
  signal: AbortSignal,
): Promise<void> {
  if (legs.length > 0 || tokenOut !== NATIVE || wrappedNative === null) return
  const { block } = view.snapshot
  const reader = readerAt(rpc, { blockHash: block.hash }, { signal })
  const [supply] = ((await reader.read(supplyAbi, wrappedNative, 'totalSupply')) ?? []) as readonly (
    | bigint
    | undefined
  )[]
  if (supply === undefined || amountIn <= supply) return
  const max = request.amountOut === undefined ? supply : maxAmountOutFor(supply, request, tokens.taxes)
  throw new QuotingError(
    'INSUFFICIENT_LIQUIDITY',
    `only ${supply} of the native token are wrapped; ${max} can be routed`,
    {
      reasons: [],
      block: block.number,
      maxRoutableAmount: max.toString(),
    },
  )
}
