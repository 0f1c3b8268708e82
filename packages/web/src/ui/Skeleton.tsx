/** The placeholder of a loading number. */

/** Placeholder of a loading number. `like` sets its width. */
export function Skeleton({ like }: { readonly like: string }) {
  return (
    <span className="sk" aria-hidden="true">
      {like}
    </span>
  )
}
