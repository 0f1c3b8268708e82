/** A scrollable section. */
import type { ReactNode } from 'react'

type Props = { readonly label: string; readonly className?: string; readonly children: ReactNode }

/** Scrolls its content with the pointer and with the keyboard. */
export function Scroll({ label, className = 'scroll', children }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll this.
    <section className={className} tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
