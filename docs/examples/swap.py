"""A quote and its simulation with Python's standard library. Needs BASE_URL, CHAIN, SRC, DST, AMOUNT, and FROM."""
import json
import os
import urllib.error
import urllib.parse
import urllib.request

base_url, chain, src, dst, amount, sender = (
    os.environ[name] for name in ("BASE_URL", "CHAIN", "SRC", "DST", "AMOUNT", "FROM")
)


def request(path, query=None, body=None):
    """Returns the response as JSON. Exits on an error, in both versions of the error format."""
    url = f"{base_url}{path}" + (f"?{urllib.parse.urlencode(query)}" if query else "")
    headers = {"Referer": "https://your-domain.example/", "Content-Type": "application/json"}
    data = json.dumps(body).encode() if body else None
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=15) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        raise SystemExit(f"{error.code}: {error.read().decode()}") from error


route = request(f"/aggregator/{chain}", {"src": src, "dst": dst, "amount": amount, "from": sender, "slippage": "0.5"})
if not route.get("tx") or route["toAmount"] == "0":
    raise SystemExit("no route")

tx = route["tx"]
gas_limit = -(-int(route["gasEstimate"]) * 12 // 10)  # the estimate plus 20 percent, rounded up
result = request(
    f"/simulate/{chain}",
    body={"from": sender, "to": tx["to"], "data": tx["data"], "tokenIn": src, "amountIn": amount, "tokenOut": dst},
)
print(json.dumps({"toAmount": route["toAmount"], "gasLimit": gas_limit, "simulated": result["amountOut"]}))
