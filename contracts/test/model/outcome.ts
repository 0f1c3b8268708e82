/** Outcomes of calls: answers and errors. */

/** Names of errors that a call may end with. `empty` stands for no data. */
export type Errors = readonly string[]
/** Thrown if a contract reverts. */
export class Reverted {
  readonly errors: Errors
  constructor(...errors: string[]) {
    this.errors = errors
  }
}
/** Thrown if calls are nested too deep to compare: the EVM's limits of depth and gas are not modeled. */
export class TooDeep {}
/** Answer of a contract: the first word of what it returned, and the number of bytes. */
export type Answer = { readonly word: bigint; readonly size: number }
export type Outcome = { readonly ok: true; readonly answer: Answer } | { readonly ok: false; readonly errors: Errors }
