import type { ReactNode } from 'react'

type Props = { readonly label: string; readonly className?: string; readonly children: ReactNode }

/** A part of the page that scrolls on its own, by keys too. */
export function Scroll({ label, className = 'scroll', children }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys.
    <section className={className} tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
