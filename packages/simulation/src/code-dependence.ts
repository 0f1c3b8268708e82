/** Detects code that may depend on the code of other accounts. */
import type { Hex } from '@sluice/chains'

const PUSH1 = 0x60
const PUSH32 = 0x7f
/** EXTCODESIZE, EXTCODECOPY, and EXTCODEHASH. */
const CODE_READS: ReadonlySet<number> = new Set([0x3b, 0x3c, 0x3f])
/** CALL, CALLCODE, DELEGATECALL, and STATICCALL: the callee may read code. */
const CALLS: ReadonlySet<number> = new Set([0xf1, 0xf2, 0xf4, 0xfa])

/**
 * True if the code may depend on the code of other accounts: it reads external code, or calls other contracts. A proxy
 * calls its implementation, for example. The result can be a false positive, because data may look like opcodes.
 */
export function mayDependOnOtherCode(code: Hex): boolean {
  const bytes = Buffer.from(code.slice(2), 'hex')
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!
    if (CODE_READS.has(byte) || CALLS.has(byte)) return true
    if (byte >= PUSH1 && byte <= PUSH32) i += byte - PUSH1 + 1
  }
  return false
}
