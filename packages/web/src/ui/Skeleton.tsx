/** The placeholder for a number that is loading. */

/** Shows an empty box with the width of the text `like`. */
export function Skeleton({ like }: { readonly like: string }) {
  return (
    <span className="sk" aria-hidden="true">
      {like}
    </span>
  )
}
