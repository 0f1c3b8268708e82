/** URL paths of the web app, the page of each path, and the URL parameters that the page accepts. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  Link,
  lazyRouteComponent,
  parseSearchWith,
} from '@tanstack/react-router'
import type { ApiParams } from './console/ApiPage.tsx'
import { titleByKind } from './honesty/drift.ts'
import type { HonestyParams } from './honesty/HonestyPage.tsx'
import type { PricesParams } from './prices/PricesPage.tsx'
import { readRefereeParams } from './referee/params.ts'
import { messageOf } from './service/error-messages.ts'
import { readSimulateParams } from './simulate/params.ts'
import { parseChainId, readSwapParams } from './swap/params.ts'
import { Notice } from './ui/Notice.tsx'
import { Shell } from './ui/Shell.tsx'

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: ErrorPage })

const swap = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./swap/SwapPage.tsx'), 'SwapPage'),
  validateSearch: readSwapParams,
})

const readChainParam = (search: Readonly<Record<string, unknown>>): { readonly chain?: number } => {
  const chain = parseChainId(search.chain)
  return chain === undefined ? {} : { chain }
}

const explain = createRoute({
  getParentRoute: () => root,
  path: '/app/explain',
  component: lazyRouteComponent(() => import('./explain/ExplainPage.tsx'), 'ExplainPage'),
  validateSearch: readChainParam,
})

const simulate = createRoute({
  getParentRoute: () => root,
  path: '/app/simulate',
  component: lazyRouteComponent(() => import('./simulate/SimulatePage.tsx'), 'SimulatePage'),
  validateSearch: readSimulateParams,
})

const prices = createRoute({
  getParentRoute: () => root,
  path: '/app/prices',
  component: lazyRouteComponent(() => import('./prices/PricesPage.tsx'), 'PricesPage'),
  validateSearch: ({ chain, token, q }: Readonly<Record<string, unknown>>): PricesParams => ({
    ...readChainParam({ chain }),
    ...(typeof token === 'string' && { token }),
    ...(typeof q === 'string' && q !== '' && { q }),
  }),
})

const honesty = createRoute({
  getParentRoute: () => root,
  path: '/app/honesty',
  component: lazyRouteComponent(() => import('./honesty/HonestyPage.tsx'), 'HonestyPage'),
  validateSearch: ({ chain, by, pick }: Readonly<Record<string, unknown>>): HonestyParams => ({
    ...readChainParam({ chain }),
    ...(typeof by === 'string' && Object.hasOwn(titleByKind, by) && { by: by as keyof typeof titleByKind }),
    ...(typeof pick === 'string' && { pick }),
  }),
})

const chains = createRoute({
  getParentRoute: () => root,
  path: '/app/chains',
  component: lazyRouteComponent(() => import('./chains/ChainsPage.tsx'), 'ChainsPage'),
  validateSearch: readChainParam,
})

const api = createRoute({
  getParentRoute: () => root,
  path: '/app/api',
  component: lazyRouteComponent(() => import('./console/ApiPage.tsx'), 'ApiPage'),
  validateSearch: ({ chain, ep, lang, set }: Readonly<Record<string, unknown>>): ApiParams => ({
    ...readChainParam({ chain }),
    ...(typeof ep === 'string' && { ep }),
    ...((lang === 'TypeScript' || lang === 'Python') && { lang }),
    ...(isTextRecord(set) && { set }),
  }),
})

const referee = createRoute({
  getParentRoute: () => root,
  path: '/app/referee',
  component: lazyRouteComponent(() => import('./referee/RefereePage.tsx'), 'RefereePage'),
  validateSearch: readRefereeParams,
})

const isTextRecord = (value: unknown): value is Readonly<Record<string, string>> =>
  typeof value === 'object' && value !== null && Object.values(value).every((text) => typeof text === 'string')

/**
 * Parses the text of a URL parameter. The router itself has already converted each number whose text `String` restores.
 * Other numbers, such as amounts with 18 decimals, stay text, because a float would round them.
 */
const parseParameter = (text: string): unknown => (/^["[{]/.test(text) ? JSON.parse(text) : text)

export const router = createRouter({
  parseSearch: parseSearchWith(parseParameter),
  routeTree: root.addChildren([swap, explain, simulate, referee, prices, honesty, chains, api]),
  defaultPreload: 'intent',
  scrollRestoration: true,
  // Pages receive only the parameters that their own validation accepts.
  search: { strict: true },
})

/**
 * Loads the page of the URL. Navigation, unlike `router.load`, removes the parameters that the page's validation does
 * not accept.
 */
export function openPage(): Promise<void> {
  const { pathname } = router.latestLocation
  return router.navigate({ to: pathname, search: true, params: true, hash: true, state: true, replace: true })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

function NotFound() {
  return (
    <>
      <h1>No such page</h1>
      <p className="lede">
        <Link to="/">Swap</Link>
      </p>
    </>
  )
}

function ErrorPage({ error }: ErrorComponentProps) {
  return (
    <>
      <h1>Something broke</h1>
      <Notice kind="bad" title="This is a bug in the page." urgent>
        {messageOf(error)}
      </Notice>
    </>
  )
}
