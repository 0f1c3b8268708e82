/** A form row of the API console. */
import { Fragment, memo, type ReactNode } from 'react'
import { FormRow } from '../ui/FormRow.tsx'
import type { ParameterField } from './openapi.ts'

type FieldRowProps = {
  readonly field: ParameterField
  readonly value: string
  readonly onChange: (name: string, text: string) => void
}

/**
 * Shows a parameter with its input field and description. Memoized, so that it renders again only if this
 * parameter changes.
 */
export const FieldRow = memo(function FieldRow({ field, value, onChange }: FieldRowProps) {
  const { name, required, description, hint, isJson } = field
  const sharedProps = {
    className: 'field',
    id: `p-${name}`,
    placeholder: hint,
    required,
    spellCheck: false,
    'aria-describedby': `d-${name}`,
  }
  return (
    <FormRow name={name} id={`p-${name}`} required={required}>
      {isJson ? (
        <textarea {...sharedProps} rows={5} value={value} onChange={(event) => onChange(name, event.target.value)} />
      ) : (
        <input
          {...sharedProps}
          autoComplete="off"
          value={value}
          onChange={(event) => onChange(name, event.target.value.trim())}
        />
      )}
      <p className="note" id={`d-${name}`}>
        <Prose text={description} />
      </p>
    </FormRow>
  )
})

/** Shows a text, with the parts between backticks as code. */
export function Prose({ text }: { readonly text: string }) {
  return text.split('`').map((part, k): ReactNode => {
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no key other than their index.
    return k % 2 === 1 ? <code key={k}>{part}</code> : <Fragment key={k}>{part}</Fragment>
  })
}
