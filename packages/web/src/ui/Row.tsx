/** Named values in a list (`<dl className="rows">`). */
import type { ReactNode } from 'react'
import { Skeleton } from './Skeleton.tsx'

type Props = { readonly name: ReactNode; readonly className?: string | undefined; readonly children: ReactNode }

/** Shows a value next to its name. */
export function Row({ name, className, children }: Props) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={className}>{children}</dd>
    </div>
  )
}

/** Shows a list of names whose values are still loading. */
export function SkeletonRows({ names, like }: { readonly names: readonly string[]; readonly like: string }) {
  return (
    <dl className="rows">
      {names.map((name) => (
        <Row key={name} name={name}>
          <Skeleton like={like} />
        </Row>
      ))}
    </dl>
  )
}
