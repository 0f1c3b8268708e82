/** Handler of `/tokens`. */
import { type Address, NATIVE } from '@sluice/chains'
import { type MeasuredToken, toPercent } from '@sluice/quoting'
import type { TokenReport } from '@sluice/simulation'
import type { Request } from 'express'
import type { RequestContext } from '../http/context.ts'
import { read, tokensQuery } from '../requests.ts'
import type { TokenReportResponse } from '../responses.ts'
import type { ServedChain } from '../served-chain.ts'
import { byTokenText } from './prices.ts'

/** Returns reports on taxes and restrictions of tokens, by token as sent. */
export async function tokens(request: Request, { liveChain }: ServedChain, context: RequestContext) {
  const { token } = read(tokensQuery, request.query)
  const addresses = [...new Set(token.values())].filter((address) => address !== NATIVE)
  const groups = addresses.map((address) => [address])
  const measuredToken = await liveChain.views.retryOnReorg(groups, context.signal, ({ snapshot }) =>
    context.time('measure', () => Promise.all(addresses.map((address) => liveChain.tokens.report(address, snapshot)))),
  )
  const pendingReports = await Promise.all(
    addresses.map((address) => liveChain.walletChecks.mayAsk(address, liveChain.rpc, 'latest').catch(() => null)),
  )
  const byAddress = new Map<Address, TokenReportResponse | null>(
    addresses.map((address, k) => [
      address,
      measuredToken[k]
        ? {
            ...bodyOf(measuredToken[k]),
            ...liveChain.tokens.trustTracker.standingOf(address),
            asksForCode: pendingReports[k] ?? null,
            walletsDiffer: liveChain.walletChecks.dependsOnSenderCode(address),
          }
        : null,
    ]),
  )
  return byTokenText(token, (address) => byAddress.get(address) ?? null)
}

function bodyOf(
  measuredToken: MeasuredToken,
): Omit<TokenReportResponse, 'standing' | 'reason' | 'asksForCode' | 'walletsDiffer'> {
  const { symbol, decimals, rebasing, needsApprovalReset, transferTaxPpm, surchargePpm } = measuredToken[0]!.report
  return {
    symbol,
    decimals,
    rebasing,
    needsApprovalReset,
    transferTax: percentOf(transferTaxPpm),
    surcharge: percentOf(surchargePpm),
    pools: measuredToken.flatMap(({ pool, report }) =>
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
