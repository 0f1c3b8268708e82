// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMaverickV2Pool} from "../../src/interfaces/IMaverickV2.sol";
import {Token} from "./Tokens.sol";

/// @notice Pools, with limited liquidity, of the families whose bytecode is not published as a package: each consumes at most `capacity`
///   of its input, requests its payment like its family, and pays one unit of output for each unit that it consumes.
/// @dev Native token is the zero address. Output tokens are minted.
abstract contract PartialPool {
    uint256 public capacity;

    constructor(uint256 capacity_) {
        capacity = capacity_;
    }

    receive() external payable {}

    function _consumed(uint256 amount) internal view returns (uint256) {
        return amount < capacity ? amount : capacity;
    }

    function _pay(address token, address to, uint256 amount) internal {
        if (token != address(0)) return Token(token).mint(to, amount);
        (bool ok,) = to.call{value: amount}("");
        require(ok, "native refused");
    }

    function _callBack(bytes memory data) internal {
        (bool ok, bytes memory answer) = msg.sender.call(data);
        if (ok) return;
        assembly ("memory-safe") {
            revert(add(answer, 0x20), mload(answer))
        }
    }
}

/// @notice Ambient's contract: draws its input by allowance, and returns unsold native token.
contract PartialAmbient is PartialPool {
    constructor(uint256 capacity_) PartialPool(capacity_) {}

    function userCmd(uint16, bytes calldata command) external payable {
        (address base, address quote,, bool isBuy,, uint256 amount) =
            abi.decode(command, (address, address, uint256, bool, bool, uint256));
        uint256 consumed = _consumed(amount);
        if (!isBuy) (base, quote) = (quote, base);
        if (base == address(0)) _pay(base, msg.sender, msg.value - consumed);
        else Token(base).transferFrom(msg.sender, address(this), consumed);
        _pay(quote, msg.sender, consumed);
    }
}

/// @notice iZiSwap's pool: requests the consumed amount, as the first or the second parameter.
contract PartialIziswap is PartialPool {
    address internal immutable X;
    address internal immutable Y;

    constructor(uint256 capacity_, address x, address y) PartialPool(capacity_) {
        (X, Y) = (x, y);
    }

    function swapX2Y(address to, uint128 amount, int24, bytes calldata) external returns (uint256, uint256) {
        uint256 consumed = _consumed(amount);
        _swap(to, consumed, X, Y, abi.encodeWithSignature("swapX2YCallback(uint256,uint256,bytes)", consumed, 7, ""));
        return (consumed, consumed);
    }

    function swapY2X(address to, uint128 amount, int24, bytes calldata) external returns (uint256, uint256) {
        uint256 consumed = _consumed(amount);
        _swap(to, consumed, Y, X, abi.encodeWithSignature("swapY2XCallback(uint256,uint256,bytes)", 7, consumed, ""));
        return (consumed, consumed);
    }

    function _swap(address to, uint256 consumed, address from, address into, bytes memory callback) private {
        _pay(into, to, consumed);
        uint256 before = Token(from).balanceOf(address(this));
        _callBack(callback);
        require(Token(from).balanceOf(address(this)) - before == consumed, "not paid");
    }
}

/// @notice A pool of kyber-elastic: requests the consumed amount in one of two signed parameters.
contract PartialKyberElastic is PartialPool {
    address internal immutable TOKEN0;
    address internal immutable TOKEN1;

    constructor(uint256 capacity_, address token0, address token1) PartialPool(capacity_) {
        (TOKEN0, TOKEN1) = (token0, token1);
    }

    function swap(address to, int256 amount, bool isToken0, uint160, bytes calldata)
        external
        returns (int256 delta0, int256 delta1)
    {
        int256 consumed = int256(_consumed(uint256(amount)));
        (delta0, delta1) = isToken0 ? (consumed, -consumed) : (-consumed, consumed);
        _pay(isToken0 ? TOKEN1 : TOKEN0, to, uint256(consumed));
        Token sold = Token(isToken0 ? TOKEN0 : TOKEN1);
        uint256 before = sold.balanceOf(address(this));
        _callBack(abi.encodeWithSignature("swapCallback(int256,int256,bytes)", delta0, delta1, ""));
        require(sold.balanceOf(address(this)) - before == uint256(consumed), "not paid");
    }
}

/// @notice A pool of maverick-v2: takes the consumed amount of what it received before, and keeps the rest.
contract PartialMaverick is PartialPool {
    address internal immutable A;
    address internal immutable B;

    constructor(uint256 capacity_, address a, address b) PartialPool(capacity_) {
        (A, B) = (a, b);
    }

    function swap(address to, IMaverickV2Pool.SwapParams calldata params, bytes calldata data)
        external
        returns (uint256 consumed, uint256)
    {
        require(data.length == 0 && !params.exactOutput, "not paid first");
        require(params.tickLimit == (params.tokenAIn ? type(int32).max : type(int32).min), "limited");
        require(Token(params.tokenAIn ? A : B).balanceOf(address(this)) >= params.amount, "not paid");
        consumed = _consumed(params.amount);
        _pay(params.tokenAIn ? B : A, to, consumed);
        return (consumed, consumed);
    }
}

/// @notice A singleton that records what its caller owes, like Ekubo's core and Pancake's vault with its manager: both reject a lock
///   that ends with a debt.
abstract contract PartialSingleton is PartialPool {
    mapping(address => int256) internal owed;
    mapping(address => uint256) internal before;

    function _trade(address from, address into, uint256 amount) internal returns (uint256 consumed) {
        consumed = _consumed(amount);
        owed[from] += int256(consumed);
        owed[into] -= int256(consumed);
    }

    function _holds(address token) internal view returns (uint256) {
        return token == address(0) ? address(this).balance : Token(token).balanceOf(address(this));
    }

    function _settled(address[3] memory tokens) internal view {
        for (uint256 k; k < 3; ++k) require(owed[tokens[k]] == 0, "something is owed");
    }
}

/// @notice Ekubo's core with three tokens.
contract PartialEkubo is PartialSingleton {
    address[3] internal tokens;

    constructor(uint256 capacity_, address[3] memory tokens_) PartialPool(capacity_) {
        tokens = tokens_;
    }

    fallback() external payable {
        bytes4 name = msg.sig;
        if (name == bytes4(keccak256("lock()"))) {
            before[address(0)] = address(this).balance;
            _callBack(bytes.concat(bytes4(0), bytes32(uint256(1)), msg.data[4:]));
            // Native token counts as paid when it arrives.
            owed[address(0)] -= int256(address(this).balance) - int256(before[address(0)]);
            _settled(tokens);
        } else if (name == bytes4(keccak256("startPayments()"))) {
            address token = address(uint160(uint256(bytes32(msg.data[4:]))));
            before[token] = _holds(token);
        } else if (name == bytes4(keccak256("completePayments()"))) {
            address token = address(uint160(uint256(bytes32(msg.data[4:]))));
            owed[token] -= int256(_holds(token) - before[token]);
        } else if (name == bytes4(keccak256("withdraw()"))) {
            address token = address(bytes20(msg.data[4:]));
            uint256 amount = uint128(bytes16(msg.data[44:]));
            owed[token] += int256(amount);
            _pay(token, address(bytes20(msg.data[24:])), amount);
            if (token == address(0)) before[token] -= amount;
        } else {
            (address token0, address token1,, uint256 params) =
                abi.decode(msg.data[4:], (address, address, bytes32, uint256));
            bool zeroForOne = params & (1 << 31) == 0;
            (address from, address into) = zeroForOne ? (token0, token1) : (token1, token0);
            uint256 consumed = _trade(from, into, uint128(params >> 32));
            uint256 given = uint128(-int128(uint128(consumed)));
            uint256 delta = zeroForOne ? consumed << 128 | given : given << 128 | consumed;
            assembly ("memory-safe") {
                mstore(0x00, delta)
                return(0x00, 0x20)
            }
        }
    }
}

/// @notice Version 2 of Ekubo's core, with three tokens.
contract PartialEkuboV2 is PartialSingleton {
    address[3] internal tokens;

    constructor(uint256 capacity_, address[3] memory tokens_) PartialPool(capacity_) {
        tokens = tokens_;
    }

    function lock() external {
        before[address(0)] = address(this).balance;
        _callBack(bytes.concat(bytes4(keccak256("locked(uint256)")), bytes32(uint256(1)), msg.data[4:]));
        // Native token counts as paid when it arrives.
        owed[address(0)] -= int256(address(this).balance) - int256(before[address(0)]);
        _settled(tokens);
    }

    function pay(address token) external {
        uint256 held = _holds(token);
        _callBack(bytes.concat(abi.encodeWithSignature("payCallback(uint256,address)", 1, token), msg.data[36:]));
        owed[token] -= int256(_holds(token) - held);
    }

    function withdraw(address token, address to, uint128 amount) external {
        owed[token] += int256(uint256(amount));
        _pay(token, to, amount);
        if (token == address(0)) before[token] -= amount;
    }

    /// @dev The swap, with a selector of zeros.
    fallback() external payable {
        (address token0, address token1,, int128 amount, bool isToken1,,) =
            abi.decode(msg.data[4:], (address, address, bytes32, int128, bool, uint96, uint256));
        (address from, address into) = isToken1 ? (token1, token0) : (token0, token1);
        int256 consumed = int256(_trade(from, into, uint128(amount)));
        (int256 delta0, int256 delta1) = isToken1 ? (-consumed, consumed) : (consumed, -consumed);
        assembly ("memory-safe") {
            mstore(0x00, delta0)
            mstore(0x20, delta1)
            return(0x00, 0x40)
        }
    }
}

/// @notice PancakeSwap Infinity's vault and a manager of pools with ticks, with three tokens.
contract PartialInfinity is PartialSingleton {
    struct PoolKey {
        address currency0;
        address currency1;
        address hooks;
        address poolManager;
        uint24 fee;
        bytes32 parameters;
    }

    struct SwapParams {
        bool zeroForOne;
        int256 amountSpecified;
        uint160 sqrtPriceLimitX96;
    }

    address[3] internal tokens;
    address internal synced;

    constructor(uint256 capacity_, address[3] memory tokens_) PartialPool(capacity_) {
        tokens = tokens_;
    }

    function lock(bytes calldata data) external returns (bytes memory) {
        _callBack(abi.encodeWithSignature("lockAcquired(bytes)", data));
        _settled(tokens);
        return "";
    }

    function swap(PoolKey calldata key, SwapParams calldata params, bytes calldata) external returns (int256) {
        (address from, address into) =
            params.zeroForOne ? (key.currency0, key.currency1) : (key.currency1, key.currency0);
        uint256 given = _trade(from, into, uint256(-params.amountSpecified));
        uint256 taken = uint128(-int128(uint128(given)));
        return int256(params.zeroForOne ? taken << 128 | given : given << 128 | taken);
    }

    function sync(address token) external {
        (synced, before[token]) = (token, _holds(token));
    }

    function settle() external payable {
        if (msg.value != 0) owed[address(0)] -= int256(msg.value);
        else owed[synced] -= int256(_holds(synced) - before[synced]);
    }

    function take(address token, address to, uint256 amount) external {
        owed[token] += int256(amount);
        _pay(token, to, amount);
    }
}

/// @notice Exchanges that trade whole units of a six-decimal asset at par minus a fee.
abstract contract UnitExchange {
    uint256 internal constant WAD = 1e18;
    uint256 internal constant FACTOR = 1e12;
    Token public immutable ASSET;
    Token public immutable MONEY;
    /// @notice Fee; 1e18 is 100 %.
    uint256 public immutable FEE;

    constructor(Token asset, Token money, uint256 fee) {
        (ASSET, MONEY, FEE) = (asset, money, fee);
    }

    function costOf(uint256 assets) public view returns (uint256) {
        return assets * FACTOR + assets * FACTOR * FEE / WAD;
    }

    function _buy(address to, uint256 assets) internal {
        MONEY.transferFrom(msg.sender, address(this), costOf(assets));
        ASSET.mint(to, assets);
    }

    function _sell(address to, uint256 assets) internal {
        ASSET.transferFrom(msg.sender, address(this), assets);
        MONEY.mint(to, assets * FACTOR);
    }
}

/// @notice Maker's module. @dev Like DssLitePsm: the fee is added and rounded down.
contract UnitPsm is UnitExchange {
    constructor(Token gem, Token dai, uint256 fee) UnitExchange(gem, dai, fee) {}

    function to18ConversionFactor() external pure returns (uint256) {
        return FACTOR;
    }

    function tout() external view returns (uint256) {
        return FEE;
    }

    function buyGem(address to, uint256 gems) external returns (uint256) {
        _buy(to, gems);
        return costOf(gems);
    }

    function sellGem(address to, uint256 gems) external returns (uint256) {
        _sell(to, gems);
        return gems * FACTOR;
    }
}

/// @notice Aave's module of GHO. @dev A sale takes fewer units than offered if the rest is worth nothing: here an odd unit.
contract UnitGsm is UnitExchange {
    constructor(Token asset, Token gho, uint256 fee) UnitExchange(asset, gho, fee) {}

    function getAssetAmountForBuyAsset(uint256 maxGho)
        public
        view
        returns (uint256 assets, uint256 gho, uint256 gross, uint256 fee)
    {
        assets = ((maxGho + 1) * WAD - 1) / (FACTOR * (WAD + FEE));
        gho = costOf(assets);
        gross = assets * FACTOR;
        fee = gho - gross;
    }

    function buyAsset(uint256 minAmount, address to) external returns (uint256, uint256) {
        _buy(to, minAmount);
        return (minAmount, costOf(minAmount));
    }

    function sellAsset(uint256 maxAmount, address to) external returns (uint256, uint256) {
        uint256 sold = maxAmount / 2 * 2;
        _sell(to, sold);
        return (sold, sold * FACTOR);
    }
}
