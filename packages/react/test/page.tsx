/** Test page that shows the results of the hooks as JSON and calls them by buttons. */
import { type Eip1193Provider, fromEip1193, type Route, SluiceClient, type SwapContracts } from '@sluice/client'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { SluiceProvider, useQuote, useQuoteStream, useSwap, useTokenList } from '../src/index.ts'

type Setup = {
  readonly baseUrl: string
  readonly rpcUrl: string
  readonly chainId: number
  readonly owner: string
  readonly src: string
  readonly dst: string
  readonly contracts: SwapContracts
  /** Milliseconds between two requests of the followed quote while no stream is open. */
  readonly pollMs: number
}
declare const setup: Setup

const { baseUrl, rpcUrl, chainId, owner, src, dst, contracts, pollMs } = setup
const sluice = new SluiceClient({ baseUrl, retries: 0 })
let isSilent = false
/** Ends the wait of the confirmation that the button `wait` starts. */
let release = () => {}
const provider: Eip1193Provider = {
  async request(call) {
    if (isSilent && call.method === 'eth_sendTransaction') await new Promise(() => undefined)
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...call })
    const response = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const { result, error } = await response.json()
    if (error) throw Object.assign(new Error(error.message), error)
    return result
  },
}
const wallet = fromEip1193(provider, owner)

function Page() {
  const [amount, setAmount] = useState<bigint>()
  const [isPaused, setPaused] = useState(false)
  const [head, setHead] = useState<number>()
  const [isDeciding, setDeciding] = useState(false)
  const [hasSettled, setSettled] = useState(false)
  const request = amount === undefined ? undefined : { src, dst, amount }
  const tokens = useTokenList(chainId, { q: 'usdc', limit: 3 })
  const single = useQuote(chainId, request)
  const live = useQuoteStream(chainId, request, { isPaused, head, pollMs })
  const { start, resume, cancel, ...run } = useSwap()
  const order = { wallet, contracts, knownPools: false, trustQuote: true }
  const swap = (confirm?: (route: Route) => boolean | 'ask') =>
    void start(chainId, request!, { ...order, ...(confirm && { confirm }) })
  const confirmLate = () =>
    new Promise<'ask'>((resolve) => {
      setDeciding(true)
      release = () => resolve('ask')
    })
  const shown = {
    ...{ isDeciding, hasSettled },
    tokens: tokens.data?.map(({ symbol }) => symbol),
    single: { toAmount: single.data?.toAmount, error: single.error?.code },
    live: {
      ...{ toAmount: live.quote?.toAmount, block: live.block, error: live.error?.code },
      ...{ transport: live.transport, isFetching: live.isFetching },
    },
    run: {
      ...{ status: run.status, hash: run.hash, error: run.error?.code, hasQuestion: run.question !== undefined },
      ...{ stages: run.events.map(({ stage }) => stage), isPrompted: run.promptedAt !== undefined },
    },
  }
  /** Handlers of the buttons, by the text of the button. */
  const actions: Readonly<Record<string, () => void>> = {
    one: () => setAmount(10n ** 18n),
    two: () => setAmount(2n * 10n ** 18n),
    'too much': () => setAmount(10n ** 40n),
    nothing: () => setAmount(undefined),
    pause: () => setPaused(!isPaused),
    swap: () => swap(),
    ask: () => swap(() => 'ask'),
    refuse: () => swap(() => false),
    yes: () => run.question?.answer(true),
    no: () => run.question?.answer(false),
    resume: () => void resume(run.state!, order),
    locked: () => void start(chainId, request!, { ...order, wallet: () => Promise.reject(new Error('locked')) }),
    cancel: cancel,
    wait: () => void start(chainId, request!, { ...order, confirm: confirmLate }).then(() => setSettled(true)),
    release: () => release(),
    ahead: () => setHead(1_000_000_000),
    silent: () => (isSilent = !isSilent),
  }
  return (
    <>
      <pre>{JSON.stringify(shown)}</pre>
      {Object.entries(actions).map(([text, act]) => (
        <button type="button" key={text} onClick={() => act()}>
          {text}
        </button>
      ))}
    </>
  )
}

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={new QueryClient()}>
      <SluiceProvider client={sluice}>
        <Page />
      </SluiceProvider>
    </QueryClientProvider>
  </StrictMode>,
)
