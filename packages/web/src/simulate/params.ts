/** URL parameters of the Simulate page. The calldata follows the `#`, since it may be long. */
import { parseChainId } from '../swap/params.ts'

export const fields = ['from', 'to', 'tokenIn', 'amountIn', 'tokenOut', 'block', 'gas', 'gasPrice', 'spender'] as const
export type FieldName = (typeof fields)[number]
export type SimulateParams = { readonly chain?: number } & { readonly [Name in FieldName]?: string }

/** Maximum length of a parameter. */
const MAX_LENGTH = 100

export function readSimulateParams(search: Readonly<Record<string, unknown>>): SimulateParams {
  const chain = parseChainId(search.chain)
  const presentFields = fields.flatMap((name) => {
    const value = search[name]
    // The router converts a value to a number only if `String` restores the same text.
    const text = typeof value === 'number' ? String(value) : value
    return typeof text === 'string' && text !== '' && text.length <= MAX_LENGTH ? [[name, text] as const] : []
  })
  return { ...(chain !== undefined && { chain }), ...Object.fromEntries(presentFields) }
}
