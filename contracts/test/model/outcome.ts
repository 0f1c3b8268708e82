/** Outcomes of calls in the model: return data or errors. */

/**
 * Names of the errors with which a call may revert; the Guard may report any of them. `empty`: a revert without data.
 */
export type Errors = readonly string[]
/** Thrown if a contract reverts. */
export class Reverted {
  readonly errors: Errors
  constructor(...errors: string[]) {
    this.errors = errors
  }
}
/**
 * Thrown if calls are nested deeply. They cannot be compared, because the model has no limits of call depth and gas.
 */
export class TooDeep {}
/** Return data of a contract: its first word, and its size in bytes. */
export type Answer = { readonly word: bigint; readonly size: number }
export type Outcome = { readonly ok: true; readonly answer: Answer } | { readonly ok: false; readonly errors: Errors }
