/** Checks the opcodes that a chain supports. */
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { type Rpc, RpcError } from '@sluice/rpc'
import { type Check, type Finding, fail, missing, pass, unknown } from './finding.ts'

/** Unused address. Calls override its code with a snippet. */
const PROBE = toAddress('0x00000000000000000000000000000000536C7563')

/** Code that uses an opcode and returns one word: 1 if the opcode works. `push1` tests code overrides themselves. */
const SNIPPETS = {
  push1: '0x600160005260206000f3',
  push0: '0x60015f5260205ff3',
  transientStorage: '0x600160005d60005c60005260206000f3',
  mcopy: '0x60016000526020600060205e60206020f3',
} as const

/**
 * Runs the code in an eth_call. Returns true if the code returns 1; false if it returns another value or the call
 * fails.
 */
async function returnsOne(rpc: Rpc, block: number, code: string): Promise<boolean> {
  try {
    const overrides = { [PROBE]: { code: code as Hex } } as Record<Address, { code: Hex }>
    const answer = await rpc.call({ to: PROBE, data: '0x' }, block, { overrides })
    return answer !== '0x' && BigInt(answer) === 1n
  } catch (error) {
    if (error instanceof RpcError && !error.isTransient) return false
    throw error
  }
}

/** Returns true if the node supports code overrides in calls. Simulations and lenses need them. */
export const supportsCodeOverrides = (rpc: Rpc, block: number) => returnsOne(rpc, block, SNIPPETS.push1)

export const checkEvm: Check = async ({ chain, rpc, block, supportsOverrides }) => {
  if (!supportsOverrides)
    return [
      fail('state overrides', 'the node ignores or refuses code overrides: quotes cannot be simulated through it'),
      unknown('EVM features', 'cannot be tested without overrides'),
    ]
  const flags = ['push0', 'transientStorage', 'mcopy'] as const
  const findings = await Promise.all(
    flags.map(async (flag): Promise<Finding> => {
      const isSupported = await returnsOne(rpc, block, SNIPPETS[flag])
      const recordedFlag = chain.evm[flag]
      const fix: Finding['fix'] = (file) => {
        file.evm[flag] = isSupported
      }
      if (recordedFlag === isSupported) return pass(flag, isSupported ? 'yes' : 'no')
      if (recordedFlag === undefined)
        return missing(flag, `${isSupported ? 'works' : 'does not work'}, not recorded`, fix)
      return fail(flag, `recorded as ${recordedFlag}, but it ${isSupported ? 'works' : 'does not work'}`, fix)
    }),
  )
  return [pass('state overrides', 'code overrides work'), ...findings]
}
