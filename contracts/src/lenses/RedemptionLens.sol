// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ICurveAddressProvider} from "../interfaces/ICurveAddressProvider.sol";
import {IRedeemable, ISignedCoins} from "../interfaces/IRedeemable.sol";

/// @title RedemptionLens
/// @notice Reads the tokens for which a share is redeemed, and the amount that can be paid out now; never deployed. The
///   contract at an address may be hostile: each call gets a fixed amount of gas, only a limited number of words of its
///   return data is read, and reported assets count only up to the balances of their tokens.
contract RedemptionLens {
    /// @dev Kinds of shares, by their redemption. A share of kind None is not redeemed, or its contract used too much
    ///   gas.
    enum Kind {
        None,
        /// One token, at a rate that the share reports.
        Vault,
        Reserve,
        Market,
        Staked,
        /// Several tokens; a share is an equal part of each.
        Pair,
        Weighted,
        /// Several tokens of equal value after their rates. The virtual price is the value of a share.
        Stable,
        /// Several tokens of any values. The virtual price is the value of a share.
        Crypto
    }

    struct State {
        Kind kind;
        uint256 supply;
        address[] tokens;
        /// Base units of each token that can be paid out.
        uint256[] held;
        /// Weights, or rates, with 18 decimals; empty if all are equal.
        uint256[] scales;
        /// A number of shares and the assets for which they are redeemed; with several tokens, 1e18 and the virtual
        /// price.
        uint256 sample;
        uint256 redeemed;
        /// Assets that the holder can withdraw now, if that is less than its balance.
        uint256 limit;
    }

    uint256 private constant CALL_GAS = 300_000;
    /// @dev For one share with all of its calls; nearly all shares use less than a tenth.
    uint256 private constant MAX_GAS = 4_000_000;
    uint256 private constant MAX_WORDS = 32;
    uint256 private constant MAX_COINS = 8;
    uint256 private constant ONE = 1e18;
    address private constant DEAD = 0x000000000000000000000000000000000000dEaD;
    /// @dev Ids, in Curve's address provider, of the registries of pools without a factory: stable pools, and crypto
    ///   pools.
    uint256 private constant STABLE_REGISTRY = 0;
    uint256 private constant CRYPTO_REGISTRY = 5;
    address private constant CURVE_NATIVE = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

    /// @notice Returns the tokens of a share, and the amounts for which it is redeemed.
    /// @param holder An account that may have a balance of the share, such as a pool.
    /// @param registries Curve's address provider; zero if the chain has none.
    function read(address share, address holder, address registries) external view returns (State memory state) {
        uint256 enough = gasleft() > MAX_GAS ? gasleft() - MAX_GAS : 0;
        state.limit = type(uint256).max;
        state.supply = _number(share, abi.encodeCall(IRedeemable.totalSupply, ()));
        if (state.supply == 0) return state;
        if (!_readSingle(state, share)) if (!_readPair(state, share)) {
            if (!_readCurve(state, share, registries)) _readBalancer(state, share);
        }
        if (state.kind == Kind.Vault) _limit(state, share, holder);
        if (gasleft() < enough) state.kind = Kind.None;
    }

    /// @dev Reads a share of one token. Returns false if `share` is not one.
    function _readSingle(State memory state, address share) private view returns (bool) {
        address token;
        // A third of the supply: a small sample would be rounded to whole units, and no holder redeems the whole supply.
        state.sample = state.supply / 3 + 1;
        if ((token = _address(share, abi.encodeCall(IRedeemable.asset, ()))) != address(0)) {
            state.kind = Kind.Vault;
            (bool ok, uint256 assets) = _word(share, abi.encodeCall(IRedeemable.previewRedeem, (state.sample)));
            if (!ok) assets = _number(share, abi.encodeCall(IRedeemable.convertToAssets, (state.sample)));
            state.redeemed = assets;
        } else if ((token = _address(share, abi.encodeCall(IRedeemable.UNDERLYING_ASSET_ADDRESS, ()))) != address(0)) {
            state.kind = Kind.Reserve;
            state.redeemed = state.sample;
        } else if ((token = _address(share, abi.encodeCall(IRedeemable.STAKED_TOKEN, ()))) != address(0)) {
            state.kind = Kind.Staked;
            (bool ok, uint256 assets) = _word(share, abi.encodeCall(IRedeemable.previewRedeem, (state.sample)));
            // The first kind is 1:1.
            state.redeemed = ok ? assets : state.sample;
        } else {
            return _readByRate(state, share);
        }
        return _holdsOne(state, token, _balance(token, share));
    }

    /// @dev Reads a cToken or rETH, which report a rate. Returns false if `share` is neither.
    function _readByRate(State memory state, address share) private view returns (bool) {
        state.sample = ONE;
        (bool ok, uint256 rate) = _word(share, abi.encodeCall(IRedeemable.exchangeRateStored, ()));
        if (ok) {
            state.kind = Kind.Market;
            state.redeemed = rate;
            address token = _address(share, abi.encodeCall(IRedeemable.underlying, ()));
            return _holdsOne(state, token, token == address(0) ? share.balance : _balance(token, share));
        }
        (ok, rate) = _word(share, abi.encodeCall(IRedeemable.getExchangeRate, ()));
        if (!ok) return false;
        state.kind = Kind.Staked;
        state.redeemed = rate;
        return _holdsOne(state, address(0), share.balance);
    }

    /// @dev Sets the only token of a share. Returns true.
    function _holdsOne(State memory state, address token, uint256 held) private pure returns (bool) {
        state.tokens = new address[](1);
        state.held = new uint256[](1);
        (state.tokens[0], state.held[0]) = (token, held);
        return true;
    }

    /// @dev Reads a share of a Uniswap V2 pair. Returns false if `share` is not one.
    function _readPair(State memory state, address share) private view returns (bool) {
        address token0 = _address(share, abi.encodeCall(IRedeemable.token0, ()));
        address token1 = _address(share, abi.encodeCall(IRedeemable.token1, ()));
        if (token0 == address(0) || token1 == address(0)) return false;
        uint256[] memory reserves = _words(share, abi.encodeCall(IRedeemable.getReserves, ()));
        if (reserves.length < 2) return false;
        state.kind = Kind.Pair;
        state.tokens = new address[](2);
        state.held = new uint256[](2);
        (state.tokens[0], state.tokens[1]) = (token0, token1);
        state.held[0] = _min(reserves[0], _balance(token0, share));
        state.held[1] = _min(reserves[1], _balance(token1, share));
        return true;
    }

    /// @dev Reads a share of a Curve pool. Returns false if `share` is not one.
    function _readCurve(State memory state, address share, address registries) private view returns (bool) {
        address pool = _curvePool(share, registries);
        (bool ok, uint256 price) = _word(pool, abi.encodeCall(IRedeemable.get_virtual_price, ()));
        if (!ok) return false;
        address[] memory tokens = new address[](MAX_COINS);
        uint256[] memory held = new uint256[](MAX_COINS);
        uint256 count = 0;
        for (; count < MAX_COINS; ++count) {
            (tokens[count], held[count]) = _coin(pool, count);
            if (tokens[count] == address(0)) break;
            uint256 there =
                tokens[count] == CURVE_NATIVE ? pool.balance : _balance(tokens[count], pool);
            held[count] = _min(held[count], there);
        }
        if (count < 2) return false;
        assembly ("memory-safe") {
            mstore(tokens, count)
            mstore(held, count)
        }
        (state.tokens, state.held, state.sample, state.redeemed) = (tokens, held, ONE, price);
        (ok,) = _word(pool, abi.encodeCall(IRedeemable.gamma, ()));
        state.kind = ok ? Kind.Crypto : Kind.Stable;
        if (!ok) state.scales = _curveRates(pool, tokens);
        return true;
    }

    /// @dev Returns the share itself, or the pool that it names if that pool names the share. Curve's first shares and
    ///   pools, such as 3pool's, do not name each other, but its registries have them. Zero if there is no pool.
    function _curvePool(address share, address registries) private view returns (address pool) {
        (bool ok,) = _word(share, abi.encodeCall(IRedeemable.get_virtual_price, ()));
        if (ok) return share;
        pool = _address(share, abi.encodeCall(IRedeemable.minter, ()));
        if (pool != address(0)) {
            if (_address(pool, abi.encodeCall(IRedeemable.token, ())) == share) return pool;
            if (_address(pool, abi.encodeCall(IRedeemable.lp_token, ())) == share) return pool;
        }
        pool = _registeredPool(share, registries, STABLE_REGISTRY);
        if (pool == address(0)) pool = _registeredPool(share, registries, CRYPTO_REGISTRY);
    }

    /// @dev Returns the pool of a share in one of Curve's registries; zero if there is none, or if its share is another
    ///   token.
    function _registeredPool(address share, address registries, uint256 id) private view returns (address pool) {
        address registry = _address(registries, abi.encodeCall(ICurveAddressProvider.get_address, (id)));
        pool = _address(registry, abi.encodeCall(IRedeemable.get_pool_from_lp_token, (share)));
        if (_address(registry, abi.encodeCall(IRedeemable.get_lp_token, (pool))) != share) return address(0);
    }

    /// @dev Returns the stored rates of a Curve pool, 18 decimals; empty if there are none. The pool returns factors
    ///   with 36 decimals, less those of the token.
    function _curveRates(address pool, address[] memory tokens) private view returns (uint256[] memory rates) {
        uint256[] memory words = _words(pool, abi.encodeCall(IRedeemable.stored_rates, ()));
        // Older pools return a fixed array; others return offset and length first.
        uint256 from = words.length == tokens.length ? 0 : 2;
        if (words.length < from + tokens.length) return rates;
        rates = new uint256[](tokens.length);
        for (uint256 k = 0; k < tokens.length; ++k) {
            uint256 places =
                tokens[k] == CURVE_NATIVE ? 18 : _number(tokens[k], abi.encodeCall(IRedeemable.decimals, ()));
            if (places > 18) return new uint256[](0);
            rates[k] = words[from + k] / 10 ** (18 - places);
        }
    }

    /// @dev Returns a coin of a Curve pool and its balance; zero if there is no coin. First-generation pools have
    ///   signed indices.
    function _coin(address pool, uint256 index) private view returns (address token, uint256 balance) {
        token = _address(pool, abi.encodeCall(IRedeemable.coins, (index)));
        if (token != address(0)) return (token, _number(pool, abi.encodeCall(IRedeemable.balances, (index))));
        int128 signed = int128(uint128(index));
        token = _address(pool, abi.encodeCall(ISignedCoins.coins, (signed)));
        if (token != address(0)) balance = _number(pool, abi.encodeCall(ISignedCoins.balances, (signed)));
    }

    /// @dev Reads a share of a Balancer V2 pool. A share names its vault, and counts only if the vault has the share as
    ///   the pool of its id.
    function _readBalancer(State memory state, address share) private view {
        (bool ok, uint256 id) = _word(share, abi.encodeCall(IRedeemable.getPoolId, ()));
        address vault = ok ? _address(share, abi.encodeCall(IRedeemable.getVault, ())) : address(0);
        if (vault == address(0) || _address(vault, abi.encodeCall(IRedeemable.getPool, (bytes32(id)))) != share) return;
        uint256[] memory words = _words(vault, abi.encodeCall(IRedeemable.getPoolTokens, (bytes32(id))));
        // Three words, then two arrays of the same length.
        if (words.length < 5) return;
        uint256 count = words[3];
        if (count < 2 || count > MAX_COINS || words.length < 5 + 2 * count) return;
        uint256[] memory weights = _words(share, abi.encodeCall(IRedeemable.getNormalizedWeights, ()));
        bool isWeighted = weights.length >= 2 + count;
        state.tokens = new address[](count);
        state.held = new uint256[](count);
        state.scales = new uint256[](count);
        uint256 kept = 0;
        for (uint256 k = 0; k < count; ++k) {
            address token = address(uint160(words[4 + k]));
            if (token == share) continue;
            state.tokens[kept] = token;
            state.held[kept] = _min(words[5 + count + k], _balance(token, vault));
            if (isWeighted) state.scales[kept] = weights[2 + k];
            else state.scales[kept] = _rate(share, token);
            ++kept;
        }
        _shorten(state, kept);
        (ok, state.redeemed) = _word(share, abi.encodeCall(IRedeemable.getRate, ()));
        state.sample = ONE;
        if (kept < 2 || (!isWeighted && !ok)) return;
        state.kind = isWeighted ? Kind.Weighted : Kind.Stable;
        _countShares(state, share);
    }

    /// @dev Shortens the lists of the state to `count` entries.
    function _shorten(State memory state, uint256 count) private pure {
        (address[] memory tokens, uint256[] memory held, uint256[] memory scales) =
        (state.tokens, state.held, state.scales);
        assembly ("memory-safe") {
            mstore(tokens, count)
            mstore(held, count)
            mstore(scales, count)
        }
    }

    /// @dev Returns the rate of a token in a Balancer pool, 18 decimals; 1 if the pool has none.
    function _rate(address share, address token) private view returns (uint256 rate) {
        bool ok;
        (ok, rate) = _word(share, abi.encodeCall(IRedeemable.getTokenRate, (token)));
        if (!ok) rate = ONE;
    }

    /// @dev Sets the supply without shares that the pool itself holds, and with unpaid fees, which count as shares.
    function _countShares(State memory state, address share) private view {
        (bool ok, uint256 supply) = _word(share, abi.encodeCall(IRedeemable.getActualSupply, ()));
        if (!ok) (ok, supply) = _word(share, abi.encodeCall(IRedeemable.getVirtualSupply, ()));
        if (ok) state.supply = supply;
    }

    /// @dev Sets `limit`. A holder that cannot redeem all of its shares shows the amount that the vault can pay now.
    function _limit(State memory state, address share, address holder) private view {
        address[3] memory holders = [holder, DEAD, share];
        for (uint256 k = 0; k < holders.length; ++k) {
            uint256 owned = _balance(share, holders[k]);
            if (owned == 0) continue;
            (bool ok, uint256 redeemable) = _word(share, abi.encodeCall(IRedeemable.maxRedeem, (holders[k])));
            if (!ok || redeemable >= owned) continue;
            state.limit =
                _min(state.limit, _number(share, abi.encodeCall(IRedeemable.maxWithdraw, (holders[k]))));
        }
    }

    /// @dev Returns the lower of two numbers.
    function _min(uint256 a, uint256 b) private pure returns (uint256) {
        return a < b ? a : b;
    }

    /// @dev Returns the balance of an account; zero if the call fails.
    function _balance(address token, address account) private view returns (uint256) {
        return _number(token, abi.encodeCall(IRedeemable.balanceOf, (account)));
    }

    /// @dev Returns the address that a getter returns; zero if the call fails, or if the word is not an address.
    function _address(address target, bytes memory input) private view returns (address) {
        uint256 word = _number(target, input);
        return word >> 160 == 0 ? address(uint160(word)) : address(0);
    }

    /// @dev Returns the first word of the return data; zero if the call fails.
    function _number(address target, bytes memory input) private view returns (uint256 word) {
        bool ok;
        (ok, word) = _word(target, input);
        if (!ok) word = 0;
    }

    /// @dev Returns the first word of the return data. `ok` is false if the call fails or returns less.
    function _word(address target, bytes memory input) private view returns (bool ok, uint256 word) {
        assembly ("memory-safe") {
            ok := staticcall(CALL_GAS, target, add(input, 32), mload(input), 0, 32)
            ok := and(ok, gt(returndatasize(), 31))
            word := mload(0)
        }
    }

    /// @dev Returns the first words of return data of any length; none if the call fails.
    function _words(address target, bytes memory input) private view returns (uint256[] memory words) {
        words = new uint256[](MAX_WORDS);
        assembly ("memory-safe") {
            let ok := staticcall(CALL_GAS, target, add(input, 32), mload(input), 0, 0)
            let count := mul(ok, div(returndatasize(), 32))
            if gt(count, MAX_WORDS) { count := MAX_WORDS }
            returndatacopy(add(words, 32), 0, mul(count, 32))
            mstore(words, count)
        }
    }
}
