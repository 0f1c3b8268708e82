/** React context with the client that the hooks use. */
import type { SluiceClient } from '@sluice/client'
import { createContext, createElement, type ReactElement, type ReactNode, useContext } from 'react'

const SluiceContext = createContext<SluiceClient | undefined>(undefined)

/**
 * Provides a client to the hooks below it. Create the client once, outside of components.
 *
 * @example
 * ```tsx
 * const sluice = new SluiceClient({ baseUrl: 'https://swap.example' })
 * const app = (
 *   <QueryClientProvider client={new QueryClient()}>
 *     <SluiceProvider client={sluice}>
 *       <Page />
 *     </SluiceProvider>
 *   </QueryClientProvider>
 * )
 * ```
 */
export function SluiceProvider(props: { readonly client: SluiceClient; readonly children?: ReactNode }): ReactElement {
  return createElement(SluiceContext.Provider, { value: props.client }, props.children)
}

/**
 * Returns the client of the nearest provider.
 *
 * @throws Error if there is no provider
 * @example
 * ```tsx
 * const sluice = useSluice()
 * const chains = useQuery({ queryKey: ['chains'], queryFn: () => sluice.chains() })
 * ```
 */
export function useSluice(): SluiceClient {
  const client = useContext(SluiceContext)
  if (!client) throw new Error('no SluiceProvider is above this component')
  return client
}
