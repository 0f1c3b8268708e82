import type { ReactNode } from 'react'

type FormRowProps = {
  readonly name: string
  /** Id of the field that the label belongs to. */
  readonly id: string
  readonly required: boolean | undefined
  readonly children: ReactNode
}

/** A field of a form beside its name. */
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
