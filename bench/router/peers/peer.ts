/**
 * Routers that are compared with the service's router. A module can provide one. It exports
 * `make(scenario, { gasPrice })`, which returns an object. The object's `run(trade)` returns `{ route: { legs } }`,
 * `{ route: { paths } }`, or null.
 */
import { pathToFileURL } from 'node:url'
import type { ScenarioLeg } from '../route.ts'
import type { Scenario, ScenarioTrade } from '../scenario.ts'

export type Peer = {
  readonly name: string
  /** Returns a route; null if it finds none. */
  readonly run: (trade: ScenarioTrade) => PeerRoute | null | Promise<PeerRoute | null>
}
/** Swap in a path. Sells the whole output of the previous hop. */
export type Hop = Pick<ScenarioLeg, 'pool' | 'tokenIn' | 'tokenOut'>
/** Route of a peer: legs with shares of balances, or paths with amounts. */
export type PeerRoute =
  | { readonly legs: readonly ScenarioLeg[] }
  | { readonly paths: readonly { readonly amountIn: bigint | string; readonly hops: readonly Hop[] }[] }

type PeerModule = {
  make(scenario: Scenario, options: { gasPrice: number }): Promise<ForeignPeer> | ForeignPeer
}
type ForeignPeer = {
  readonly name: string
  run(trade: ScenarioTrade): Promise<{ route: PeerRoute } | null> | { route: PeerRoute } | null
}

export async function foreignPeer(file: string, scenario: Scenario, gasPrice: number): Promise<Peer> {
  const { make } = (await import(pathToFileURL(file).href)) as PeerModule
  const { name, run } = await make(scenario, { gasPrice })
  // Awaits only promises, because `await` of other values would add to the measured time.
  return {
    name,
    run: (trade) => {
      const outcome = run(trade)
      return outcome instanceof Promise ? outcome.then((result) => result?.route ?? null) : (outcome?.route ?? null)
    },
  }
}
