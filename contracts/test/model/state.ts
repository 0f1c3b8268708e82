/** Words of the model's state, in the order in which Driver of World.sol reads them, and the journal that undoes writes. */
import { type Account, HOLDERS, MODEL_TOKENS, PERMIT2, PLAIN, PLAYERS, SPENDERS, USERS, ZERO } from './calls.ts'

// Positions of the words, as Driver of World.sol reads them.
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

/** The Guard's notes on the swap in flight. */
export type Flight = {
  /** Undefined while only a permit is submitted. */
  readonly executor: Account | undefined
  readonly payer: Account
  readonly token: Account
  readonly by: 'approval' | 'wrapped' | 'permit2'
}
type Undo = { readonly word: number; readonly value: bigint } | { readonly slot: number; readonly value: unknown }

/** State of the chain. Every write can be undone, as the EVM undoes those of a call that reverts. */
export class State {
  /** Build of the Guard. */
  build: 'cancun' | 'london' = 'cancun'
  readonly words: bigint[] = new Array(WORDS).fill(0n)
  /** Polynomial hash of the words, as Driver computes it. */
  digest = 0n
  /** Scripts of players, scripts of hooks, and the flight. */
  protected readonly slots: unknown[] = []
  readonly #undo: Undo[] = []
  #hasPermit2 = true

  /** Returns a mark for `restore`. */
  mark(): number {
    return this.#undo.length
  }

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

  get flight(): Flight | undefined {
    return this.slots[PLAYERS + MODEL_TOKENS.length] as Flight | undefined
  }

  set flight(value: Flight | undefined) {
    this.writeSlot(PLAYERS + MODEL_TOKENS.length, value)
    this.write(LOCKED_AT, value ? 1n : 0n)
  }

  hasCode(account: Account): boolean {
    return account !== PLAIN && account !== ZERO && (account !== PERMIT2 || this.#hasPermit2)
  }

  /** Makes the chain one with or without Permit2, which then has no allowances either. */
  set hasPermit2(value: boolean) {
    this.#hasPermit2 = value
    if (!value) for (let at = PERMIT2_AT; at < REMAINING_AT; at++) this.write(at, 0n)
  }
}
