/** Entry point of the web app. */
import './styles/tokens.css'
import './styles/base.css'
import './styles/controls.css'
import './styles/route.css'
import './styles/swap.css'
import { SluiceProvider } from '@sluice/react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { openPage, router } from './router.tsx'
import { loadServiceInfo } from './service/chains.ts'
import { sluice } from './service/client.ts'
import { ServiceInfoContext } from './ui/service-info.ts'
import { createWallets, WalletsContext } from './wallet/wallets.ts'

/**
 * Delay until the Explain page is prefetched. The page works without the service, so its code must load before the
 * service goes down.
 */
const EXPLAIN_PREFETCH_DELAY_MS = 10_000

// The placeholder in the HTML stays visible until the page can be rendered in full.
const [serviceInfo] = await Promise.all([loadServiceInfo(), openPage()])
const wallets = createWallets(serviceInfo)

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <ServiceInfoContext value={serviceInfo}>
      <WalletsContext value={wallets}>
        <QueryClientProvider client={new QueryClient()}>
          <SluiceProvider client={sluice}>
            <RouterProvider router={router} />
          </SluiceProvider>
        </QueryClientProvider>
      </WalletsContext>
    </ServiceInfoContext>
  </StrictMode>,
)

const prefetchExplain = () => void import('./explain/ExplainPage.tsx').catch(() => {})
// Waits for an idle moment, so that no input is delayed. Safari has no `requestIdleCallback`.
setTimeout(() => (window.requestIdleCallback ?? setTimeout)(prefetchExplain), EXPLAIN_PREFETCH_DELAY_MS)
