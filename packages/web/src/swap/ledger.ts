/** Stores the transactions that the page sent in the browser, so that the list survives a reload. */
import { useSyncExternalStore } from 'react'

export type LedgerToken = { readonly symbol: string; readonly decimals: number }

export type LedgerEntry = {
  /** Transaction hash, or the wallet's id of a batch until its hash is known. */
  readonly id: string
  readonly kind: 'swap' | 'approval' | 'batch'
  readonly chainId: number
  readonly from: string
  /** Unix milliseconds. */
  readonly sentAt: number
  readonly src: LedgerToken
  readonly dst: LedgerToken
  /** Quoted input in base units; for an approval the approved amount. */
  readonly fromAmount: string
  /** Quoted output in base units. */
  readonly toAmount: string
  readonly status: 'pending' | 'landed' | 'failed'
  readonly block?: number
  /** Received base units; absent if the logs do not show them. */
  readonly received?: string
}

const STORAGE_KEY = 'sluice.transactions'
/** Maximum number of entries. The oldest finished entries are dropped first. */
export const MAX_ENTRIES = 20

let entries: readonly LedgerEntry[] = load()
const listeners = new Set<() => void>()

function load(): readonly LedgerEntry[] {
  try {
    const storedEntries: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]')
    return Array.isArray(storedEntries) ? storedEntries.filter(isEntry).slice(0, MAX_ENTRIES) : []
  } catch {
    return []
  }
}

function isEntry(value: unknown): value is LedgerEntry {
  const entry = Object(value) as Partial<Record<keyof LedgerEntry, unknown>>
  const isToken = (token: unknown) => {
    const { symbol, decimals } = Object(token) as Partial<Record<keyof LedgerToken, unknown>>
    return typeof symbol === 'string' && Number.isSafeInteger(decimals) && Number(decimals) >= 0
  }
  const isAmount = (text: unknown) => typeof text === 'string' && /^\d{1,78}$/.test(text)
  return (
    [entry.id, entry.from].every((text) => typeof text === 'string') &&
    ['swap', 'approval', 'batch'].includes(entry.kind as string) &&
    ['pending', 'landed', 'failed'].includes(entry.status as string) &&
    [entry.chainId, entry.sentAt].every(Number.isSafeInteger) &&
    (entry.block === undefined || Number.isSafeInteger(entry.block)) &&
    [entry.src, entry.dst].every(isToken) &&
    [entry.fromAmount, entry.toAmount].every(isAmount) &&
    (entry.received === undefined || isAmount(entry.received))
  )
}

function applyChange(change: (before: readonly LedgerEntry[]) => readonly LedgerEntry[]): void {
  // Applies the change to the stored entries, because another tab may have changed them.
  const storedEntries = load()
  const next = withinLimit(change(storedEntries.length > 0 ? storedEntries : entries))
  entries = next
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(next))
  } catch {
    // If storage is forbidden or full, the entries last until the page is closed.
  }
  for (const listener of listeners) listener()
}

/** Drops entries above the limit: the oldest finished ones first, then the oldest pending ones. */
export function withinLimit(allEntries: readonly LedgerEntry[]): readonly LedgerEntry[] {
  let surplus = allEntries.length - MAX_ENTRIES
  const isKept = (entry: LedgerEntry) => entry.status === 'pending' || surplus-- <= 0
  // The filter drops the first finished entries that it visits, so it visits the oldest entries first.
  return [...allEntries].reverse().filter(isKept).reverse().slice(0, MAX_ENTRIES)
}

/** Adds an entry, or replaces the entry with the same id. */
export function recordEntry(entry: LedgerEntry): void {
  applyChange((before) => [entry, ...before.filter(({ id }) => id !== entry.id)])
}

export function updateEntry(id: string, change: Partial<LedgerEntry>): void {
  applyChange((before) => before.map((entry) => (entry.id === id ? { ...entry, ...change } : entry)))
}

export function removeEntries(isRemoved: (entry: LedgerEntry) => boolean): void {
  applyChange((before) => before.filter((entry) => !isRemoved(entry)))
}

function subscribe(listener: () => void): () => void {
  const reload = ({ key }: StorageEvent) => {
    if (key !== STORAGE_KEY && key !== null) return
    entries = load()
    listener()
  }
  listeners.add(listener)
  addEventListener('storage', reload)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', reload)
  }
}

/** Returns the entries of a chain, newest first. */
export function useLedger(chainId: number): readonly LedgerEntry[] {
  const allEntries = useSyncExternalStore(subscribe, () => entries)
  return allEntries.filter((entry) => entry.chainId === chainId)
}
