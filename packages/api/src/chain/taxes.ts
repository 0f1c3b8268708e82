import type { Address } from '@sluice/chains'
import { familyOf, type Pool, type Snapshot } from '@sluice/liquidity'
import type { TaxLookup, TokenTax } from '@sluice/routing'
import type { Rpc } from '@sluice/rpc'
import { reportToken, type SimulationContext, SimulationError, type TokenReport } from '@sluice/simulation'

/** A token is measured again no sooner than this: owners change taxes, but not with every quote. */
const REMEASURE_MS = 60_000
/** Parts of a pool's reserve that are traded to measure: small enough to clear limits, large enough for whole ppm. */
const SMALL_PART = 100_000n
const LARGE_PART = 1_000n
/** Base units of a token that no pool of the needed kind trades. */
const BLIND_SIZE = 1_000_000n

export type TaxSource = {
  readonly rpc: Rpc
  readonly simulation: SimulationContext
  readonly snapshot: Snapshot
  readonly signal: AbortSignal
}

/** What tokens keep of their transfers, measured when a route paid less than settled. */
export class TaxBook {
  private readonly taxes = new Map<Address, TokenTax>()
  private readonly measuredAt = new Map<Address, number>()

  readonly lookup: TaxLookup = (token) => this.taxes.get(token)

  /** Parts per million that the token keeps of a transfer between people. */
  transferPpm(token: Address): bigint {
    return BigInt(this.taxes.get(token)?.transferPpm ?? 0)
  }

  /**
   * Measures tokens that have not been measured lately.
   *
   * @returns whether a tax turned out to be another than recorded
   * @throws RpcError when the node failed
   */
  async learn(tokens: Iterable<Address>, source: TaxSource): Promise<boolean> {
    const now = Date.now()
    const due = [...tokens].filter((token) => now - (this.measuredAt.get(token) ?? 0) > REMEASURE_MS)
    const changed = await Promise.all(due.map((token) => this.measure(token, source)))
    return changed.includes(true)
  }

  private async measure(token: Address, { rpc, simulation, snapshot, signal }: TaxSource): Promise<boolean> {
    const block = { blockHash: snapshot.block.hash }
    const report = await reportToken(rpc, { token, block, signal, ...placeToTrade(token, snapshot) }, simulation).catch(
      (error: unknown) => {
        // A token that cannot be measured keeps what is recorded of it; its pools are dropped instead.
        if (error instanceof SimulationError) return null
        throw error
      },
    )
    this.measuredAt.set(token, Date.now())
    if (!report) return false
    const known = this.taxes.get(token) ?? { buyPpm: 0, sellPpm: 0, transferPpm: 0 }
    const tax = taxOf(report, known)
    if (tax.buyPpm + tax.sellPpm + tax.transferPpm === 0) this.taxes.delete(token)
    else this.taxes.set(token, tax)
    return tax.buyPpm !== known.buyPpm || tax.sellPpm !== known.sellPpm || tax.transferPpm !== known.transferPpm
  }
}

/** Directions that could not be measured are taken to cost what a plain transfer does. */
function taxOf({ buyTaxPpm, sellTaxPpm, transferTaxPpm }: TokenReport, known: TokenTax): TokenTax {
  const transferPpm = transferTaxPpm ?? known.transferPpm
  return { transferPpm, buyPpm: buyTaxPpm ?? transferPpm, sellPpm: sellTaxPpm ?? transferPpm }
}

/** The uniswap-v2 pool that holds most of the token, with a small and a large part of its other side. */
function placeToTrade(token: Address, snapshot: Snapshot) {
  let best: { readonly pool: Pool; readonly held: bigint; readonly other: number } | undefined
  for (const pool of snapshot.pools.values()) {
    const index = pool.family === 'uniswap-v2' ? pool.tokens.indexOf(token) : -1
    if (index < 0) continue
    const held = familyOf(pool.family)!.reserves(pool)[index]!
    if (!best || held > best.held) best = { pool, held, other: 1 - index }
  }
  if (!best) return { sizes: [BLIND_SIZE] }
  const reserve = familyOf(best.pool.family)!.reserves(best.pool)[best.other]!
  return {
    pool: { pair: best.pool.address, base: best.pool.tokens[best.other]! },
    sizes: [reserve / SMALL_PART + 1n, reserve / LARGE_PART + 1n],
  }
}
