// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface IERC20 {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

interface IWeth is IERC20 {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}

interface IPool {
    function token0() external view returns (address);
    function token1() external view returns (address);
}

interface IV2 is IPool {
    function swap(uint256 out0, uint256 out1, address to, bytes calldata data) external;
    function mint(address to) external returns (uint256);
}

interface IV3 is IPool {
    function swap(address to, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data)
        external
        returns (int256 amount0, int256 amount1);
    function mint(address to, int24 lower, int24 upper, uint128 liquidity, bytes calldata data)
        external
        returns (uint256, uint256);
}

struct PoolKey {
    address currency0;
    address currency1;
    uint24 fee;
    int24 tickSpacing;
    address hooks;
}

struct SwapParams {
    bool zeroForOne;
    int256 amountSpecified;
    uint160 sqrtPriceLimitX96;
}

interface IManager {
    function unlock(bytes calldata data) external returns (bytes memory);
    function swap(PoolKey calldata key, SwapParams calldata params, bytes calldata data) external returns (int256);
    function sync(address token) external;
    function settle() external payable returns (uint256);
    function take(address token, address to, uint256 amount) external;
}

/// @notice An ordinary token that anyone can mint. Transfers do not lower an unlimited allowance.
contract BenchToken {
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Approval(address indexed owner, address indexed spender, uint256 amount);

    function mint(address to, uint256 amount) external {
        totalSupply += amount;
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        _move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max) {
            require(allowed >= amount, "allowance");
            unchecked {
                allowance[from][msg.sender] = allowed - amount;
            }
        }
        _move(from, to, amount);
        return true;
    }

    function _move(address from, address to, uint256 amount) private {
        uint256 held = balanceOf[from];
        require(held >= amount, "balance");
        unchecked {
            balanceOf[from] = held - amount;
            balanceOf[to] += amount;
        }
        emit Transfer(from, to, amount);
    }
}

/// @notice A token with EIP-2612 permits.
contract BenchPermitToken is BenchToken {
    bytes32 private constant DOMAIN = keccak256("EIP712Domain(uint256 chainId,address verifyingContract)");
    bytes32 private constant PERMIT =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    mapping(address => uint256) public nonces;

    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
    {
        require(block.timestamp <= deadline, "deadline");
        bytes32 hash = keccak256(abi.encode(PERMIT, owner, spender, value, nonces[owner]++, deadline));
        bytes32 domain = keccak256(abi.encode(DOMAIN, block.chainid, address(this)));
        address signer = ecrecover(keccak256(abi.encodePacked("\x19\x01", domain, hash)), v, r, s);
        require(signer != address(0) && signer == owner, "signature");
        allowance[owner][spender] = value;
        emit Approval(owner, spender, value);
    }
}

/// @notice The minimum gas of a swap: no checks and no authentication. The amounts of Uniswap V2 are computed off
///   chain. Tokens are drawn from `from` directly into the pool. If `from` is zero, this contract already has them.
contract Floor {
    uint160 private constant LOWEST = 4295128740;
    uint160 private constant HIGHEST = 1461446703485210103287273052203988822378723970341;
    IWeth private immutable WETH;
    IManager private immutable MANAGER;

    constructor(IWeth weth, IManager manager) {
        (WETH, MANAGER) = (weth, manager);
    }

    receive() external payable {}

    function _pay(address token, address from, address to, uint256 amount) private {
        if (from == address(0)) IERC20(token).transfer(to, amount);
        else IERC20(token).transferFrom(from, to, amount);
    }

    function _v2(address token, address from, address pool, bool z, uint256 amountIn, uint256 out, address to) private {
        if (amountIn != 0) _pay(token, from, pool, amountIn);
        if (z) IV2(pool).swap(0, out, to, "");
        else IV2(pool).swap(out, 0, to, "");
    }

    function _v3(address token, address from, address pool, bool z, uint256 amountIn, address to)
        private
        returns (uint256)
    {
        (int256 amount0, int256 amount1) =
            IV3(pool).swap(to, z, int256(amountIn), z ? LOWEST : HIGHEST, abi.encode(token, from));
        return uint256(-(z ? amount1 : amount0));
    }

    function uniswapV3SwapCallback(int256 amount0, int256 amount1, bytes calldata data) external {
        (address token, address from) = abi.decode(data, (address, address));
        _pay(token, from, msg.sender, uint256(amount0 > 0 ? amount0 : amount1));
    }

    function v2(address t, address from, address pool, bool z, uint256 amountIn, uint256 out, address to) external {
        _v2(t, from, pool, z, amountIn, out, to);
    }

    function v3(address t, address from, address pool, bool z, uint256 amountIn, address to) external {
        _v3(t, from, pool, z, amountIn, to);
    }

    function v3v3(
        address t, address from, address p1, bool z1, address mid, address p2, bool z2, uint256 amountIn, address to
    ) external {
        uint256 amount = _v3(t, from, p1, z1, amountIn, address(this));
        _v3(mid, address(0), p2, z2, amount, to);
    }

    function v2v3(
        address t, address from, address p1, bool z1, uint256 midOut, address mid, address p2, bool z2, uint256 amountIn, address to
    ) external {
        _v2(t, from, p1, z1, amountIn, midOut, address(this));
        _v3(mid, address(0), p2, z2, midOut, to);
    }

    function split2(address t, address from, address p2, bool z, uint256 a2, uint256 o2, address p3, uint256 a3, address to)
        external
    {
        _v2(t, from, p2, z, a2, o2, to);
        _v3(t, from, p3, z, a3, to);
    }

    function split3(
        address t, address from, address p2, bool z, uint256 a2, uint256 o2, address p3, uint256 a3, address p4, uint256 a4, address to
    ) external {
        _v2(t, from, p2, z, a2, o2, to);
        _v3(t, from, p3, z, a3, to);
        _v3(t, from, p4, z, a4, to);
    }

    function nativeIn(address pool, bool z, address to) external payable {
        WETH.deposit{value: msg.value}();
        _v3(address(WETH), address(0), pool, z, msg.value, to);
    }

    function nativeOut(address t, address from, address pool, bool z, uint256 amountIn, address payable to) external {
        uint256 out = _v3(t, from, pool, z, amountIn, address(this));
        WETH.withdraw(out);
        (bool ok,) = to.call{value: out}("");
        require(ok);
    }

    function v4(address t, address from, PoolKey calldata key, bool z, uint256 amountIn, address to) external {
        MANAGER.unlock(abi.encode(t, from, key, z, amountIn, to));
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        (address t, address from, PoolKey memory key, bool z, uint256 amountIn, address to) =
            abi.decode(data, (address, address, PoolKey, bool, uint256, address));
        int256 delta = MANAGER.swap(key, SwapParams(z, -int256(amountIn), z ? LOWEST : HIGHEST), "");
        uint256 out = uint256(int256(z ? int128(delta) : int128(delta >> 128)));
        MANAGER.sync(t);
        _pay(t, from, address(MANAGER), amountIn);
        MANAGER.settle();
        MANAGER.take(z ? key.currency1 : key.currency0, to, out);
        return "";
    }
}

/// @notice Adds liquidity to pools from its own balances.
contract Filler {
    function v2(address pool, uint256 amount0, uint256 amount1) external {
        IERC20(IPool(pool).token0()).transfer(pool, amount0);
        IERC20(IPool(pool).token1()).transfer(pool, amount1);
        IV2(pool).mint(address(this));
    }

    function v3(address pool, int24 lower, int24 upper, uint128 liquidity) external {
        IV3(pool).mint(address(this), lower, upper, liquidity, "");
    }

    function uniswapV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata) external {
        IERC20(IPool(msg.sender).token0()).transfer(msg.sender, amount0);
        IERC20(IPool(msg.sender).token1()).transfer(msg.sender, amount1);
    }
}
