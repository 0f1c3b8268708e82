// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "../interfaces/IERC20.sol";
import {BalanceReader} from "./BalanceReader.sol";

/// @title SwapProbe
/// @notice Runs one swap as its sender would, and reports its output and gas; never deployed.
/// @dev Runs in one eth_call, at its own address, behind a minimal proxy that a code override puts at the sender. So
///   the target sees the sender as `msg.sender` and `tx.origin`, and gets as much gas as in a transaction. If the
///   sender has code, that code is at `address(uint160(sender) ^ ORIGINAL_MASK)` and answers every call that the probe
///   does not implement. Otherwise the probe answers only calls that an account without code never gets.
contract SwapProbe is BalanceReader {
    /// @dev A call to simulate, and the balances to report.
    struct Order {
        address target;
        /// Gas limit of the target; it gets exactly this much if the node's gas cap allows it.
        uint256 gas;
        /// Wei sent with the call.
        uint256 value;
        /// Zero for the native token.
        address tokenIn;
        address tokenOut;
        /// Account whose growth of tokenOut counts: the sender or another one.
        address recipient;
        address spender;
        /// Base units that the sender approves for the spender by itself; zero if an override sets the allowance.
        uint256 approve;
        /// Holder that transfers `lend` base units of tokenIn; zero if an override sets the balance.
        address lender;
        uint256 lend;
        /// Maximum bytes of return data to report.
        uint256 maxReturn;
    }

    /// @dev Result of a simulated call, with the environment of the eth_call.
    struct Report {
        bool success;
        /// Gas of the CALL to the target, including its own base cost.
        uint256 gasUsed;
        /// Gas left just before that CALL; too little of it means that the node capped the call.
        uint256 gasBefore;
        Balances before;
        /// Read only after success.
        Balances afterwards;
        address coinbase;
        uint256 gasPrice;
        uint256 number;
        uint256 timestamp;
        uint256 chainId;
        /// Bytes of the return data before it was cut to `maxReturn`.
        uint256 returnSize;
        bytes returnData;
    }

    /// @dev The caller is not the sender of the simulated transaction, or a signature is not the sender's.
    error NotTheSender();

    uint160 private constant ORIGINAL_MASK = 0x00517cc1b727220a94fe13abe8fa9a6ee0;
    /// @dev Return value of ERC-1271.
    bytes4 private constant VALID_SIGNATURE = 0x1626ba7e;

    /// @notice Runs the swap. Only for the eth_call itself, whose sender is also its target.
    function run(Order calldata order, bytes calldata data) external returns (Report memory report) {
        if (msg.sender != address(this) || tx.origin != address(this)) revert NotTheSender();
        _setUp(order);
        report.before = _peek(order);
        report.gasBefore = gasleft();
        (report.success, report.gasUsed, report.returnSize, report.returnData) = _measure(order, data, false);
        _conclude(report, order);
    }

    /// @notice Reads the balances and reverts with them, so that no account or slot stays warm.
    function peek(address account, address tokenIn, address tokenOut, address spender, address recipient) external view {
        if (msg.sender != address(this)) revert NotTheSender();
        bytes memory answer = abi.encode(_balances(account, tokenIn, tokenOut, spender, recipient));
        assembly ("memory-safe") {
            revert(add(answer, 32), mload(answer))
        }
    }

    /// @notice Runs at the lender, behind the same proxy: transfers tokens only to the simulated sender.
    function lend(address token, uint256 amount) external {
        if (msg.sender != tx.origin) revert NotTheSender();
        (bool ok,) = token.call(abi.encodeCall(IERC20.transfer, (msg.sender, amount)));
        ok;
    }

    /// @dev Receives native token like the sender. Payments to a sender without code stop in the proxy.
    receive() external payable {
        _callOriginal();
    }

    /// @dev Calls of other contracts to the sender: token hooks and signatures.
    fallback() external payable {
        _callOriginal();
        // Callers use these only because the proxy makes the sender look like a contract.
        if (
            msg.sig == 0x150b7a02 // onERC721Received
                || msg.sig == 0xf23a6e61 // onERC1155Received
                || msg.sig == 0xbc197c81 // onERC1155BatchReceived
        ) _answer(msg.sig);
        if (msg.sig == VALID_SIGNATURE) {
            (bytes32 hash, bytes memory signature) = abi.decode(msg.data[4:], (bytes32, bytes));
            if (_signer(hash, signature) != address(this)) revert NotTheSender();
            _answer(VALID_SIGNATURE);
        }
    }

    /// @dev Returns the address of the account's original code.
    function _original() internal view returns (address) {
        return address(uint160(address(this)) ^ ORIGINAL_MASK);
    }

    /// @dev Returns to the EVM with the result of the account's own code if it has code; otherwise returns to its
    ///   caller.
    function _callOriginal() internal {
        address original = _original();
        if (original.code.length == 0) return;
        assembly ("memory-safe") {
            let input := mload(0x40)
            calldatacopy(input, 0, calldatasize())
            let ok := delegatecall(gas(), original, input, calldatasize(), 0, 0)
            returndatacopy(input, 0, returndatasize())
            if ok { return(input, returndatasize()) }
            revert(input, returndatasize())
        }
    }

    /// @dev Calls `peek` and decodes the balances of its revert.
    function _peek(Order calldata order) internal returns (Balances memory) {
        (, bytes memory answer) = address(this).call(
            abi.encodeCall(this.peek, (tx.origin, order.tokenIn, order.tokenOut, order.spender, order.recipient))
        );
        return abi.decode(answer, (Balances));
    }

    /// @dev Adds the balances after the swap and the environment to the report.
    function _conclude(Report memory report, Order calldata order) internal view {
        if (report.success) {
            report.afterwards =
                _balances(tx.origin, order.tokenIn, order.tokenOut, order.spender, order.recipient);
        }
        report.coinbase = block.coinbase;
        report.gasPrice = tx.gasprice;
        report.number = block.number;
        report.timestamp = block.timestamp;
        report.chainId = block.chainid;
    }

    /// @dev Gives the sender its input and the spender its allowance, if the order requests this.
    function _setUp(Order calldata order) internal {
        if (order.lender != address(0)) {
            // The balance shows if it lent anything.
            (bool ok,) = order.lender.call(abi.encodeCall(this.lend, (order.tokenIn, order.lend)));
            ok;
        }
        if (order.approve != 0) _approve(order.tokenIn, order.spender, order.approve);
    }

    /// @dev Approves the spender. Some tokens reject a change of a nonzero allowance, which is set to zero first.
    function _approve(address token, address spender, uint256 amount) private {
        (bool ok,) = token.call(abi.encodeCall(IERC20.approve, (spender, amount)));
        if (ok) return;
        (ok,) = token.call(abi.encodeCall(IERC20.approve, (spender, 0)));
        (ok,) = token.call(abi.encodeCall(IERC20.approve, (spender, amount)));
    }

    /// @dev Calls the target, and measures the gas of the CALL alone. The target costs the same as in a transaction:
    ///   the memory is paid for before the call, and a call without gas makes the target warm.
    /// @param here True if the target's code runs at this account, from which an override moved it for the probe.
    function _measure(Order calldata order, bytes calldata data, bool here)
        internal
        returns (bool success, uint256 gasUsed, uint256 returnSize, bytes memory returnData)
    {
        address target = here ? _original() : order.target;
        uint256 limit = order.gas;
        uint256 value = order.value;
        uint256 maxReturn = order.maxReturn;
        assembly ("memory-safe") {
            let input := mload(0x40)
            calldatacopy(input, data.offset, data.length)
            pop(staticcall(0, target, 0, 0, 0, 0))
            switch here
            case 0 {
                let gasBefore := gas()
                success := call(limit, target, value, input, data.length, 0, 0)
                gasUsed := sub(gasBefore, gas())
            }
            default {
                let gasBefore := gas()
                success := delegatecall(limit, target, input, data.length, 0, 0)
                gasUsed := sub(gasBefore, gas())
            }
            returnSize := returndatasize()
            let kept := returnSize
            if gt(kept, maxReturn) { kept := maxReturn }
            returnData := input
            mstore(returnData, kept)
            returndatacopy(add(returnData, 32), 0, kept)
            mstore(0x40, and(add(add(returnData, kept), 63), not(31)))
        }
    }

    /// @dev Returns the signer of a 65-byte signature; zero if it is invalid.
    function _signer(bytes32 hash, bytes memory signature) private pure returns (address) {
        if (signature.length != 65) return address(0);
        bytes32 r;
        bytes32 s;
        uint8 v;
        assembly ("memory-safe") {
            r := mload(add(signature, 32))
            s := mload(add(signature, 64))
            v := byte(0, mload(add(signature, 96)))
        }
        return ecrecover(hash, v, r, s);
    }

    /// @dev Returns a bytes4 to the caller of the contract.
    function _answer(bytes4 word) private pure {
        assembly ("memory-safe") {
            mstore(0, word)
            return(0, 32)
        }
    }
}
