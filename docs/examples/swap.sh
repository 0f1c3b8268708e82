#!/bin/sh
# Prices, depth, a quote, and its simulation with curl. Needs BASE_URL, CHAIN, SRC, DST, AMOUNT, and FROM.
set -eu
request() { curl --silent --show-error --fail-with-body --header 'Referer: https://your-domain.example/' "$@"; }

request "$BASE_URL/chains" > /dev/null
request "$BASE_URL/prices/$CHAIN?token=$SRC,$DST" && echo
request "$BASE_URL/liquidity/$CHAIN?token=$SRC" && echo

route=$(request "$BASE_URL/aggregator/$CHAIN?src=$SRC&dst=$DST&amount=$AMOUNT&from=$FROM&slippage=0.5")
echo "$route"

# Simulates the transaction in `tx` again. This works with transactions of any router.
to=$(echo "$route" | sed 's/.*"tx":{[^}]*"to":"\([^"]*\)".*/\1/')
data=$(echo "$route" | sed 's/.*"tx":{[^}]*"data":"\([^"]*\)".*/\1/')
request "$BASE_URL/simulate/$CHAIN" --header 'Content-Type: application/json' --data @- <<JSON
{ "from": "$FROM", "to": "$to", "data": "$data", "tokenIn": "$SRC", "amountIn": "$AMOUNT", "tokenOut": "$DST" }
JSON
