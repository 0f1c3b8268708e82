/** Outcomes of calls: answers and errors. */

/** Names of the errors with which a call may revert; any of them is right. `empty` is a revert without data. */
export type Errors = readonly string[]
/** Thrown if a contract reverts. */
export class Reverted {
  readonly errors: Errors
  constructor(...errors: string[]) {
    this.errors = errors
  }
}
/** Thrown if calls are nested too deeply to compare, because the model has no limits of call depth and gas. */
export class TooDeep {}
/** Return data of a contract: its first word, and its size in bytes. */
export type Answer = { readonly word: bigint; readonly size: number }
export type Outcome = { readonly ok: true; readonly answer: Answer } | { readonly ok: false; readonly errors: Errors }
