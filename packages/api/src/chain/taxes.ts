import type { Address } from '@sluice/chains'
import type { Route, TaxLookup, TokenTax } from '@sluice/routing'
import type { BlockRef, Rpc } from '@sluice/rpc'
import { reportToken, type SimulationContext } from '@sluice/simulation'

type Learned = { readonly tax: TokenTax; readonly until: number }

/** A tax is measured again after this long when a route misses its settled output: owners change them. */
const TRUSTED_MS = 10 * 60_000

/** What tokens keep of their transfers, learned from routes that paid less than settled. */
export class TaxBook {
  private readonly learned = new Map<Address, Learned>()

  readonly lookup: TaxLookup = (token) => this.learned.get(token)?.tax

  /** Parts per million that the token keeps of a transfer between people. */
  transferPpm(token: Address): bigint {
    return BigInt(this.lookup(token, '')?.transferPpm ?? 0)
  }
}
