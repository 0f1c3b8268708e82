/** A responsive container of plots. */
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'

type Props = { readonly children: (width: number) => ReactNode }

/** Draws the plot again for each new width. Scaling the drawing instead would change the size of its text. */
export function Plot({ children }: Props) {
  const boxRef = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const measure = () => setWidth(boxRef.current!.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(boxRef.current!)
    return () => observer.disconnect()
  }, [])
  return (
    <div className="plot__box" ref={boxRef}>
      {width > 0 && children(width)}
    </div>
  )
}
