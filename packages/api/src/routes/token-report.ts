/** Handler of `/tokens`. */
import { type Address, NATIVE } from '@sluice/chains'
import { type TokenMeasurements, toPercent } from '@sluice/quoting'
import type { TokenReport } from '@sluice/simulation'
import type { Request } from 'express'
import type { RequestContext } from '../http/context.ts'
import { read, tokensQuery } from '../requests.ts'
import type { TokenReportResponse } from '../responses.ts'
import type { ServedChain } from '../served-chain.ts'
import { keyByTokenText } from './prices.ts'

/** Returns reports on taxes and restrictions of tokens, keyed by the token as it is spelled in the request. */
export async function tokens(request: Request, { liveChain }: ServedChain, context: RequestContext) {
  const { token } = read(tokensQuery, request.query)
  const addresses = [...new Set(token.values())].filter((address) => address !== NATIVE)
  const tokenGroups = addresses.map((address) => [address])
  const measuredTokens = await liveChain.views.retryOnReorg(tokenGroups, context.signal, ({ snapshot }) =>
    context.time('measure', () => Promise.all(addresses.map((address) => liveChain.tokens.report(address, snapshot)))),
  )
  const asksForCode = await Promise.all(
    addresses.map((address) =>
      liveChain.senderCodeChecks.mayCheckCode(address, liveChain.rpc, 'latest').catch(() => null),
    ),
  )
  const reportByAddress = new Map<Address, TokenReportResponse | null>(
    addresses.map((address, k) => [
      address,
      measuredTokens[k]
        ? {
            ...bodyOf(measuredTokens[k]),
            ...liveChain.tokens.trustTracker.standingOf(address),
            asksForCode: asksForCode[k] ?? null,
            walletsDiffer: liveChain.senderCodeChecks.dependsOnSenderCode(address),
          }
        : null,
    ]),
  )
  return keyByTokenText(token, (address) => reportByAddress.get(address) ?? null)
}

function bodyOf(
  measuredPools: TokenMeasurements,
): Omit<TokenReportResponse, 'standing' | 'reason' | 'asksForCode' | 'walletsDiffer'> {
  const { symbol, decimals, rebasing, needsApprovalReset, transferTaxPpm, surchargePpm } = measuredPools[0]!.report
  return {
    symbol,
    decimals,
    rebasing,
    needsApprovalReset,
    transferTax: percentOf(transferTaxPpm),
    surcharge: percentOf(surchargePpm),
    pools: measuredPools.flatMap(({ pool, report }) =>
      pool ? [{ pool: pool.id, protocol: pool.family, dex: pool.dex, ...taxFieldsOf(report) }] : [],
    ),
  }
}

function taxFieldsOf({ buyTaxPpm, sellTaxPpm, sellable, sizeLimited }: TokenReport) {
  return { buyTax: percentOf(buyTaxPpm), sellTax: percentOf(sellTaxPpm), sellable, sizeLimited }
}

function percentOf(ppm: number | null): number | null {
  return ppm === null ? null : toPercent(BigInt(ppm))
}
