/** Links to help with errors of a quote. */
import { ClientError } from '@sluice/client'
import { Link } from '@tanstack/react-router'

type Props = { readonly error: unknown; readonly chainId: number; readonly token: string | undefined }

/** Shows a link to help with an error that a change of the order cannot fix. Shows nothing for other errors. */
export function ErrorHelp({ error, chainId, token }: Props) {
  const code = error instanceof ClientError ? error.details.serviceCode : undefined
  if (code === 'GUARD_NOT_DEPLOYED')
    return (
      <Link to="/app/chains" search={{ chain: chainId }}>
        How
      </Link>
    )
  if (code === 'ROUTE_REVERTED' && token !== undefined)
    return (
      <Link to="/app/api" search={{ chain: chainId, ep: 'tokens', set: { token } }}>
        What the token does
      </Link>
    )
  return null
}
