import type { Address } from '@sluice/chains'
import type { Route, TaxLookup, TokenTax } from '@sluice/routing'
import type { ChainView } from './view.ts'

/** What tokens keep of their transfers, learned from routes that paid less than settled. */
export class TaxBook {
  private readonly learned = new Map<Address, TokenTax>()

  readonly lookup: TaxLookup = (token) => this.learned.get(token)

  /** Parts per million that the token keeps of a transfer between people. */
  transferPpm(token: Address): bigint {
    return BigInt(this.lookup(token, '')?.transferPpm ?? 0)
  }

  async learn(_tokens: ReadonlySet<Address>, _route: Route, _view: ChainView, _signal: AbortSignal): Promise<boolean> {
    return false
  }
}
