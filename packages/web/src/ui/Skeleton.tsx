/** The placeholder of a loading number. */

/** Shows an empty box with the width of the text `like`. */
export function Skeleton({ like }: { readonly like: string }) {
  return (
    <span className="sk" aria-hidden="true">
      {like}
    </span>
  )
}
