// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Ambient} from "../dexes/ambient/Ambient.sol";
import {BalancerV2} from "../dexes/balancer-v2/BalancerV2.sol";
import {BalancerV3} from "../dexes/balancer-v3/BalancerV3.sol";
import {Curve} from "../dexes/curve/Curve.sol";
import {DodoV2} from "../dexes/dodo-v2/DodoV2.sol";
import {Ekubo} from "../dexes/ekubo/Ekubo.sol";
import {Erc4626} from "../dexes/erc4626/Erc4626.sol";
import {EulerSwap} from "../dexes/euler-swap/EulerSwap.sol";
import {FluidDex} from "../dexes/fluid-dex/FluidDex.sol";
import {Iziswap} from "../dexes/iziswap/Iziswap.sol";
import {KyberClassic} from "../dexes/kyber-classic/KyberClassic.sol";
import {KyberElastic} from "../dexes/kyber-elastic/KyberElastic.sol";
import {LiquidityBook} from "../dexes/liquidity-book/LiquidityBook.sol";
import {LitePsm} from "../dexes/lite-psm/LitePsm.sol";
import {PancakeInfinity} from "../dexes/pancake-infinity/PancakeInfinity.sol";
import {PropAmm} from "../dexes/prop-amm/PropAmm.sol";
import {RateWrapper} from "../dexes/rate-wrapper/RateWrapper.sol";
import {Solidly} from "../dexes/solidly/Solidly.sol";
import {Syncswap} from "../dexes/syncswap/Syncswap.sol";
import {UniswapV2} from "../dexes/uniswap-v2/UniswapV2.sol";
import {UniswapV3} from "../dexes/uniswap-v3/UniswapV3.sol";
import {UniswapV4} from "../dexes/uniswap-v4/UniswapV4.sol";
import {WoofiV2} from "../dexes/woofi-v2/WoofiV2.sol";
import {WrappedNative} from "../dexes/wrapped-native/WrappedNative.sol";
import {BalancerV1} from "../dexes/balancer-v1/BalancerV1.sol";
import {AaveGsm} from "../dexes/aave-gsm/AaveGsm.sol";
import {AaveV3} from "../dexes/aave-v3/AaveV3.sol";
import {MaverickV2} from "../dexes/maverick-v2/MaverickV2.sol";
import {Psm3} from "../dexes/psm3/Psm3.sol";
import {IBalancerV3Vault} from "../interfaces/IBalancerV3Vault.sol";
import {IExecutor} from "../interfaces/IExecutor.sol";
import {Inputs} from "../libraries/Inputs.sol";
import {Program} from "../libraries/Program.sol";
import {Transfers} from "../libraries/Transfers.sol";
import {Slots} from "../slots/Slots.sol";

/// @title ExecutorCore
/// @notice Runs swap programs for one Guard. It has no owner and no state between calls, and needs no approvals.
/// @dev 1. No step calls `transferFrom`, or a function that the author of the program chooses.
///   2. The expected callback sender and the payment token are in slots that only `execute` writes, never in callback data.
///   3. A callback is answered once, to the contract being called, while it is being called.
///   4. Only the Guard calls `execute`. The Guard is locked meanwhile, so `execute` cannot be re-entered.
///   5. A step reverts with `PartialFill` if its pool consumed less than the Executor held for it.
///   Tokens sent here by mistake can be taken by any later program.
abstract contract ExecutorCore is IExecutor, Slots {
    using Transfers for address;

    /// @dev The only caller of `execute`, and the contract that `pullInput` is called on.
    address private immutable GUARD;

    // Slots: zero outside of `execute`.
    /// @dev Slot of the contract whose callback is awaited, with the bits below.
    uint256 private constant AWAITED = 0;
    /// @dev Slot of the token that the Executor pays in the callback, unless the Guard pays.
    uint256 private constant TOKEN = 1;

    /// @dev Bit: the Guard pays the callback, from the sender's input.
    uint256 private constant PULLED = 1 << 160;
    // Bits: the kind of callback; none of them for a callback in the style of Uniswap V3.
    uint256 private constant FROM_UNISWAP_V4 = 1 << 161;
    uint256 private constant FROM_BALANCER_V3 = 1 << 162;
    uint256 private constant FROM_PANCAKE_INFINITY = 1 << 163;
    uint256 private constant FROM_IZISWAP = 1 << 164;
    uint256 private constant FROM_EKUBO = 1 << 165;
    /// @dev Bit: the core of Ekubo that is being answered calls back once more, for its payment.
    uint256 private constant FROM_EKUBO_PAYMENT = 1 << 166;

    constructor(address guard) {
        GUARD = guard;
    }

    /// @dev Receives native token from wrappers, pools, and vaults.
    receive() external payable {}

    /// @notice Answers the callback of a pool. Forks of Uniswap V3 use different function names, so any selector is accepted.
    fallback() external {
        uint256 awaited = _get(AWAITED);
        if (address(uint160(awaited)) != msg.sender) revert UnexpectedCallback(msg.sender, address(uint160(awaited)));
        _set(AWAITED, 0);
        bool pulled = awaited & PULLED != 0;
        if (awaited < FROM_UNISWAP_V4) {
            _pay(pulled, UniswapV3.owed());
        } else if (awaited & FROM_UNISWAP_V4 != 0) {
            UniswapV4.settle(pulled, _pay);
            _answerEmpty();
        } else if (awaited & FROM_PANCAKE_INFINITY != 0) {
            PancakeInfinity.settle(pulled, _pay);
            _answerEmpty();
        } else if (awaited & FROM_IZISWAP != 0) {
            _pay(pulled, Iziswap.owed());
        } else if (awaited >= FROM_EKUBO) {
            Ekubo.settle(awaited >= FROM_EKUBO_PAYMENT, pulled, awaited, _pay, _awaitEkuboPayment);
        } else {
            BalancerV3.settle(pulled, _pay);
        }
    }

    /// @inheritdoc IExecutor
    function execute(Task calldata) external payable {
        if (msg.sender != GUARD) revert NotGuard(msg.sender);
        uint256 at = Program.STARTS_AT;
        uint256 end = msg.data.length;
        while (at < end) {
            uint256 opcode;
            uint256 flags;
            (opcode, flags, at) = Program.readHead(at);
            if (opcode == Program.UNISWAP_V3) at = _uniswapV3(at, flags, end);
            else if (opcode == Program.UNISWAP_V2) at = UniswapV2.run(at, flags, end);
            else if (opcode == Program.UNISWAP_V4) at = _uniswapV4(at, flags, end);
            else if (opcode == Program.WRAP) at = WrappedNative.wrap(at, flags, end);
            else if (opcode == Program.UNWRAP) at = WrappedNative.unwrap(at, flags, end);
            else if (opcode == Program.SOLIDLY) at = Solidly.run(at, flags, end);
            else if (opcode == Program.CURVE) at = Curve.run(at, flags, end);
            else if (opcode == Program.BALANCER_V2) at = BalancerV2.run(at, flags, end);
            else if (opcode == Program.BALANCER_V3) at = _balancerV3(at, flags, end);
            else if (opcode == Program.LIQUIDITY_BOOK) at = LiquidityBook.run(at, flags, end);
            else if (opcode == Program.ERC4626) at = Erc4626.run(at, flags, end);
            else if (opcode == Program.RATE_WRAPPER) at = RateWrapper.run(at, flags, end);
            else if (opcode == Program.DODO_V2) at = DodoV2.run(at, flags, end);
            else if (opcode == Program.PANCAKE_INFINITY) at = _pancakeInfinity(at, flags, end);
            else if (opcode == Program.IZISWAP) at = _iziswap(at, flags, end);
            else if (opcode == Program.SYNCSWAP) at = Syncswap.run(at, flags, end);
            else if (opcode == Program.KYBER_CLASSIC) at = KyberClassic.run(at, flags, end);
            else if (opcode == Program.WOOFI_V2) at = WoofiV2.run(at, flags, end);
            else if (opcode == Program.FLUID_DEX) at = FluidDex.run(at, flags, end);
            else if (opcode == Program.LITE_PSM) at = LitePsm.run(at, flags, end);
            else if (opcode == Program.EKUBO) at = _ekubo(at, flags, end);
            else if (opcode == Program.BALANCER_V1) at = BalancerV1.run(at, flags, end);
            else if (opcode == Program.AAVE_GSM) at = AaveGsm.run(at, flags, end);
            else if (opcode == Program.AAVE_V3) at = AaveV3.run(at, flags, end);
            else if (opcode == Program.EULER_SWAP) at = EulerSwap.run(at, flags, end);
            else if (opcode == Program.AMBIENT) at = Ambient.run(at, flags, end);
            else if (opcode == Program.PROP_AMM) at = PropAmm.run(at, flags, end);
            else if (opcode == Program.KYBER_ELASTIC) at = _kyberElastic(at, flags, end);
            else if (opcode == Program.MAVERICK_V2) at = MaverickV2.run(at, flags, end);
            else if (opcode == Program.PSM3) at = Psm3.run(at, flags, end);
            else revert UnknownOpcode(at - 2, opcode);
        }
    }

    function _uniswapV3(uint256 at, uint256 flags, uint256 end) private returns (uint256) {
        (address pool, address token, uint256 amount, address to, uint256 next) = UniswapV3.read(at, flags, end);
        _await(pool, flags, token, 0);
        uint256 consumed = UniswapV3.swap(pool, to, Program.zeroForOne(flags), amount);
        _answered(pool, flags);
        if (!Program.isPulled(flags)) Inputs.requireWhole(pool, consumed, amount);
        return next;
    }

    function _kyberElastic(uint256 at, uint256 flags, uint256 end) private returns (uint256) {
        (address pool, address token, uint256 amount, address to, uint256 next) = UniswapV3.read(at, flags, end);
        _await(pool, flags, token, 0);
        uint256 consumed = KyberElastic.swap(pool, to, Program.zeroForOne(flags), amount);
        _answered(pool, flags);
        if (!Program.isPulled(flags)) Inputs.requireWhole(pool, consumed, amount);
        return next;
    }

    function _iziswap(uint256 at, uint256 flags, uint256 end) private returns (uint256) {
        (address pool, address token, uint256 amount, address to, uint256 next) = Iziswap.read(at, flags, end);
        _await(pool, flags, token, FROM_IZISWAP);
        uint256 consumed = Iziswap.swap(pool, to, Program.zeroForOne(flags), amount);
        _answered(pool, flags);
        if (consumed != amount && !Program.isPulled(flags)) Iziswap.finish(pool, token, consumed, amount);
        return next;
    }

    function _uniswapV4(uint256 at, uint256 flags, uint256 end) private returns (uint256) {
        (address manager, address token, uint256 amount, address to, uint256 hopsAt, uint256 next) =
            UniswapV4.read(at, flags, end);
        _await(manager, flags, token, FROM_UNISWAP_V4);
        UniswapV4.unlock(manager, token, amount, to, flags, hopsAt);
        _answered(manager, flags);
        return next;
    }

    function _pancakeInfinity(uint256 at, uint256 flags, uint256 end) private returns (uint256) {
        (address vault, address token, uint256 amount, address to, uint256 hopsAt, uint256 next) =
            PancakeInfinity.read(at, flags, end);
        _await(vault, flags, token, FROM_PANCAKE_INFINITY);
        PancakeInfinity.lock(vault, token, amount, to, flags, hopsAt);
        _answered(vault, flags);
        return next;
    }

    function _ekubo(uint256 at, uint256 flags, uint256 end) private returns (uint256) {
        (address core, address token, uint256 amount, address to, uint256 hopsAt, uint256 next) =
            Ekubo.read(at, flags, end);
        _await(core, flags, token, FROM_EKUBO);
        Ekubo.lock(core, token, amount, to, hopsAt);
        _answered(core, flags);
        return next;
    }

    function _balancerV3(uint256 at, uint256 flags, uint256 end) private returns (uint256) {
        (address vault, address token, bytes memory data, uint256 next) = BalancerV3.read(at, flags, end);
        _await(vault, flags, token, FROM_BALANCER_V3);
        IBalancerV3Vault(vault).unlock(data);
        _answered(vault, flags);
        return next;
    }

    /// @dev Returns empty `bytes` to the caller of the callback.
    function _answerEmpty() private pure {
        assembly ("memory-safe") {
            mstore(0x00, 0x20)
            mstore(0x20, 0)
            return(0x00, 0x40)
        }
    }

    /// @dev Records the contract that may call back.
    /// @param token Token that the Executor pays; ignored if the Guard pays.
    /// @param from Bit of the kind of callback.
    function _await(address pool, uint256 flags, address token, uint256 from) private {
        if (Program.isPulled(flags)) {
            _set(AWAITED, uint160(pool) | from | PULLED);
        } else {
            _set(AWAITED, uint160(pool) | from);
            _set(TOKEN, uint160(token));
        }
    }

    /// @dev Awaits the payment callback of the core whose lock is being answered.
    /// @param awaited Value of the slot that awaited the lock's callback.
    function _awaitEkuboPayment(uint256 awaited) private {
        _set(AWAITED, awaited | FROM_EKUBO_PAYMENT);
    }

    /// @dev Reverts if the callback did not come, and clears the slots.
    function _answered(address pool, uint256 flags) private {
        if (_get(AWAITED) != 0) revert CallbackMissing(pool);
        if (!Program.isPulled(flags)) _set(TOKEN, 0);
    }

    /// @dev Pays the caller of the callback.
    /// @param pulled True if the Guard pays.
    /// @param amount Base units of the input.
    function _pay(bool pulled, uint256 amount) private {
        if (pulled) Inputs.pull(GUARD, msg.sender, amount);
        else address(uint160(_get(TOKEN))).transfer(msg.sender, amount);
    }
}
