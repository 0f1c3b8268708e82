/**
 * Model of the contracts around the Guard. Players and tokens behave like those of World.sol, WETH9 and Permit2 like
 * the published contracts.
 */
import {
  type Account,
  ADDRESSES,
  addressOf,
  type Call,
  GUARD,
  HOLDERS,
  MODEL_TOKENS,
  type Move,
  PERMIT2,
  type Permit,
  PLAYERS,
  SPENDERS,
  WETH,
} from './calls.ts'
import { ReferenceGuard } from './guard.ts'
import { type Answer, type Outcome, Reverted, TooDeep } from './outcome.ts'
import { statementOf } from './permits.ts'
import { CONFIG_AT, HOOK_AT, NONCES_AT, PERMIT2_AT, PLAYER_AT, State, TOKEN_AT, TOKEN_WORDS, WETH_AT } from './state.ts'

/** Maximum depth of nested calls. A sequence ends before a deeper call (`TooDeep`). */
const MAX_DEPTH = 100
const NOTHING: Answer = { word: 0n, size: 0 }
const wordOf = (word: bigint): Answer => ({ word, size: 32 })
const TRUE = wordOf(1n)
const EMPTY = 'empty'

const ACCOUNTS = new Map(ADDRESSES.map((_, account) => [addressOf(account), account]))
const ONE = 1_000_000n
export const MAX_UINT = (1n << 256n) - 1n
const MAX_UINT160 = (1n << 160n) - 1n
const MAX_UINT48 = (1n << 48n) - 1n
const MAX_AMOUNT = 1n << 128n
/** False balance that a hostile token reports. */
const FALSE_BALANCE = 1n << 250n
/** Bit of a token's hook word. It is set while the hook runs. */
const RUNNING = 1n << 160n

type Script = readonly Move[]

export class World extends State {
  readonly now: bigint
  /** Number of calls that the Guard answered. */
  answers = 0
  #depth = 0
  readonly #guard = new ReferenceGuard(this)

  constructor(now: bigint) {
    super()
    this.now = now
  }

  nonceOf(token: Account, owner: Account): bigint {
    return this.words[this.#tokenAt(token) + NONCES_AT + owner]!
  }

  permit2Nonce(token: Account, owner: Account): bigint {
    return this.words[this.#permit2At(owner, token)]! >> 208n
  }

  configOf(token: Account): bigint {
    return this.words[this.#tokenAt(token) + CONFIG_AT]!
  }

  /** Returns the shares of a model token, or the balance of WETH9. A balance is shares * rate / `ONE`. */
  holdings(token: Account, account: Account): bigint {
    return this.words[this.#tokenAt(token) + account]!
  }

  // Calls

  /** Makes a call. Undoes its writes if it reverts. */
  call(from: Account, to: Account, value: bigint, call: Call): Outcome {
    const mark = this.mark()
    if (this.#depth >= MAX_DEPTH) throw new TooDeep()
    this.#depth++
    try {
      if (value > 0n) {
        if (value > this.native(from)) throw new Reverted(EMPTY)
        this.write(from, this.native(from) - value)
        this.write(to, this.native(to) + value)
      }
      return { ok: true, answer: this.#dispatch(from, to, value, call) }
    } catch (error) {
      if (!(error instanceof Reverted)) throw error
      this.restore(mark)
      return { ok: false, errors: error.errors }
    } finally {
      this.#depth--
    }
  }

  /**
   * Reads a balance for the Guard.
   *
   * @throws Reverted if the token reverts, returns less than a word, or has no code
   */
  balanceOf(token: Account, account: Account): bigint {
    if (token === WETH) return this.holdings(WETH, account)
    if (!MODEL_TOKENS.includes(token)) throw new Reverted('ReadFailed')
    const config = this.configOf(token)
    const reads = (config >> 4n) & 15n
    if (reads === 1n || reads === 2n) throw new Reverted('ReadFailed')
    if (reads === 3n) return 0n
    if (reads === 4n) return FALSE_BALANCE
    return (this.holdings(token, account) * rateOf(config)) / ONE
  }

  #dispatch(from: Account, to: Account, value: bigint, call: Call): Answer {
    if (to < PLAYERS) return this.#player(to, value, call)
    if (!this.hasCode(to)) return NOTHING
    if (to === GUARD) {
      this.answers++
      return this.#guard.answer(from, value, call)
    }
    if (to === WETH) return this.#weth(from, value, call)
    if (to === PERMIT2) return this.#permit2(from, value, call)
    return this.#token(to, from, value, call)
  }

  #player(player: Account, value: bigint, call: Call): Answer {
    const at = PLAYER_AT + 2 * player
    switch (call.kind) {
      case 'native': {
        const mode = this.words[at + 1]!
        if (mode === 1n) throw new Reverted('Refused')
        if (mode !== 2n) return NOTHING
        this.write(at + 1, 3n)
        this.#play(player, this.slots[player] as Script)
        this.write(at + 1, 2n)
        return NOTHING
      }
      case 'play':
        return wordOf(this.#play(player, call.script))
      case 'react':
        if (value > 0n) throw new Reverted(EMPTY)
        this.write(at + 1, call.mode)
        this.writeSlot(player, call.script)
        return NOTHING
      default:
        throw new Reverted(EMPTY)
    }
  }

  /** Runs an Executor's program. */
  execute(executor: Account, value: bigint, program: Script): Outcome {
    // Only players have the function `play`. To other accounts the call looks like a call of an unknown function, such
    // as `remaining`.
    return this.call(
      GUARD,
      executor,
      value,
      executor < PLAYERS ? { kind: 'play', script: program } : { kind: 'remaining' },
    )
  }

  #play(player: Account, script: Script): bigint {
    let successes = 0n
    let word = 0n
    for (const { to, value, call, mustSucceed } of script) {
      const outcome = this.call(player, to, value, call)
      word = outcome.ok && outcome.answer.size >= 32 ? outcome.answer.word : 0n
      if (outcome.ok) successes++
      else if (mustSucceed) throw new Reverted(...outcome.errors)
    }
    const at = PLAYER_AT + 2 * player
    this.write(at, this.words[at]! + successes)
    return word
  }

  // Tokens

  #tokenAt(token: Account): number {
    return token === WETH ? WETH_AT : TOKEN_AT + TOKEN_WORDS * (token - MODEL_TOKENS[0]!)
  }

  /** Returns the index of an allowance's word; undefined for allowances that are always 0 in the model. */
  #allowanceAt(token: Account, owner: Account, spender: Account): number | undefined {
    const spenderIndex = SPENDERS.indexOf(spender)
    if (owner >= PLAYERS || spenderIndex < 0) return undefined
    return this.#tokenAt(token) + HOLDERS + owner * SPENDERS.length + spenderIndex
  }

  #spend(token: Account, owner: Account, spender: Account, amount: bigint, error: string): void {
    const at = this.#allowanceAt(token, owner, spender)
    const allowed = at === undefined ? 0n : this.words[at]!
    if (allowed < amount) throw new Reverted(error)
    if (at !== undefined && allowed !== MAX_UINT) this.write(at, allowed - amount)
  }

  /** Long: one case for each function of World.sol's ModelToken. */
  #token(token: Account, from: Account, value: bigint, call: Call): Answer {
    const at = this.#tokenAt(token)
    if (value > 0n && !['native', 'deposit'].includes(call.kind) && hasFunction(call)) throw new Reverted(EMPTY)
    switch (call.kind) {
      case 'transfer':
        this.#hook(token)
        if (changesBalances(this.configOf(token))) this.#move(token, from, call.to, call.amount)
        return answerOf(this.configOf(token))
      case 'transferFrom':
        this.#hook(token)
        if (changesBalances(this.configOf(token))) {
          this.#spend(token, call.from, from, call.amount, 'NoAllowance')
          this.#move(token, call.from, call.to, call.amount)
        }
        return answerOf(this.configOf(token))
      case 'approve':
        this.write(this.#allowanceAt(token, from, call.spender)!, call.amount)
        return TRUE
      case 'mint':
        this.#credit(token, call.to, call.amount)
        return NOTHING
      case 'configure':
        this.write(at + CONFIG_AT, call.config)
        return NOTHING
      case 'setHook':
        this.write(at + HOOK_AT, addressOf(call.player))
        this.writeSlot(PLAYERS + token - MODEL_TOKENS[0]!, call.script)
        return NOTHING
      case 'deposit': {
        this.#hook(token)
        const kind = (this.configOf(token) >> 12n) & 15n
        if (kind === 4n) throw new Reverted('Refused')
        this.#credit(token, from, [value, 0n, value / 2n, value + 1n][Number(kind)]!)
        return NOTHING
      }
      case 'permit':
        this.#tokenPermit(token, call.owner, call.spender, call.permit)
        return NOTHING
      default:
        return NOTHING
    }
  }

  /** Withdraws native tokens from a wrapper to the Guard. */
  withdraw(wrapper: Account, amount: bigint): Outcome {
    const mark = this.mark()
    try {
      if (wrapper === WETH) this.#withdrawWeth(amount)
      else if (MODEL_TOKENS.includes(wrapper)) this.#withdrawToken(wrapper, amount)
      else if (this.hasCode(wrapper)) throw new Reverted(EMPTY)
      return { ok: true, answer: NOTHING }
    } catch (error) {
      if (!(error instanceof Reverted)) throw error
      this.restore(mark)
      return { ok: false, errors: error.errors }
    }
  }

  #withdrawWeth(amount: bigint): void {
    const balance = this.holdings(WETH, GUARD)
    if (balance < amount) throw new Reverted('Error')
    this.write(WETH_AT + GUARD, balance - amount)
    const paid = this.call(WETH, GUARD, amount, { kind: 'native' })
    if (!paid.ok) throw new Reverted(...paid.errors)
  }

  #withdrawToken(token: Account, amount: bigint): void {
    this.#hook(token)
    const kind = (this.configOf(token) >> 12n) & 15n
    if (kind === 4n) throw new Reverted('Refused')
    if (kind !== 3n) {
      const burned = this.#sharesOf(token, amount)
      const balance = this.holdings(token, GUARD)
      if (balance < burned) throw new Reverted('NoBalance')
      this.write(this.#tokenAt(token) + GUARD, balance - burned)
    }
    if (kind === 1n) return
    const paid = this.call(token, GUARD, kind === 2n ? amount / 2n : amount, { kind: 'native' })
    if (!paid.ok) throw new Reverted('Refused')
  }

  #tokenPermit(token: Account, owner: Account, spender: Account, permit: Permit): void {
    this.#hook(token)
    const kind = (this.configOf(token) >> 8n) & 15n
    if (kind === 1n) return
    if (kind === 2n) throw new Reverted('Refused')
    const isDai = permit.kind === 'dai'
    if (!(isDai && permit.deadline === 0n) && this.now > permit.deadline) throw new Reverted('Expired')
    const nonce = this.nonceOf(token, owner)
    if (isDai && permit.nonce !== nonce) throw new Reverted('BadNonce')
    if (statementOf({ ...permit, owner, token, nonce }) !== permit.signature!.statement)
      throw new Reverted('BadSignature')
    this.write(this.#tokenAt(token) + NONCES_AT + owner, nonce + 1n)
    this.write(this.#allowanceAt(token, owner, spender)!, isDai ? MAX_UINT : permit.amount)
  }

  #sharesOf(token: Account, amount: bigint): bigint {
    if (amount > MAX_AMOUNT) throw new Reverted('NoBalance')
    return (amount * ONE) / rateOf(this.configOf(token))
  }

  #credit(token: Account, to: Account, amount: bigint): void {
    const at = this.#tokenAt(token) + to
    this.write(at, this.words[at]! + this.#sharesOf(token, amount))
  }

  #move(token: Account, from: Account, to: Account, amount: bigint): void {
    const config = this.configOf(token)
    const moved = this.#sharesOf(token, amount)
    const charge = (moved * ((config >> 40n) & 0xffffffn)) / ONE
    const blocked = config >> 96n
    if (blocked !== 0n && blocked === addressOf(to)) throw new Reverted('Refused')
    const at = this.#tokenAt(token)
    const balance = this.words[at + from]!
    if (balance < moved + charge) throw new Reverted('NoBalance')
    this.write(at + from, balance - moved - charge)
    this.write(at + to, this.words[at + to]! + moved - (moved * ((config >> 16n) & 0xffffffn)) / ONE)
  }

  #hook(token: Account): void {
    const at = this.#tokenAt(token) + HOOK_AT
    const word = this.words[at]!
    if (word === 0n || (word & RUNNING) !== 0n) return
    const script = this.slots[PLAYERS + token - MODEL_TOKENS[0]!] as Script
    const player = ACCOUNTS.get(word)!
    this.write(at, word | RUNNING)
    this.call(token, player, 0n, { kind: 'play', script })
    this.write(at, word)
  }

  #weth(from: Account, value: bigint, call: Call): Answer {
    if (call.kind === 'deposit') {
      this.write(WETH_AT + from, this.holdings(WETH, from) + value)
      return NOTHING
    }
    if (value > 0n) throw new Reverted(EMPTY)
    // The published WETH9 reverts on unknown functions.
    if (call.kind !== 'transfer' && call.kind !== 'transferFrom' && call.kind !== 'approve') throw new Reverted(EMPTY)
    if (call.kind === 'approve') {
      this.write(this.#allowanceAt(WETH, from, call.spender)!, call.amount)
      return TRUE
    }
    const payer = call.kind === 'transfer' ? from : call.from
    const balance = this.holdings(WETH, payer)
    if (balance < call.amount) throw new Reverted('Error')
    if (payer !== from) this.#spend(WETH, payer, from, call.amount, 'Error')
    this.write(WETH_AT + payer, balance - call.amount)
    this.write(WETH_AT + call.to, this.holdings(WETH, call.to) + call.amount)
    return TRUE
  }

  // Permit2 (github.com/Uniswap/permit2, AllowanceTransfer)

  #permit2At(owner: Account, token: Account): number {
    return PERMIT2_AT + owner * (MODEL_TOKENS.length + 1) + token - MODEL_TOKENS[0]!
  }

  #permit2(from: Account, value: bigint, call: Call): Answer {
    if (value > 0n) throw new Reverted(EMPTY)
    switch (call.kind) {
      case 'approve2': {
        const at = this.#permit2At(from, call.token)
        this.write(at, call.amount | (this.#expiration(call.expiration) << 160n) | ((this.words[at]! >> 208n) << 208n))
        return NOTHING
      }
      case 'permit2': {
        const { owner, token, permit } = call
        if (this.now > permit.deadline) throw new Reverted('SignatureExpired')
        if (statementOf({ ...permit, owner, token }) !== permit.signature!.statement)
          throw new Reverted('InvalidContractSignature')
        const nonce = permit.nonce & MAX_UINT48
        const at = this.#permit2At(owner, token)
        if (nonce !== this.words[at]! >> 208n) throw new Reverted('InvalidNonce')
        const expiration = this.#expiration(permit.deadline & MAX_UINT48)
        const next = (nonce + 1n) & MAX_UINT48
        this.write(at, (permit.amount & MAX_UINT160) | (expiration << 160n) | (next << 208n))
        return NOTHING
      }
      case 'transfer2':
        this.#transfer2(from, call)
        return NOTHING
      default:
        throw new Reverted(EMPTY)
    }
  }

  #expiration(expiration: bigint): bigint {
    return expiration === 0n ? this.now : expiration
  }

  #transfer2(spender: Account, { from, to, amount, token }: Extract<Call, { kind: 'transfer2' }>): void {
    if (amount > MAX_UINT160) throw new Reverted(EMPTY)
    const hasAllowanceWord = spender === GUARD && from < PLAYERS && token >= MODEL_TOKENS[0]! && token <= WETH
    const at = hasAllowanceWord ? this.#permit2At(from, token) : undefined
    const word = at === undefined ? 0n : this.words[at]!
    const allowed = word & MAX_UINT160
    if (this.now > ((word >> 160n) & MAX_UINT48)) throw new Reverted('AllowanceExpired')
    if (allowed !== MAX_UINT160) {
      if (amount > allowed) throw new Reverted('InsufficientAllowance')
      if (at !== undefined) this.write(at, word - amount)
    }
    const moved = this.call(PERMIT2, token, 0n, { kind: 'transferFrom', from, to, amount })
    const isTrue = moved.ok && ((moved.answer.word === 1n && moved.answer.size >= 32) || moved.answer.size === 0)
    if (!isTrue) throw new Reverted('Error')
  }
}

/**
 * Returns the rate of a model token: the balance of a million shares. `config` has the layout of World.sol's
 * ModelToken:
 * - Bits 0-3: result of transfers.
 * - Bits 4-7: result of balance reads.
 * - Bits 8-11: behavior of permits.
 * - Bits 12-15: behavior of deposits and withdrawals.
 * - Bits 16-39: part of a transfer that the recipient does not get, in ppm.
 * - Bits 40-63: additional charge on the payer, in ppm.
 * - Bits 64-95: the rate.
 * - Bits 96-255: account that cannot receive.
 */
const rateOf = (config: bigint): bigint => (config >> 64n) & 0xffffffffn

/** Returns true if a transfer changes balances. Some hostile tokens only return a result. */
function changesBalances(config: bigint): boolean {
  const kind = config & 15n
  return kind !== 2n && kind !== 9n
}

function answerOf(config: bigint): Answer {
  switch (Number(config & 15n)) {
    case 1:
      return NOTHING
    case 2:
    case 3:
      return wordOf(0n)
    case 4:
      return wordOf(2n)
    case 5:
      return { word: 1n, size: 64 }
    case 6:
      throw new Reverted('Refused')
    case 7:
      throw new Reverted(EMPTY)
    case 8:
      return { word: 0n, size: 31 }
    default:
      return TRUE
  }
}

/** Returns true for functions that World.sol's ModelToken declares. Other calls reach the fallback. */
function hasFunction({ kind }: Call): boolean {
  return ['transfer', 'transferFrom', 'approve', 'mint', 'configure', 'setHook', 'permit'].includes(kind)
}
