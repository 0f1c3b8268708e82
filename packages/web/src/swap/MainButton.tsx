/** The submit button of the order form. */
import type { ReactNode } from 'react'

/**
 * Id of the form of the amount field and the main button. Since both are in one form, Enter in the field presses the
 * button.
 */
export const ORDER_FORM = 'order'

type Props = {
  readonly children: ReactNode
  /** If absent, the button is disabled and its text gives the reason. */
  readonly onClick?: (() => void) | undefined
  /**
   * `act`: Enter in the amount field presses the button. `ask`: only a click does. `danger`: like `ask`, and the button
   * is red.
   */
  readonly kind?: 'act' | 'ask' | 'danger'
}

export function MainButton({ children, onClick, kind = 'act' }: Props) {
  return (
    <button
      type={kind === 'act' ? 'submit' : 'button'}
      form={kind === 'act' ? ORDER_FORM : undefined}
      className={`btn btn--go ${kind === 'danger' ? 'btn--danger' : ''}`}
      disabled={onClick === undefined}
      onClick={onClick}
    >
      {children}
    </button>
  )
}
