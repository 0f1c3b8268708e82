// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

interface Token {
    function balanceOf(address) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
}

interface Locker {
    function lockAcquired(bytes calldata data) external returns (bytes memory);
}

struct Key {
    address currency0;
    address currency1;
    address hooks;
    address poolManager;
    uint24 fee;
    bytes32 parameters;
}

/// Records debts like the genuine vault: all of them must be zero at the end of a lock.
contract Vault {
    address private locker;
    address private synced;
    uint256 private reserve;
    mapping(address => int256) private deltas;
    uint256 private open;

    error NotLocked();
    error Unsettled();
    error NotSynced();

    receive() external payable {}

    function lock(bytes calldata data) external returns (bytes memory result) {
        locker = msg.sender;
        result = Locker(msg.sender).lockAcquired(data);
        if (open != 0) revert Unsettled();
        locker = address(0);
    }

    function change(address currency, int256 by) public {
        if (locker == address(0)) revert NotLocked();
        int256 was = deltas[currency];
        int256 next = was + by;
        deltas[currency] = next;
        if (was == 0 && next != 0) ++open;
        if (was != 0 && next == 0) --open;
    }

    function sync(address currency) external {
        synced = currency;
        reserve = Token(currency).balanceOf(address(this));
    }

    function settle() external payable returns (uint256 paid) {
        if (msg.sender != locker) revert NotLocked();
        address currency = synced;
        if (currency == address(0)) {
            paid = msg.value;
        } else {
            // Native token after a `sync` of another is refused.
            if (msg.value != 0) revert NotSynced();
            paid = Token(currency).balanceOf(address(this)) - reserve;
            synced = address(0);
        }
        change(currency, int256(paid));
    }

    function take(address currency, address to, uint256 amount) external {
        if (msg.sender != locker) revert NotLocked();
        change(currency, -int256(amount));
        if (currency == address(0)) {
            (bool ok,) = to.call{value: amount}("");
            require(ok);
        } else {
            Token(currency).transfer(to, amount);
        }
    }
}

/// A model of both managers. A pool has one state, and pays the expected output if the swap is exactly the expected one.
contract Manager {
    Vault private immutable VAULT;
    bool public paused;

    struct Pool {
        uint160 price;
        int24 tick;
        uint24 protocolFee;
        uint24 lpFee;
        uint128 liquidity;
        bool sellsCurrency0;
        uint256 amountIn;
        uint256 amountOut;
        uint24[] bins;
    }

    mapping(bytes32 => Pool) private pools;
    mapping(bytes32 => mapping(int16 => uint256)) private bitmap;
    mapping(bytes32 => mapping(int24 => int128)) private nets;
    mapping(bytes32 => mapping(uint24 => uint128[2])) private reserves;

    error UnexpectedSwap();

    event Initialize(
        bytes32 indexed id, address indexed currency0, address indexed currency1, address hooks, uint24 fee,
        bytes32 parameters, uint160 sqrtPriceX96, int24 tick
    );
    event Initialize(
        bytes32 indexed id, address indexed currency0, address indexed currency1, address hooks, uint24 fee,
        bytes32 parameters, uint24 activeId
    );

    event Paused(address account);
    event Unpaused(address account);

    constructor(Vault vault) {
        VAULT = vault;
    }

    function set(bytes32 id, uint160 price, int24 tick, uint24 protocolFee, uint24 lpFee, uint128 liquidity) external {
        Pool storage pool = pools[id];
        (pool.price, pool.tick, pool.protocolFee, pool.lpFee, pool.liquidity) =
            (price, tick, protocolFee, lpFee, liquidity);
    }

    function setTicks(bytes32 id, int24 spacing, int24[] calldata ticks, int128[] calldata net) external {
        for (uint256 k; k < ticks.length; ++k) {
            int24 at = ticks[k] / spacing;
            bitmap[id][int16(at >> 8)] |= 1 << uint8(uint24(at));
            nets[id][ticks[k]] = net[k];
        }
    }

    function setBins(bytes32 id, uint24[] calldata bins, uint128[2][] calldata held) external {
        pools[id].bins = bins;
        for (uint256 k; k < bins.length; ++k) reserves[id][bins[k]] = held[k];
    }

    /// Sets the only swap that a pool without a hook accepts, and its output.
    function expectSwap(bytes32 id, bool sellsCurrency0, uint256 amountIn, uint256 amountOut) external {
        Pool storage pool = pools[id];
        (pool.sellsCurrency0, pool.amountIn, pool.amountOut) = (sellsCurrency0, amountIn, amountOut);
    }

    function pause(bool on) external {
        paused = on;
        if (on) emit Paused(msg.sender);
        else emit Unpaused(msg.sender);
    }

    function emitCl(bytes32 id, Key calldata key) external {
        emit Initialize(id, key.currency0, key.currency1, key.hooks, key.fee, key.parameters, pools[id].price, pools[id].tick);
    }

    function emitBin(bytes32 id, Key calldata key) external {
        emit Initialize(id, key.currency0, key.currency1, key.hooks, key.fee, key.parameters, uint24(pools[id].price));
    }

    struct SwapParams {
        bool zeroForOne;
        int256 amountSpecified;
        uint160 sqrtPriceLimitX96;
    }

    function swap(Key calldata key, SwapParams calldata params, bytes calldata hookData) external returns (int256) {
        if (params.sqrtPriceLimitX96 == 0 || hookData.length != 0) revert UnexpectedSwap();
        return answer(key, params.zeroForOne, params.amountSpecified);
    }

    function swap(Key calldata key, bool swapForY, int128 amountSpecified, bytes calldata hookData)
        external
        returns (int256)
    {
        if (hookData.length != 0) revert UnexpectedSwap();
        return answer(key, swapForY, amountSpecified);
    }

    function answer(Key calldata key, bool sellsCurrency0, int256 amount) private returns (int256) {
        if (key.poolManager != address(this)) revert UnexpectedSwap();
        Pool storage pool = pools[keccak256(abi.encode(key))];
        // Pools with a hook pay 99 of 100.
        bool hooked = key.hooks != address(0);
        if (!hooked && (pool.sellsCurrency0 != sellsCurrency0 || -amount != int256(pool.amountIn))) revert UnexpectedSwap();
        int128 spent = int128(amount);
        int128 paid = int128(hooked ? -amount * 99 / 100 : int256(pool.amountOut));
        (int128 delta0, int128 delta1) = sellsCurrency0 ? (spent, paid) : (paid, spent);
        VAULT.change(key.currency0, delta0);
        VAULT.change(key.currency1, delta1);
        return (int256(delta0) << 128) | int256(uint256(uint128(delta1)));
    }

    /// Implements `getSlot0` of both managers, which return different words. A pool with bins is a pool of the bin manager.
    fallback() external {
        // getSlot0(bytes32)
        require(msg.sig == 0xc815641c);
        Pool storage pool = pools[abi.decode(msg.data[4:], (bytes32))];
        bytes memory words = pool.bins.length == 0
            ? abi.encode(pool.price, pool.tick, pool.protocolFee, pool.lpFee)
            : abi.encode(pool.price, pool.protocolFee, pool.lpFee);
        assembly {
            return(add(words, 32), mload(words))
        }
    }

    function getLiquidity(bytes32 id) external view returns (uint128) {
        return pools[id].liquidity;
    }

    function getPoolBitmapInfo(bytes32 id, int16 word) external view returns (uint256) {
        return bitmap[id][word];
    }

    function getPoolTickInfo(bytes32 id, int24 tick) external view returns (uint128, int128, uint256, uint256) {
        int128 net = nets[id][tick];
        return (uint128(net < 0 ? -net : net), net, 0, 0);
    }

    function getBin(bytes32 id, uint24 bin) external view returns (uint128, uint128, uint256, uint256) {
        return (reserves[id][bin][0], reserves[id][bin][1], 0, 0);
    }

    function getNextNonEmptyBin(bytes32 id, bool down, uint24 bin) external view returns (uint24 next) {
        next = down ? 0 : type(uint24).max;
        uint24[] storage bins = pools[id].bins;
        for (uint256 k; k < bins.length; ++k) {
            if (down && bins[k] < bin && bins[k] > next) next = bins[k];
            if (!down && bins[k] > bin && bins[k] < next) next = bins[k];
        }
    }
}
