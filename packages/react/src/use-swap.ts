/** Runs a swap through the SDK and exposes its progress as React state. */
import {
  ClientError,
  type Proven,
  type Route,
  type SwapOptions,
  type SwapOutcome,
  type SwapProgress,
  type SwapRequest,
  type SwapState,
  type Wallet,
} from '@sluice/client'
import { useCallback, useReducer, useRef } from 'react'
import { useSluice } from './context.ts'

/** Wallet and options of one swap. */
export type SwapOrder = Omit<SwapOptions, 'confirm' | 'signal'> & {
  /** Wallet, or a function that opens it. */
  readonly wallet: Wallet | (() => Promise<Wallet>)
  /**
   * Decides about a proven quote before anything is signed: true continues, false ends the swap, `ask` sets `question`
   * and waits for the user's answer. Default: continue.
   */
  readonly confirm?: ((route: Route, proof: Proven) => boolean | 'ask' | Promise<boolean | 'ask'>) | undefined
}

/** Quote that waits for the user's confirmation. */
export type SwapQuestion = {
  readonly route: Route
  readonly proven: Proven
  readonly answer: (isAccepted: boolean) => void
}

/** Progress of a swap. */
export type SwapRun = {
  readonly status: 'idle' | 'pending' | 'success' | 'error'
  /** Events so far, oldest first. */
  readonly events: readonly SwapProgress[]
  /** Latest proven quote. */
  readonly route: Route | undefined
  readonly proven: Proven | undefined
  readonly question: SwapQuestion | undefined
  /** Time at which the wallet was prompted, in milliseconds since 1970; undefined while no prompt is open. */
  readonly promptedAt: number | undefined
  /** Hash of the latest transaction, or the wallet's id of a batch. */
  readonly hash: string | undefined
  /** State to store, so that `resume` can continue the swap after a reload. */
  readonly state: SwapState | undefined
  readonly outcome: SwapOutcome | undefined
  readonly error: ClientError | undefined
}

/** Result of `useSwap`: progress and actions. */
export type UseSwap = SwapRun & {
  /**
   * Starts a swap and cancels the previous one. Never rejects: on failure it resolves to undefined and sets `error`.
   */
  readonly start: (chainId: number, request: SwapRequest, order: SwapOrder) => Promise<SwapOutcome | undefined>
  /** Continues a swap after a page reload. Resolves like `start`. */
  readonly resume: (state: SwapState, order: SwapOrder) => Promise<SwapOutcome | undefined>
  /**
   * Cancels the swap before its next transaction and resets the state. The wallet may still send a transaction that it
   * shows.
   */
  readonly cancel: () => void
}

const IDLE: SwapRun = {
  status: 'idle',
  events: [],
  route: undefined,
  proven: undefined,
  question: undefined,
  promptedAt: undefined,
  hash: undefined,
  state: undefined,
  outcome: undefined,
  error: undefined,
}

/** Change of a run: fields to set, an event of the SDK, the start of a new run, or a reset. */
type Action = Partial<SwapRun> | SwapProgress | 'start' | 'reset'

function reduce(run: SwapRun, action: Action): SwapRun {
  if (action === 'reset') return IDLE
  if (action === 'start') return { ...IDLE, status: 'pending' }
  if (!('stage' in action)) return { ...run, ...action }
  const next = { ...run, events: [...run.events, action] }
  if (action.stage === 'quoted') return { ...next, route: action.route, proven: action.proven }
  if (action.stage === 'prompted') return { ...next, promptedAt: Date.now() }
  if (action.stage === 'permit-signed') return { ...next, promptedAt: undefined }
  const { state, hash = run.hash } = action
  // The route may differ from the confirmed route, because a renewed quote that is not worse needs no confirmation.
  return { ...next, state, hash, route: state.route ?? run.route, promptedAt: undefined }
}

/**
 * Runs one swap at a time.
 *
 * @example
 * ```tsx
 * const { start, status, hash, error } = useSwap()
 * const onClick = () => start(1, { src, dst, amount: 10n ** 18n }, { wallet, minToAmount: 2_450_000_000n })
 * ```
 */
export function useSwap(): UseSwap {
  const client = useSluice()
  const [run, dispatch] = useReducer(reduce, IDLE)
  const controller = useRef<AbortController>(undefined)

  // Opens the wallet, runs the swap that `begin` starts, and records its progress.
  const execute = useCallback(
    async (order: SwapOrder, begin: (wallet: Wallet, options: SwapOptions) => Promise<SwapOutcome>) => {
      controller.current?.abort()
      const abortController = new AbortController()
      controller.current = abortController
      // A canceled swap must not change the state.
      const report = (action: Action) => {
        if (!abortController.signal.aborted) dispatch(action)
      }
      report('start')
      const { wallet, confirm, onProgress, ...options } = order
      try {
        const openedWallet = typeof wallet === 'function' ? await wallet() : wallet
        const outcome = await begin(openedWallet, {
          ...options,
          signal: abortController.signal,
          async confirm(route, proof) {
            report({ route, proven: proof })
            const verdict = (await confirm?.(route, proof)) ?? true
            return verdict === 'ask' ? askUser(route, proof, abortController.signal, report) : verdict
          },
          onProgress(progress) {
            report(progress)
            // Returned, so that the SDK handles a rejection of an asynchronous callback.
            return onProgress?.(progress)
          },
        })
        report({ status: 'success', outcome, hash: outcome.hash, promptedAt: undefined })
        return outcome
      } catch (cause) {
        // The SDK throws only ClientErrors. Opening the wallet or loading the module may throw other errors.
        const error = cause instanceof ClientError ? cause : new ClientError('WALLET', String(cause), {}, { cause })
        report({ status: 'error', error, promptedAt: undefined, question: undefined })
        return undefined
      }
    },
    [],
  )
  const start: UseSwap['start'] = useCallback(
    async (chainId, request, order) => {
      return execute(order, async (wallet, options) => {
        const { swap } = await import('./run-swap.ts')
        return swap(client, wallet, chainId, request, options)
      })
    },
    [execute, client],
  )
  const resume: UseSwap['resume'] = useCallback(
    async (state, order) => {
      return execute(order, async (wallet, options) => {
        const { resumeSwap } = await import('./run-swap.ts')
        return resumeSwap(client, wallet, state, options)
      })
    },
    [execute, client],
  )
  const cancel = useCallback(() => {
    controller.current?.abort()
    dispatch('reset')
  }, [])
  return { ...run, start, resume, cancel }
}

/** Asks the user to confirm a quote. Resolves to false if the swap is canceled. */
function askUser(
  route: Route,
  proof: Proven,
  signal: AbortSignal,
  report: (change: Partial<SwapRun>) => void,
): Promise<boolean> {
  return new Promise((resolve) => {
    const answer = (isAccepted: boolean) => {
      report({ question: undefined })
      resolve(isAccepted)
    }
    // The swap may have been canceled while `confirm` decided to ask.
    if (signal.aborted) return resolve(false)
    signal.addEventListener('abort', () => resolve(false), { once: true })
    report({ question: { route, proven: proof, answer } })
  })
}
