/** Notices and error messages. */
import type { ReactNode } from 'react'
import { errorTextOf } from '../service/error-messages.ts'
import { Icon } from './Icon.tsx'

type Props = {
  readonly kind: 'info' | 'good' | 'warn' | 'bad'
  readonly title: ReactNode
  readonly children?: ReactNode
  /** True if screen readers announce the notice at once. */
  readonly urgent?: boolean
}

export function Notice({ kind, title, children, urgent = false }: Props) {
  return (
    <div className={`notice notice--${kind}`} role={urgent ? 'alert' : undefined}>
      <Icon name={kind} />
      <div>
        <b>{title}</b> {children}
      </div>
    </div>
  )
}

/** Shows the message of an error. */
export function Failure({ error, children }: { readonly error: unknown; readonly children?: ReactNode }) {
  const { title, text, smallText } = errorTextOf(error)
  return (
    <Notice kind="bad" title={title} urgent>
      {text} {children}
      {smallText && <span className="q small">{smallText}</span>}
    </Notice>
  )
}
