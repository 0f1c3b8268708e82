/**
 * State of the modeled chain as a list of words, with a journal of writes. The contract Driver of World.sol reads the
 * real state in the same order.
 */
import { type Account, HOLDERS, MODEL_TOKENS, PERMIT2, PLAIN, PLAYERS, SPENDERS, USERS, ZERO } from './calls.ts'

// Indices of words in the state. The native balances of the accounts come first. NONCES_AT, CONFIG_AT, and HOOK_AT are
// relative to the first word of a token.
export const PLAYER_AT = HOLDERS
export const TOKEN_AT = PLAYER_AT + 2 * PLAYERS
export const TOKEN_WORDS = HOLDERS + PLAYERS * SPENDERS.length + USERS.length + 2
export const WETH_AT = TOKEN_AT + MODEL_TOKENS.length * TOKEN_WORDS
export const PERMIT2_AT = WETH_AT + HOLDERS + PLAYERS * SPENDERS.length
const REMAINING_AT = PERMIT2_AT + PLAYERS * (MODEL_TOKENS.length + 1)
const LOCKED_AT = REMAINING_AT + 1
const WORDS = LOCKED_AT + 1
export const NONCES_AT = HOLDERS + PLAYERS * SPENDERS.length
export const CONFIG_AT = NONCES_AT + USERS.length
export const HOOK_AT = CONFIG_AT + 1

const PRIME = (1n << 255n) - 19n
const BASE = 0x5a6b7c8d9eaf1021324354657687980a1b2c3d4e5f60718293a4b5c6d7e8f901n
const POWERS: bigint[] = new Array(WORDS)
POWERS[WORDS - 1] = 1n
for (let k = WORDS - 2; k >= 0; k--) POWERS[k] = (POWERS[k + 1]! * BASE) % PRIME

/** Data of the running swap that the Guard stores while it is locked. */
export type RunningSwap = {
  /** Undefined while the Guard submits a permit, before the Executor runs. */
  readonly executor: Account | undefined
  readonly payer: Account
  readonly token: Account
  readonly inputSource: 'approval' | 'wrapped' | 'permit2'
}
type JournalEntry =
  | { readonly word: number; readonly value: bigint }
  | { readonly slot: number; readonly value: unknown }

/** State of the chain. Writes can be undone, like those of a call that reverts. */
export class State {
  /** Build of the Guard. */
  build: 'cancun' | 'london' = 'cancun'
  readonly words: bigint[] = new Array(WORDS).fill(0n)
  /** Polynomial hash of the words, with base `BASE` modulo `PRIME`, as World.sol's Driver computes it. */
  digest = 0n
  /** Values that are not words: the scripts of players, then the hook scripts of model tokens, then `runningSwap`. */
  protected readonly slots: unknown[] = []
  readonly #undo: JournalEntry[] = []
  #hasPermit2 = true

  /** Returns the current position in the journal, for `restore`. */
  mark(): number {
    return this.#undo.length
  }

  /** Undoes all writes since `mark` was called. */
  restore(mark: number): void {
    while (this.#undo.length > mark) {
      const undo = this.#undo.pop()!
      if ('slot' in undo) this.slots[undo.slot] = undo.value
      else this.#put(undo.word, undo.value)
    }
  }

  #put(at: number, value: bigint): void {
    const change = (value - this.words[at]!) % PRIME
    this.words[at] = value
    const sum = (this.digest + change * POWERS[at]!) % PRIME
    this.digest = sum < 0n ? sum + PRIME : sum
  }

  write(at: number, value: bigint): void {
    const old = this.words[at]!
    if (old === value) return
    this.#undo.push({ word: at, value: old })
    this.#put(at, value)
  }

  protected writeSlot(slot: number, value: unknown): void {
    this.#undo.push({ slot, value: this.slots[slot] })
    this.slots[slot] = value
  }

  native(account: Account): bigint {
    return this.words[account]!
  }

  get remaining(): bigint {
    return this.words[REMAINING_AT]!
  }

  set remaining(value: bigint) {
    this.write(REMAINING_AT, value)
  }

  get runningSwap(): RunningSwap | undefined {
    return this.slots[PLAYERS + MODEL_TOKENS.length] as RunningSwap | undefined
  }

  set runningSwap(value: RunningSwap | undefined) {
    this.writeSlot(PLAYERS + MODEL_TOKENS.length, value)
    this.write(LOCKED_AT, value ? 1n : 0n)
  }

  hasCode(account: Account): boolean {
    return account !== PLAIN && account !== ZERO && (account !== PERMIT2 || this.#hasPermit2)
  }

  /** Adds or removes Permit2. Removing it also removes its allowances. */
  set hasPermit2(value: boolean) {
    this.#hasPermit2 = value
    if (!value) for (let at = PERMIT2_AT; at < REMAINING_AT; at++) this.write(at, 0n)
  }
}
