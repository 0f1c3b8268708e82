// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IExecutor} from "../interfaces/IExecutor.sol";

/// @title Program
/// @notice Decodes the byte format of programs. packages/program/FORMAT.md has the same table.
/// @dev A program is a sequence of steps. All numbers are big-endian.
///
///   byte 0       opcode
///   byte 1       flags: bits 0–2 input kind, bits 3–4 output kind, bit 5 zeroForOne, bits 6–7 of the family
///   amount       by input kind, below
///   tokenIn      20 bytes, absent for PULL and PULL_ALL: the task says the sender's input
///   fields       by opcode, below
///   address      20 bytes, where the output kind is ADDRESS
///
///   input kind   amount
///   0 REST       none      all that the Executor holds of the input token
///   1 SHARE      3 bytes   floor(held × share / 2^24), share from 1
///   2 HELD       16 bytes  this much of what the Executor holds
///   3 AT_POOL    none      the step before has paid the pool
///   4 PULL       16 bytes  this much of the sender's input, drawn through the Guard
///   5 PULL_ALL   none      the sender's input, whole, drawn through the Guard
///
///   output kind  0 Executor, 1 RECIPIENT (of the task: the Guard, or the sender in direct mode), 2 ADDRESS
///
///   opcode             fields
///   0x01 uniswap-v2    pool 20, feePpm 3
///   0x02 uniswap-v3    pool 20
///   0x03 wrap          wrapper 20, and no tokenIn
///   0x04 unwrap        none: tokenIn is the wrapper
///   0x05 uniswap-v4    manager 20, hops 1,
///                      {tokenOut 20, fee 3, tickSpacing 3, hooks 20 where flag bit 6 is set} × hops
///   0x06 solidly       pool 20
///   0x07 curve         variant 1, i 1, j 1, tokenOut 20, pool 20
///                      variant: 0 int128, 1 uint256, 2 int128 received, 3 uint256 received
///   0x08 balancer-v2   vault 20, hops 1, {poolId 32, tokenOut 20} × hops
///   0x09 balancer-v3   vault 20, hops 1, {pool 20, tokenOut 20} × hops; a pool that is tokenOut or what is sold is wrapped
///                      or unwrapped through its buffer
///   0x0a liquidity-book  pool 20; flag bit 5: token X is sold
///   0x0b erc4626       tokenOut 20; flag bit 5: deposit
///   0x0c rate-wrapper  tokenOut 20; flag bit 5: wrap
///   0x0d dodo-v2       pool 20; flag bit 5: the base is sold
///   0x0e pancake-infinity  vault 20, hops 1, {tokenOut 20, manager 20, kind 1, fee 3, parameters 5,
///                      hooks 20 where flag bit 6 is set} × hops; kind: 0 cl, 1 bin
///   0x0f iziswap       pool 20
///   0x10 syncswap      pool 20, vault 20 (zero: the pool holds its tokens itself)
///   0x11 kyber-classic pool 20
///   0x12 woofi-v2      pool 20, tokenOut 20
///   0x13 fluid-dex     pool 20, tokenOut 20; flag bit 5: the first token is sold
///   0x14 lite-psm      pool 20, tokenOut 20; flag bit 5: the gem is sold
///   0x15 ekubo         core 20, hops 1, {tokenOut 20, config 32} × hops
///   0x17 balancer-v1   pool 20, tokenOut 20
///   0x18 aave-gsm      pool 20, tokenOut 20; flag bit 5: the asset is sold
///   0x19 aave-v3       pool 20, tokenOut 20; flag bit 5: supply
///   0x1c euler-swap    pool 20, tokenOut 20
///   0x1d ambient       dex 20, tokenOut 20, poolIdx 3, limitBits 1
///   0x1e prop-amm      pool 20, tokenOut 20
///   0x1f kyber-elastic pool 20
///   0x20 maverick-v2   pool 20
///   0x21 psm3          pool 20, tokenOut 20
///
///   Functions here take an offset into calldata and return the value at it and the offset after it. They may read past the end of
///   the program, where calldata gives other bytes or zeros: each family calls `finish` before it uses the values.
library Program {
    uint256 internal constant UNISWAP_V2 = 0x01;
    uint256 internal constant UNISWAP_V3 = 0x02;
    uint256 internal constant WRAP = 0x03;
    uint256 internal constant UNWRAP = 0x04;
    uint256 internal constant UNISWAP_V4 = 0x05;
    uint256 internal constant SOLIDLY = 0x06;
    uint256 internal constant CURVE = 0x07;
    uint256 internal constant BALANCER_V2 = 0x08;
    uint256 internal constant BALANCER_V3 = 0x09;
    uint256 internal constant LIQUIDITY_BOOK = 0x0a;
    uint256 internal constant ERC4626 = 0x0b;
    uint256 internal constant RATE_WRAPPER = 0x0c;
    uint256 internal constant DODO_V2 = 0x0d;
    uint256 internal constant PANCAKE_INFINITY = 0x0e;
    uint256 internal constant IZISWAP = 0x0f;
    uint256 internal constant SYNCSWAP = 0x10;
    uint256 internal constant KYBER_CLASSIC = 0x11;
    uint256 internal constant WOOFI_V2 = 0x12;
    uint256 internal constant FLUID_DEX = 0x13;
    uint256 internal constant LITE_PSM = 0x14;
    uint256 internal constant EKUBO = 0x15;
    uint256 internal constant BALANCER_V1 = 0x17;
    uint256 internal constant AAVE_GSM = 0x18;
    uint256 internal constant AAVE_V3 = 0x19;
    uint256 internal constant EULER_SWAP = 0x1c;
    uint256 internal constant AMBIENT = 0x1d;
    uint256 internal constant PROP_AMM = 0x1e;
    uint256 internal constant KYBER_ELASTIC = 0x1f;
    uint256 internal constant MAVERICK_V2 = 0x20;
    uint256 internal constant PSM3 = 0x21;

    uint256 internal constant REST = 0;
    uint256 internal constant SHARE = 1;
    uint256 internal constant HELD = 2;
    uint256 internal constant AT_POOL = 3;
    uint256 internal constant PULL = 4;
    uint256 internal constant PULL_ALL = 5;

    uint256 internal constant TO_EXECUTOR = 0;
    uint256 internal constant TO_RECIPIENT = 1;
    uint256 internal constant TO_ADDRESS = 2;

    uint256 internal constant SHARE_BITS = 24;

    // Calldata offsets of the task's fields and of the program in a call of `execute`.
    uint256 private constant INPUT_TOKEN_AT = 0x04;
    uint256 private constant INPUT_AMOUNT_AT = 0x24;
    uint256 private constant RECIPIENT_AT = 0x44;
    uint256 internal constant STARTS_AT = 0x64;

    function inputKind(uint256 flags) internal pure returns (uint256) {
        return flags & 7;
    }

    function outputKind(uint256 flags) internal pure returns (uint256) {
        return (flags >> 3) & 3;
    }

    /// @notice Returns true if the sender pays the input through the Guard.
    function isPulled(uint256 flags) internal pure returns (bool) {
        return flags & 4 != 0;
    }

    function zeroForOne(uint256 flags) internal pure returns (bool) {
        return flags & 32 != 0;
    }

    function readHead(uint256 at) internal pure returns (uint256 opcode, uint256 flags, uint256 next) {
        assembly ("memory-safe") {
            let head := calldataload(at)
            opcode := byte(0, head)
            flags := byte(1, head)
            next := add(at, 2)
        }
    }

    function readByte(uint256 at) internal pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := byte(0, calldataload(at))
        }
    }

    function readUint24(uint256 at) internal pure returns (uint256 value, uint256 next) {
        assembly ("memory-safe") {
            value := shr(232, calldataload(at))
            next := add(at, 3)
        }
    }

    function readUint128(uint256 at) internal pure returns (uint256 value, uint256 next) {
        assembly ("memory-safe") {
            value := shr(128, calldataload(at))
            next := add(at, 16)
        }
    }

    function readAddress(uint256 at) internal pure returns (address value, uint256 next) {
        assembly ("memory-safe") {
            value := shr(96, calldataload(at))
            next := add(at, 20)
        }
    }

    /// @notice Reads the amount and token of a step's input; every step but `wrap` begins with them.
    /// @dev Valid only during `execute`, since they may come from its task.
    /// @return amount Amount to pull in base units, or the number of the input kind: a share, an amount, or zero.
    function readInput(uint256 at, uint256 flags) internal pure returns (uint256 amount, address tokenIn, uint256 next) {
        uint256 kind = inputKind(flags);
        if (isPulled(flags)) {
            if (kind == PULL_ALL) {
                assembly ("memory-safe") {
                    amount := calldataload(INPUT_AMOUNT_AT)
                    next := at
                }
            } else {
                if (kind != PULL) revert IExecutor.InvalidStep(flags);
                (amount, next) = readUint128(at);
            }
            assembly ("memory-safe") {
                tokenIn := shr(96, shl(96, calldataload(INPUT_TOKEN_AT)))
            }
        } else {
            (amount, next) = readHeld(at, flags);
            (tokenIn, next) = readAddress(next);
        }
    }

    /// @notice Reads the number of an input kind that is not pulled.
    /// @return amount A share of 2^24, an amount in base units, or zero.
    function readHeld(uint256 at, uint256 flags) internal pure returns (uint256 amount, uint256 next) {
        uint256 kind = inputKind(flags);
        if (kind == HELD) return readUint128(at);
        if (kind == SHARE) return readUint24(at);
        next = at;
    }

    /// @notice Reads the recipient of a step's output.
    /// @dev Valid only during `execute`, since it may come from its task.
    function readRecipient(uint256 at, uint256 flags) internal view returns (address to, uint256 next) {
        uint256 kind = outputKind(flags);
        if (kind == TO_RECIPIENT) {
            assembly ("memory-safe") {
                to := shr(96, shl(96, calldataload(RECIPIENT_AT)))
            }
            return (to, at);
        }
        if (kind == TO_EXECUTOR) return (address(this), at);
        if (kind != TO_ADDRESS) revert IExecutor.InvalidStep(flags);
        return readAddress(at);
    }

    /// @notice Reverts if a step that ends at `next` reaches beyond the end of the program.
    function finish(uint256 next, uint256 end) internal pure {
        if (next > end) revert IExecutor.ProgramTooShort(next, end);
    }
}
