import type { Hex } from '@sluice/chains'

const PUSH1 = 0x60
const PUSH32 = 0x7f
/** EXTCODESIZE, EXTCODECOPY, EXTCODEHASH. */
const ASKING: ReadonlySet<number> = new Set([0x3b, 0x3c, 0x3f])
/** CALL, CALLCODE, DELEGATECALL, STATICCALL: what is called may ask. */
const CALLING: ReadonlySet<number> = new Set([0xf1, 0xf2, 0xf4, 0xfa])

/**
 * True for code that may act by the code of the accounts it deals with: it has an instruction that asks for it, or calls other
 * contracts, a proxy's implementation among them. Data behind the code may be taken for instructions, which errs on the safe side.
 */
export function mayAskForCode(code: Hex): boolean {
  const bytes = Buffer.from(code.slice(2), 'hex')
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!
    if (ASKING.has(byte) || CALLING.has(byte)) return true
    if (byte >= PUSH1 && byte <= PUSH32) i += byte - PUSH1 + 1
  }
  return false
}
