/** Usage text of `sluice-server`. */

export const USAGE = `Usage: sluice-server [options]
       sluice-server referee <tx hash> --rpc <url>   judges a mined swap (sluice-server referee --help)

  --rpc <chain>=<url>[,<url>…]  nodes of a chain; again for other chains. Those without use the registry's public endpoints
  --chains <id>[,<id>…]         chains that are served; all of the registry when left out
  --port <port>                 3000; 0 takes a free one
  --data-dir <directory>        where known pools are kept between runs; the system's directory for such data when left out
  --pools <file>|<url>          list of a chain's pools to begin with, so that past logs need not be searched; again for other chains.
                                #sha256=<hash> at its end holds it to that hash, which a URL must have
  --redis-url <url>             shares the state of chains with other processes
  --role worker|indexer         of several: quotes only, or reads chains only; both when left out
  --help

An example: npx ./sluice-server-0.1.0.tgz --rpc 1=http://localhost:8545
All other settings are variables of the environment (packages/api/src/config.ts in the repository); the command line goes before them.`
