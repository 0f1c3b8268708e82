/** A labeled row of a form. */
import type { ReactNode } from 'react'

type FormRowProps = {
  readonly name: string
  /** Id of the labeled field. */
  readonly id: string
  readonly required: boolean | undefined
  readonly children: ReactNode
}

/** Shows a form field next to its label. */
export function FormRow({ name, id, required, children }: FormRowProps) {
  return (
    <div className="form__r">
      <label htmlFor={id}>
        {name}
        {required && (
          <span className="req" title="required">
            {' '}
            *
          </span>
        )}
      </label>
      <div>{children}</div>
    </div>
  )
}
