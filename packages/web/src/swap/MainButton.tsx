/** The submit button of the order form. */
import type { ReactNode } from 'react'

/** Id of the form that contains the amount field and the main button, so that Enter in the field presses the button. */
export const ORDER_FORM = 'order'

type Props = {
  readonly children: ReactNode
  /** If absent, the button is disabled and its text gives the reason. */
  readonly onClick?: (() => void) | undefined
  /** Enter in the amount field presses only an `act` button. A `danger` button is red. */
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
