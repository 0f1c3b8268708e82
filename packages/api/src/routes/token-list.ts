/** Handler of `/tokenlist`. */
import type { Catalog, TokenListEntry } from '@sluice/quoting'
import { getAddress } from 'ethers'
import type { Request } from 'express'
import type { RequestContext } from '../http/context.ts'
import { read, tokenListQuery } from '../requests.ts'
import type { TokenListResponse } from '../responses.ts'
import type { ServedChain } from '../served-chain.ts'

/** Returns the tokens of the chain in the format of Uniswap's token lists. */
export async function tokenList(
  request: Request,
  { liveChain, chain }: ServedChain,
  context: RequestContext,
): Promise<TokenListResponse> {
  const { q, limit } = read(tokenListQuery, request.query)
  const catalog = await context.time('tokens', () => liveChain.listTokens(q || undefined))
  return {
    ...listHeader(chain.chainId, catalog),
    tokens: catalog.tokens.slice(0, limit).map((token) => listEntry(chain.chainId, token)),
  }
}

const tags = {
  native: { name: 'Native', description: 'The native token of the chain.' },
  registry: { name: 'Registry', description: 'Listed in the file of the chain.' },
  found: { name: 'Found', description: 'Found in pools with real liquidity. Not verified by anyone.' },
  unlisted: { name: 'Unlisted', description: 'In no list: requested by its address. Not verified by anyone.' },
  copy: { name: 'Copy', description: 'Has the same symbol as another token, or one that looks like it.' },
}

function listHeader(chainId: number, { madeAt, block }: Catalog): Omit<TokenListResponse, 'tokens'> {
  return {
    name: `Sluice ${chainId}`,
    timestamp: new Date(madeAt).toISOString(),
    version: { major: 1, minor: 0, patch: block },
    tags,
  }
}

function listEntry(chainId: number, token: TokenListEntry): TokenListResponse['tokens'][number] {
  const { address, name, symbol, decimals, depthUsd, origin, copyOf } = token
  return {
    chainId,
    // With its checksum, the native address is spelled as in the docs.
    address: getAddress(address),
    name,
    symbol,
    decimals,
    tags: copyOf ? [origin, 'copy'] : [origin],
    extensions: { depthUsd, ...(copyOf && { copyOf: getAddress(copyOf) }) },
  }
}
