/** Finds out once per token where balances and allowances lie, and remembers it. */
import type { Address, Hex } from '@sluice/chains'
import { keccak256 } from 'ethers'
import { Bounded, type StateCount } from '../bounded.ts'
import type { BalanceLayout } from './amount.ts'
import { givenMappings } from './candidates.ts'
import { type Found, findMappings, findUsualMappings } from './find.ts'
import type { Mapping } from './mapping.ts'
import type { TokenReader } from './reader.ts'
import { readTrail, searchMappings } from './search.ts'
import { readShape } from './shape.ts'

/** Either part is absent where it cannot be found. */
export type TokenLayout = { readonly balance?: BalanceLayout; readonly allowance?: Mapping }

const MAX_REMEMBERED = 10_000
/** The search takes several round trips, and contracts behind proxies are seldom replaced. */
const INCOMPLETE_MS = 600_000

/** Storage layouts of one chain's tokens. Clones of a token share what was learned of their code; what is wrong for one of them is told at use. */
export class SlotResolver {
  /** Told of each token whose layout was found. */
  onFound: (token: Address, layout: TokenLayout) => void = () => {}
  private readonly byToken = new Bounded<Address, Promise<TokenLayout>>(MAX_REMEMBERED)
  /** Layouts of which a part was not found: looked for again after a while. */
  private readonly incomplete = new Bounded<Address, Promise<TokenLayout>>(MAX_REMEMBERED, { ttl: INCOMPLETE_MS })
  private readonly byCode = new Bounded<Hex, { readonly token: Address; readonly layout: TokenLayout }>(MAX_REMEMBERED)
  private hits = 0
  private misses = 0

  /** Tokens remembered now, and how often one asked for was among them or not. */
  get statistics(): { readonly remembered: number; readonly hits: number; readonly misses: number } {
    return { remembered: this.byToken.size, hits: this.hits, misses: this.misses }
  }

  get counts(): Readonly<Record<'slots' | 'codes', StateCount>> {
    return { slots: this.byToken.count, codes: this.byCode.count }
  }

  /** Runs once for any number of callers at a time. A failure of the node is not remembered. */
  layout(reader: TokenReader): Promise<TokenLayout> {
    const known = this.byToken.get(reader.token) ?? this.incomplete.get(reader.token)
    if (known) {
      this.hits++
      return known
    }
    this.misses++
    const resolving = this.resolve(reader).then((layout) => {
      if (layout.balance && layout.allowance) this.onFound(reader.token, layout)
      else if (this.byToken.delete(reader.token)) this.incomplete.set(reader.token, Promise.resolve(layout))
      return layout
    })
    this.remember(reader.token, resolving)
    return resolving
  }

  /** Takes in what somebody else has found; what is wrong of it is told at its use. */
  learn(token: Address, layout: TokenLayout): void {
    if (!this.byToken.has(token)) this.byToken.set(token, Promise.resolve(layout))
  }

  /** A layout that did not hold at its use: the token was upgraded. */
  forget(token: Address): void {
    this.byToken.delete(token)
    this.incomplete.delete(token)
  }

  private remember(token: Address, layout: Promise<TokenLayout>): void {
    this.byToken.set(token, layout)
    layout.catch(() => this.byToken.peek(token) === layout && this.byToken.delete(token))
  }

  private async resolve(reader: TokenReader): Promise<TokenLayout> {
    const [usual, trail] = await Promise.all([findUsualMappings(reader), readTrail(reader, reader.token)])
    if (trail.code === '0x') return {}
    if (usual.balance && usual.allowance) return withShape(reader, usual)
    const codeHash = keccak256(trail.code) as Hex
    const known = this.byCode.get(codeHash)
    if (known) {
      const again = await findMappings(reader, mappingsOf(known.layout, known.token, reader.token))
      if (again.balance && again.allowance) return withShape(reader, again)
    }
    const layout = await withShape(reader, { ...(await searchMappings(reader, trail)), ...usual })
    this.byCode.set(codeHash, { token: reader.token, layout })
    return layout
  }
}

/** For slots that the caller names; a part that they do not fit is absent. */
export async function givenLayout(
  reader: TokenReader,
  slots: { readonly balance: bigint | undefined; readonly allowance: bigint | undefined },
): Promise<TokenLayout> {
  const find = async (slot: bigint | undefined): Promise<Found> =>
    slot === undefined ? {} : findMappings(reader, givenMappings(reader.token, slot))
  const [{ balance }, { allowance }] = await Promise.all([find(slots.balance), find(slots.allowance)])
  return withShape(reader, { ...(balance && { balance }), ...(allowance && { allowance }) })
}

async function withShape(reader: TokenReader, { balance, allowance }: Found): Promise<TokenLayout> {
  const shape = balance && (balance.shape ?? (await readShape(reader, balance.mapping)))
  return {
    ...(balance && shape && { balance: { mapping: balance.mapping, shape } }),
    ...(allowance && { allowance }),
  }
}

/** Mappings of one token as a clone has them: what the first keeps in its own storage, the clone keeps in its own. */
function mappingsOf({ balance, allowance }: TokenLayout, first: Address, clone: Address): readonly Mapping[] {
  const mappings = [...(balance ? [balance.mapping] : []), ...(allowance ? [allowance] : [])]
  return mappings.map((mapping) => (mapping.contract === first ? { ...mapping, contract: clone } : mapping))
}
