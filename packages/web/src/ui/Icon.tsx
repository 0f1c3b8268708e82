/** The icons of the page. */

/** Shapes of the icons. Screen readers ignore the icons, because each stands next to a text. */
const shapes = {
  warn: <path d="M10 3 18 17H2ZM10 8v4.2M10 14v.9" />,
  bad: <path d="M6.7 2.5h6.6l4.2 4.2v6.6l-4.2 4.2H6.7l-4.2-4.2V6.7ZM7 7l6 6m0-6-6 6" />,
  good: <path d="m4 10.5 4 4 8-9" />,
  info: <path d="M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15ZM10 9v5M10 6v1" />,
  claimed: <circle cx="10" cy="10" r="6" strokeDasharray="3 2.4" />,
  flip: <path d="M6 3v13M3 13l3 3 3-3M14 17V4M11 7l3-3 3 3" />,
} as const
export type IconName = keyof typeof shapes

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg viewBox="0 0 20 20" fill="none" stroke="currentColor" strokeWidth="1.7" aria-hidden="true">
      {shapes[name]}
    </svg>
  )
}
