#!/bin/sh
# Prices, depth, a quote and its simulation with curl. Needs BASE_URL, CHAIN, SRC, DST, AMOUNT and FROM.
set -eu
ask() { curl --silent --show-error --fail-with-body --header 'Referer: https://your-domain.example/' "$@"; }

ask "$BASE_URL/chains" > /dev/null
ask "$BASE_URL/prices/$CHAIN?token=$SRC,$DST" && echo
ask "$BASE_URL/liquidity/$CHAIN?token=$SRC" && echo

route=$(ask "$BASE_URL/aggregator/$CHAIN?src=$SRC&dst=$DST&amount=$AMOUNT&from=$FROM&slippage=0.5")
echo "$route"

# The transaction stands in `tx`; here it is simulated once more, as any router's transaction can be.
to=$(echo "$route" | sed 's/.*"tx":{[^}]*"to":"\([^"]*\)".*/\1/')
data=$(echo "$route" | sed 's/.*"tx":{[^}]*"data":"\([^"]*\)".*/\1/')
ask "$BASE_URL/simulate/$CHAIN" --header 'Content-Type: application/json' --data @- <<JSON
{ "from": "$FROM", "to": "$to", "data": "$data", "tokenIn": "$SRC", "amountIn": "$AMOUNT", "tokenOut": "$DST" }
JSON
