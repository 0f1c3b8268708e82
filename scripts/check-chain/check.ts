/** Runs all checks of one chain. */
import type { Chain, Deployment } from '@sluice/chains'
import { createRpc, RpcError } from '@sluice/rpc'
import { checkContracts } from './contracts.ts'
import { checkDexes } from './dexes.ts'
import { checkEndpoints } from './endpoints.ts'
import { checkEvm, supportsCodeOverrides } from './evm.ts'
import { checkFees } from './fees.ts'
import { type Check, type Finding, unknown } from './finding.ts'
import { checkHead } from './head.ts'
import { checkNative } from './native.ts'
import { checkTokens } from './tokens.ts'

/** Timeout per call. Public endpoints can be slow. */
const TIMEOUT_MS = 15_000

/**
 * Compares a chain's file with the chain itself.
 *
 * @param urls - endpoints to call
 */
export async function checkChain(
  chain: Chain,
  deployment: Deployment | undefined,
  urls: readonly string[],
): Promise<readonly Finding[]> {
  const { findings, aliveUrls } = await checkEndpoints(chain, urls)
  if (aliveUrls.length === 0) return findings
  const rpc = createRpc({ chainId: chain.chainId, urls: aliveUrls, timeoutMs: TIMEOUT_MS })
  try {
    const block = Number(await rpc.request<string>('eth_blockNumber', []))
    const subject = { chain, rpc, block, supportsOverrides: await supportsCodeOverrides(rpc, block) }
    const checks: Record<string, Check> = {
      head: checkHead,
      EVM: checkEvm,
      native: checkNative,
      tokens: checkTokens,
      DEXes: checkDexes,
      fees: checkFees,
      contracts: checkContracts(deployment),
    }
    const results = await Promise.all(
      Object.entries(checks).map(([name, check]) =>
        check(subject).catch((error: unknown) => [failedFinding(name, error)]),
      ),
    )
    return [...findings, ...results.flat()]
  } catch (error) {
    return [...findings, failedFinding('head', error)]
  } finally {
    rpc.close()
  }
}

/**
 * Returns a finding of status `unknown` for an RPC error, because a failing node does not prove that the file is wrong.
 * Throws other errors.
 */
function failedFinding(check: string, error: unknown): Finding {
  if (!(error instanceof RpcError)) throw error
  return unknown(check, `${error.code}: ${error.message}`)
}
