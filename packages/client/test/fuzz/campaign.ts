/** Runs random mutations of honest transactions against `verify` and counts wrong verdicts. */
import { IERC20__factory } from '@sluice/bindings'
import { request } from '@sluice/devnet'
import { ClientError, type Hex, type Route, type SwapParameters, type SwapTerms, verify } from '../../src/index.ts'
import { CHAIN, type Stage } from '../service.ts'
import { type Honest, honestQuotes } from './genuine-quotes.ts'
import { mutate } from './mutations.ts'
import { changedOutcome, changedTerms, type Reference, referenceOf } from './outcome.ts'
import { randomOf } from './random.ts'

export type Verify = (route: Route, request: SwapParameters, terms: SwapTerms) => unknown

export type Report = {
  readonly quotes: number
  readonly mutations: number
  /** Mutations that gave the same transaction. */
  readonly unchanged: number
  readonly refused: number
  readonly accepted: number
  readonly byKind: Readonly<Record<string, { readonly refused: number; readonly accepted: number }>>
  /** Refused mutations with other terms; refused mutations that were also executed; and those of them with another outcome. */
  readonly refusedForTerms: number
  readonly refusedAndRun: number
  readonly refusedAndHarmful: number
  /** Faults of `verify`: accepted mutations with other terms or another outcome, and descriptions of the first ones. */
  readonly acceptedWithOtherTerms: number
  readonly acceptedAndHarmful: number
  readonly failures: readonly string[]
}

const MAX_FAILURES = 20
const erc20 = IERC20__factory.createInterface()

/** Runs a campaign. @param runEvery - about one in `runEvery` refused mutations is executed on the chain */
export async function campaign(
  stage: Stage,
  { mutations, seed, runEvery }: { readonly mutations: number; readonly seed: number; readonly runEvery: number },
  check: Verify = (route, request, terms) => verify(CHAIN, route, request, terms),
): Promise<Report> {
  const { url } = stage.devnet
  const quotes = await honestQuotes(stage)
  await approveAll(stage, quotes)
  const references: Reference[] = []
  for (const { name, route } of quotes)
    references.push(
      await referenceOf(url, route.tx).catch((cause) => {
        throw new Error(`${name}: ${cause.message}`, { cause })
      }),
    )
  const terms = quotes.map(({ route, permit }) => ({
    ...{ contracts: stage.contracts, minToAmount: route.minToAmount!, permit },
  }))
  for (const [index, { route, request }] of quotes.entries()) check(route, request, terms[index]!)

  const random = randomOf(seed)
  const addresses = addressesOf(stage)
  const count = { unchanged: 0, refused: 0, accepted: 0, refusedForTerms: 0, refusedAndRun: 0, refusedAndHarmful: 0 }
  const wrong = { acceptedWithOtherTerms: 0, acceptedAndHarmful: 0 }
  const byKind: Record<string, { refused: number; accepted: number }> = {}
  const failures: string[] = []
  for (let n = 0; n < mutations; n++) {
    const index = random.below(quotes.length)
    const [{ name, route, request }, honest] = [quotes[index]!, references[index]!]
    const { kind, route: changed } = mutate(route, addresses, random)
    if (JSON.stringify(changed.tx) === JSON.stringify(route.tx)) {
      count.unchanged++
      continue
    }
    const accepted = accepts(() => check(changed, request, terms[index]!))
    byKind[kind] ??= { refused: 0, accepted: 0 }
    byKind[kind][accepted ? 'accepted' : 'refused']++
    const differs = changedTerms(changed.tx, honest)
    if (accepted) {
      count.accepted++
      const harm = differs ?? (await changedOutcome(url, changed.tx, honest))
      if (harm) wrong[differs ? 'acceptedWithOtherTerms' : 'acceptedAndHarmful']++
      if (harm && failures.length < MAX_FAILURES) failures.push(`${name}, ${kind} ${n}: ${harm}: ${changed.tx.data}`)
      continue
    }
    count.refused++
    if (differs) count.refusedForTerms++
    if (n % runEvery !== 0) continue
    count.refusedAndRun++
    if (await changedOutcome(url, changed.tx, honest)) count.refusedAndHarmful++
  }
  return { quotes: quotes.length, mutations, ...count, byKind, ...wrong, failures }
}

function accepts(check: () => unknown): boolean {
  try {
    check()
    return true
  } catch (error) {
    if (error instanceof ClientError && error.code === 'UNSAFE') return false
    throw error
  }
}

/** Approves the Guard for all input tokens of the sender, so that a harmful transaction would succeed. */
export async function approveAll({ devnet: { url, info } }: Stage, quotes: readonly Honest[]): Promise<void> {
  const from = quotes[0]!.request.from
  const data = erc20.encodeFunctionData('approve', [info.guard, 2n ** 200n])
  for (const to of new Set(quotes.map(({ request }) => request.src).filter((src) => !src.startsWith('0xEeee'))))
    await request(url, 'eth_sendTransaction', [{ from, to, data }])
  await request(url, 'evm_mine', [])
}

function addressesOf({ devnet: { info } }: Stage): readonly Hex[] {
  const { guard, executor, accounts, tokens, dexes, pools } = info
  return [
    ...[guard, executor, `0x${'57'.repeat(20)}`, `0x${'0'.repeat(40)}`],
    ...accounts.map(({ address }) => address),
    ...Object.values(tokens).map(({ address }) => address),
    ...dexes.map(({ address }) => address),
    ...pools.flatMap(({ address }) => address ?? []),
  ].map((address) => address.toLowerCase() as Hex)
}
