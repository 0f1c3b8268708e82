import { type Address, NATIVE } from '@sluice/chains'
import type { TokenReport } from '@sluice/simulation'
import type { Request } from 'express'
import type { ChainService } from '../chain/chain-service.ts'
import type { MeasuredToken } from '../chain/token-reports.ts'
import type { RequestContext } from '../http/context.ts'
import { read, tokensQuery } from '../requests.ts'
import type { TokenReportResponse } from '../responses.ts'
import { toPercent } from '../swap/amounts.ts'
import { keyed } from './tokens.ts'

/** What tokens do to those who trade them, by token as sent. */
export async function tokens(request: Request, chain: ChainService, context: RequestContext) {
  const { token } = read(tokensQuery, request.query)
  const addresses = [...new Set(token.values())].filter((address) => address !== NATIVE)
  const groups = addresses.map((address) => [address])
  const measured = await chain.views.standing(groups, context.signal, ({ snapshot }) => {
    // Shared by everyone who asks for the token within the minute, so it does not end with the one who asked first.
    const { signal } = new AbortController()
    const source = { rpc: chain.rpc, simulation: chain.simulation, block: { blockHash: snapshot.block.hash }, signal }
    const measure = (address: Address) =>
      chain.tokens.isToken(address) === false ? null : chain.tokenReports.of(address, snapshot, source)
    return context.time('measure', () => Promise.all(addresses.map(measure)))
  })
  const byAddress = new Map<Address, TokenReportResponse | null>(
    addresses.map((address, k) => [
      address,
      measured[k] ? { ...bodyOf(measured[k]), ...chain.standings.of(address) } : null,
    ]),
  )
  return keyed(token, (address) => byAddress.get(address) ?? null)
}

function bodyOf(measured: MeasuredToken): Omit<TokenReportResponse, 'standing' | 'reason'> {
  const { symbol, decimals, rebasing, needsApprovalReset, transferTaxPpm, surchargePpm } = measured[0]!.report
  return {
    symbol,
    decimals,
    rebasing,
    needsApprovalReset,
    transferTax: percentOf(transferTaxPpm),
    surcharge: percentOf(surchargePpm),
    pools: measured.flatMap(({ pool, report }) =>
      pool ? [{ pool: pool.id, protocol: pool.family, dex: pool.dex, ...tradesOf(report) }] : [],
    ),
  }
}

function tradesOf({ buyTaxPpm, sellTaxPpm, sellable, sizeLimited }: TokenReport) {
  return { buyTax: percentOf(buyTaxPpm), sellTax: percentOf(sellTaxPpm), sellable, sizeLimited }
}

function percentOf(ppm: number | null): number | null {
  return ppm === null ? null : toPercent(BigInt(ppm))
}
