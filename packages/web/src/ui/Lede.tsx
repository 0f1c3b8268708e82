/** The heading and the introduction of a page. */
import type { ReactNode } from 'react'
import { type PageName, pages } from '../pages.ts'

type Props = {
  readonly page: PageName
  /** Text after the introduction, in the same paragraph. */
  readonly extra?: ReactNode
  /** Element next to the introduction. */
  readonly children?: ReactNode
}

export function Lede({ page, extra, children }: Props) {
  const { heading, lede } = pages[page]
  return (
    <div className="lede">
      <h1>{heading}</h1>
      <p>
        {lede}
        {extra}
      </p>
      {children}
    </div>
  )
}
