/** A swap from click to receipt by the SDK, and how far it is. The SDK quotes, proves, approves and sends; this only looks on. */
import {
  type Eip1193Provider,
  type Explanation,
  NATIVE,
  type Route,
  type SwapContracts,
  type SwapOptions,
  type SwapRequest,
  type Wallet,
} from '@sluice/client'
import { useReducer, useRef } from 'react'
import { sluice } from '../service/client.ts'
import type { Connected } from '../wallet/use-wallet.ts'
import type { Quote } from './use-quote.ts'

export type StepName = 'allow' | 'check' | 'confirm' | 'land'
export type StepState = 'todo' | 'now' | 'done'

export type Paid = {
  readonly hash: string
  readonly block: number
  readonly gasUsed: bigint
  /** Growth of the balance in that block; undefined where the node does not tell. */
  readonly received: bigint | undefined
}

export type Signing = {
  readonly steps: Readonly<Record<StepName, StepState>>
  /** Way in which the Guard may draw the input; undefined until it is known, or where nothing is needed. */
  readonly how: 'approve' | 'permit' | 'batch' | undefined
  readonly route: Route | undefined
  readonly explanation: Explanation | undefined
  readonly gasLimit: bigint | undefined
  /** Pools whose address does not tell who made them. */
  readonly strangers: number
  /** A later quote that promises less than the one on the screen: signed only when somebody says so. */
  readonly lower: { readonly route: Route; readonly answer: (yes: boolean) => void } | undefined
  /** Since when the wallet has been silent. */
  readonly waitingSince: number | undefined
  readonly hash: string | undefined
  readonly paid: Paid | undefined
  readonly error: unknown
}

const START: Signing = {
  steps: { allow: 'todo', check: 'now', confirm: 'todo', land: 'todo' },
  ...{
    how: undefined,
    route: undefined,
    explanation: undefined,
    gasLimit: undefined,
    strangers: 0,
    lower: undefined,
    waitingSince: undefined,
  },
  ...{ hash: undefined, paid: undefined, error: undefined },
}

export type Order = {
  readonly chainId: number
  readonly asked: SwapRequest
  /** Quote on the screen. */
  readonly shown: Quote
  readonly contracts: SwapContracts | undefined
  /** True where the shown transaction pays out by the Executor, as taxed output needs. */
  readonly direct: boolean
}

export function useSigning() {
  const [state, update] = useReducer(
    (before: Signing | undefined, change: Partial<Signing> | undefined) =>
      change && { ...(before ?? START), ...change },
    undefined,
  )
  /** A run that was cancelled must not speak any more. */
  const current = useRef(0)

  async function start(order: Order, connected: Connected): Promise<void> {
    const run = ++current.current
    const tell = (change: Partial<Signing>) => run === current.current && update(change)
    update(undefined)
    update({})
    let steps = START.steps
    const step = (change: Partial<Signing['steps']>, more: Partial<Signing> = {}) => {
      steps = { ...steps, ...change }
      tell({ steps, ...more })
    }
    try {
      // Proving and sending come when they are needed: a route is drawn without them.
      const { gasLimit, swap } = await import('./prove.ts')
      const { wallet, provider } = await connected.open()
      const { chainId, asked, shown, contracts, direct } = order
      const confirm: SwapOptions['confirm'] = (route, explanation) => {
        if (run !== current.current) return false
        const proven = {
          route,
          explanation,
          gasLimit: gasLimit(route),
          lower: undefined,
          strangers: explanation.unknownPools.length,
        }
        const least = BigInt(shown.minToAmount ?? shown.toAmount)
        const isLower = explanation.minOutput < least
        step({ check: 'done' }, proven)
        if (!isLower) return true
        return new Promise<boolean>((answer) => tell({ lower: { route, answer } })).finally(() =>
          tell({ lower: undefined }),
        )
      }
      const watched = watch(wallet, step)
      const { hash, route } = await swap(sluice, watched, chainId, asked, {
        ...{ contracts, direct, confirm },
        // The page shows how many pools are not known; known pools confirm the amount.
        knownPools: false,
      })
      const paid = await receiptOf(provider, connected.address, route, hash)
      step({ allow: 'done', confirm: 'done', land: 'done' }, { hash, route, paid, waitingSince: undefined })
    } catch (error) {
      tell({ error, waitingSince: undefined, lower: undefined })
    }
  }
  return {
    state,
    start,
    /** Ends the page's part: what is in the wallet already can still be signed there. */
    cancel() {
      current.current++
      state?.lower?.answer(false)
      update(undefined)
    },
  }
}

type Step = (change: Partial<Signing['steps']>, more?: Partial<Signing>) => void

/** The wallet, told about as it is used. */
function watch(wallet: Wallet, step: Step): Wallet {
  const hashes = new Set<string>()
  return {
    ...wallet,
    async send(transaction) {
      // approve(address,uint256)
      const isApproval = transaction.data.startsWith('0x095ea7b3')
      const waitingSince = Date.now()
      if (isApproval) step({ allow: 'now' }, { how: 'approve', waitingSince })
      else step({ allow: 'done', confirm: 'now' }, { waitingSince })
      const hash = await wallet.send(transaction)
      if (isApproval) hashes.add(hash)
      else step({ confirm: 'done', land: 'now' }, { hash, waitingSince: undefined })
      return hash
    },
    async succeeded(hash) {
      const outcome = await wallet.succeeded(hash)
      if (hashes.has(hash) && outcome) step({ allow: 'done' }, { waitingSince: undefined })
      return outcome
    },
    ...(wallet.request && {
      async request(method: string, params: readonly unknown[]) {
        const waitingSince = Date.now()
        if (method === 'eth_signTypedData_v4') step({ allow: 'now' }, { how: 'permit', waitingSince })
        if (method === 'wallet_sendCalls') step({ allow: 'now', confirm: 'now' }, { how: 'batch', waitingSince })
        return wallet.request!(method, params)
      },
    }),
  }
}

type Receipt = {
  readonly blockNumber: string
  readonly gasUsed: string
  readonly effectiveGasPrice?: string
}

async function receiptOf(provider: Eip1193Provider, owner: string, route: Route, hash: string): Promise<Paid> {
  const receipt = (await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })) as Receipt
  const block = Number(receipt.blockNumber)
  const gasUsed = BigInt(receipt.gasUsed)
  const native = route.dst.toLowerCase() === NATIVE.toLowerCase()
  const at = async (number: number): Promise<bigint> => {
    const tag = `0x${number.toString(16)}`
    if (native) return BigInt(await provider.request({ method: 'eth_getBalance', params: [owner, tag] }))
    // balanceOf(address)
    const data = `0x70a08231${owner.slice(2).toLowerCase().padStart(64, '0')}`
    return BigInt(await provider.request({ method: 'eth_call', params: [{ to: route.dst, data }, tag] }))
  }
  const fee = native ? gasUsed * BigInt(receipt.effectiveGasPrice ?? '0x0') : 0n
  // Nodes that keep no state of the block before do not tell.
  const received = await Promise.all([at(block), at(block - 1)]).then(
    ([after, before]) => after - before + fee,
    () => undefined,
  )
  return { hash, block, gasUsed, received }
}

/** EIP-1193's code for what the user declined, wherever a wallet hid it. */
export function wasRefused(error: unknown): boolean {
  for (let at = error as { code?: unknown; cause?: unknown } | undefined, depth = 0; at && depth < 5; depth++) {
    if (at.code === 4001) return true
    at = at.cause as typeof at
  }
  return false
}
