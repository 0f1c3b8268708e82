/** Handler of `/referee`. */
import type { Hex } from '@sluice/chains'
import type { Request } from 'express'
import type { RequestContext } from '../http/context.ts'
import { type RefereeResponse, verdictResponse } from '../referee-response.ts'
import { readHash } from '../requests.ts'
import type { ServedChain } from '../served-chain.ts'

/** Returns the verdict on a mined swap, whichever router executed it. */
export async function referee(
  request: Request,
  { chain, liveChain }: ServedChain,
  context: RequestContext,
): Promise<RefereeResponse> {
  const hash = readHash(request.params.hash as string | undefined)
  return verdictResponse(await liveChain.judge(hash as Hex, context), chain)
}
