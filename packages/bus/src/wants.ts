/** Wants of workers, for an owner to find or to look at: texts of a stream. */
import type { Address } from '@sluice/chains'
import type { Connection } from './connection.ts'
import type { ChainKeys } from './keys.ts'

/** Length of the stream: what nobody has taken up by then is asked for again by who still waits. */
const MOST = 1_000
/** Tokens of one want: more than any request names. */
const MOST_TOKENS = 2_000

export type Want = {
  /** Tokens whose pools with one another and with the intermediates are waited for. */
  readonly groups?: readonly (readonly Address[])[]
  /** Tokens that are looked for with the hubs, in the background. */
  readonly tokens?: readonly Address[]
  /** A block that a node has already told of. */
  readonly block?: number
}

export async function putWant(connection: Connection, { wants }: ChainKeys, want: Want): Promise<void> {
  await connection.call('XADD', wants, 'MAXLEN', '~', MOST, '*', 'want', JSON.stringify(want))
}

/** Null for what is no want of this version. */
export function readWant(text: string | undefined): Want | null {
  try {
    const want = JSON.parse(text ?? '') as Want
    const tokens = [...(want.groups?.flat() ?? []), ...(want.tokens ?? [])]
    const areTokens = tokens.every((token) => typeof token === 'string' && /^0x[0-9a-f]{40}$/.test(token))
    return areTokens && tokens.length <= MOST_TOKENS ? want : null
  } catch {
    return null
  }
}
