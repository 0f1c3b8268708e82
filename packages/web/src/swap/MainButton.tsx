import type { ReactNode } from 'react'

/** Form of the amount field and the main button: Enter in the field does what the button says. */
export const ORDER_FORM = 'order'

type Props = {
  readonly children: ReactNode
  /** Absent: the button is disabled, and says what it waits for. */
  readonly onClick?: (() => void) | undefined
  /** `ask` is never pressed by Enter in the field; `danger` is red as well. */
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
