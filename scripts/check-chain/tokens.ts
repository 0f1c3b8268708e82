/** Checks the tokens of a chain. */
import type { ChainFile, Token } from '@sluice/chains'
import { type Check, type Finding, fail, missing, pass, type Subject } from './finding.ts'
import { readDecimals } from './read.ts'

/**
 * Checks the decimals of the chain's anchors (stablecoins, from which USD prices are derived) and of its major tokens.
 */
export const checkTokens: Check = async (subject) => {
  const { stables, tokens } = subject.chain
  const findings = await Promise.all([
    ...stables.map((token) => checkToken(subject, 'anchor', token)),
    ...tokens.map((token) => checkToken(subject, 'token', token)),
  ])
  return stables.length > 0 ? findings : [fail('anchors', 'none: the chain has no USD prices'), ...findings]
}

async function checkToken(subject: Subject, kind: string, { address, symbol, decimals }: Token): Promise<Finding> {
  const check = `${kind} ${symbol}`
  const decimalsOnChain = await readDecimals(subject, address)
  if (decimalsOnChain === null) return fail(check, `${address} is no token: it does not report its decimals`)
  if (decimalsOnChain === decimals) return pass(check, `${decimals} decimals`)
  // Has no fix: an uninitialized proxy or a node with incomplete state also returns 0.
  if (decimalsOnChain === 0) return fail(check, `${address} reports 0 decimals, recorded as ${decimals}`)
  const fix = (file: ChainFile) => {
    for (const token of [...file.stables, ...file.tokens])
      if (token.address.toLowerCase() === address) token.decimals = decimalsOnChain
  }
  return decimals === null
    ? missing(check, `${address} has ${decimalsOnChain} decimals, not recorded`, fix)
    : fail(check, `${address} has ${decimalsOnChain} decimals, recorded as ${decimals}`, fix)
}
