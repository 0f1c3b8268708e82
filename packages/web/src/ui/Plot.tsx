/** A responsive container of plots. */
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'

type Props = { readonly children: (width: number) => ReactNode }

/** Redraws the plot for each width, because scaling an image would blur its text. */
export function Plot({ children }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const measure = () => setWidth(box.current!.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(box.current!)
    return () => observer.disconnect()
  }, [])
  return (
    <div className="plot__box" ref={box}>
      {width > 0 && children(width)}
    </div>
  )
}
