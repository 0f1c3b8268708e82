/** A scrollable section. */
import type { ReactNode } from 'react'

type Props = { readonly label: string; readonly className?: string; readonly children: ReactNode }

/** A section that scrolls on its own, also by keyboard. */
export function Scroll({ label, className = 'scroll', children }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll this.
    <section className={className} tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
