/** Tokens that changed hands in a transaction, from its logs and its moves of the native token. Calldata says nothing here. */
import { type Address, type Hex, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { accountIn, DEPOSIT, TRANSFER, WITHDRAWAL } from '../topics.ts'

/** Log of a receipt or of a simulation. */
export type FlowLog = { readonly address: Address; readonly topics: readonly Hex[]; readonly data: Hex }

/** Base units that went from one account to another. */
export type TokenTransfer = {
  readonly token: Address
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
}

/** Base units that each account has more or less of each token afterwards; no entry if it has the same. */
export type Changes = ReadonlyMap<Address, ReadonlyMap<Address, bigint>>

/**
 * Transfers of ERC-20 tokens, and mints and burns of the native token's wrapper, which emits no transfer for them. The
 * wrapper's own account is the sender of mints and the recipient of burns, since it receives and pays the native token.
 */
export function tokenFlows(logs: readonly FlowLog[], wrapper: Address | null): readonly TokenTransfer[] {
  const transfers = logs.flatMap((log): TokenTransfer[] => {
    const [topic, from, to, more] = log.topics
    if (log.address === NATIVE_TRANSFERS) return []
    // An NFT's transfer has its id as a fourth topic.
    if (topic !== TRANSFER || !from || !to || more !== undefined || !isWord(log.data)) return []
    return [flowOf(log.address, accountIn(from), accountIn(to), BigInt(log.data), wrapper)]
  })
  if (!wrapper) return transfers
  // Some wrappers log a transfer of the zero address as well: it must not count twice.
  const loggedCounts = new Map<string, number>()
  for (const flow of transfers) {
    if (flow.token === wrapper) loggedCounts.set(keyOf(flow), (loggedCounts.get(keyOf(flow)) ?? 0) + 1)
  }
  const wrapTransfers = logs.flatMap((log): TokenTransfer[] => {
    const [topic, whose, more] = log.topics
    if (log.address !== wrapper || !whose || more !== undefined || !isWord(log.data)) return []
    if (topic !== DEPOSIT && topic !== WITHDRAWAL) return []
    const [from, to] = topic === DEPOSIT ? [wrapper, accountIn(whose)] : [accountIn(whose), wrapper]
    const flow = { token: wrapper, from, to, amount: BigInt(log.data) }
    const count = loggedCounts.get(keyOf(flow)) ?? 0
    if (count === 0) return [flow]
    loggedCounts.set(keyOf(flow), count - 1)
    return []
  })
  return [...transfers, ...wrapTransfers]
}

/** Address of the logs by which chains with EIP-7708 record moves of the native token. */
const NATIVE_TRANSFERS = toAddress('0xfffffffffffffffffffffffffffffffffffffffe')

/** Moves of the native token that the logs record; undefined if they record none, as on chains without EIP-7708. */
export function recordedNativeFlows(logs: readonly FlowLog[]): readonly TokenTransfer[] | undefined {
  const flows = logs.flatMap(({ address, topics: [topic, from, to], data }): TokenTransfer[] =>
    address === NATIVE_TRANSFERS && topic === TRANSFER && from && to && isWord(data)
      ? [{ token: NATIVE, from: accountIn(from), to: accountIn(to), amount: BigInt(data) }]
      : [],
  )
  return flows.length > 0 ? flows : undefined
}

const keyOf = ({ from, to, amount }: TokenTransfer) => `${from} ${to} ${amount}`

function flowOf(token: Address, from: Address, to: Address, amount: bigint, wrapper: Address | null): TokenTransfer {
  const asWrapper = (address: Address) => (token === wrapper && address === ZERO_ADDRESS ? wrapper : address)
  return { token, from: asWrapper(from), to: asWrapper(to), amount }
}

/** Sums flows by account and token. The zero address mints and burns: it is no account. */
export function changesOf(flows: readonly TokenTransfer[]): Changes {
  const changes = new Map<Address, Map<Address, bigint>>()
  const add = (account: Address, token: Address, amount: bigint) => {
    const tokenChanges = changes.get(account) ?? new Map<Address, bigint>()
    changes.set(account, tokenChanges)
    const sum = (tokenChanges.get(token) ?? 0n) + amount
    if (sum === 0n) tokenChanges.delete(token)
    else tokenChanges.set(token, sum)
  }
  for (const { token, from, to, amount } of flows) {
    add(from, token, -amount)
    add(to, token, amount)
  }
  changes.delete(ZERO_ADDRESS)
  for (const [account, tokenChanges] of changes) if (tokenChanges.size === 0) changes.delete(account)
  return changes
}

/** A frame of a call trace, as `callTracer` has it. */
export type CallFrame = {
  readonly type: string
  readonly from: string
  readonly to?: string | undefined
  readonly value?: string | undefined
  readonly error?: string | undefined
  readonly calls?: readonly CallFrame[] | undefined
}

/** Moves of the native token in a call trace; without frames that reverted and the frames that they called. */
export function nativeFlows(frame: CallFrame): readonly TokenTransfer[] {
  const flows: TokenTransfer[] = []
  const frames: CallFrame[] = [frame]
  for (let next = frames.pop(); next; next = frames.pop()) {
    const { type, from, to, value, error, calls = [] } = next
    if (error !== undefined) continue
    // A delegate call repeats the value of the call that it is part of, and CALLCODE stays within the account.
    const moves = ['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'].includes(type.toUpperCase())
    const amount = BigInt(value ?? '0x0')
    if (moves && to && amount > 0n) flows.push({ token: NATIVE, from: toAddress(from), to: toAddress(to), amount })
    frames.push(...calls)
  }
  return flows
}

const isWord = (data: Hex) => /^0x[0-9a-fA-F]{64}$/.test(data)
