import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'

type Props = { readonly children: (width: number) => ReactNode }

/** The box of a plot, which is drawn anew for each width that it gets: an image that is stretched blurs its letters. */
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
