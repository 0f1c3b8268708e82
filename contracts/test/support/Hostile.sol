// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IExecutor} from "../../src/interfaces/IExecutor.sol";

import {IGuard} from "../../src/interfaces/IGuard.sol";

/// @notice One call of a puppet. A failed call is recorded and does not stop the puppet, unless it must succeed.
struct Move {
    address target;
    uint256 value;
    bytes data;
    bool mustSucceed;
}

/// @notice An Executor, pool, wallet, or fee recipient that makes the calls that the test sets, in every function that is called.
contract Puppet {
    /// @dev Offset after the selector and the task.
    uint256 private constant PROGRAM_AT = 100;
    Move[] internal onCall;
    bool public anySucceeded;
    bytes public lastAnswer;

    function onAnyCall(Move[] memory moves) external {
        delete onCall;
        for (uint256 k; k < moves.length; ++k) onCall.push(moves[k]);
    }

    /// @dev As an Executor, its program is its list of calls.
    function execute(IExecutor.Task calldata) external payable {
        if (msg.data.length == PROGRAM_AT) return;
        Move[] memory moves = abi.decode(msg.data[PROGRAM_AT:], (Move[]));
        for (uint256 k; k < moves.length; ++k) _call(moves[k]);
    }

    function run(Move memory move) external payable {
        _call(move);
    }

    receive() external payable {
        _react();
    }

    fallback() external payable {
        _react();
    }

    function _react() internal {
        for (uint256 k; k < onCall.length; ++k) _call(onCall[k]);
    }

    function _call(Move memory move) internal {
        (bool ok, bytes memory answer) = move.target.call{value: move.value}(move.data);
        lastAnswer = answer;
        if (ok) anySucceeded = true;
        if (!ok && move.mustSucceed) {
            assembly ("memory-safe") {
                revert(add(answer, 0x20), mload(answer))
            }
        }
    }
}

/// @notice A pool like uniswap-v3 and kyber-elastic that requests its payment as often, and as much, as the test sets.
contract HostilePool {
    uint256 public callbacks = 1;
    uint256 public requested;
    address public payOut;
    /// @notice Attempts before it requests its payment, and once more after it was paid.
    Move internal intrusion;
    uint256 public entered;
    bytes public answer;

    function intrude(Move calldata move) external {
        intrusion = move;
    }

    function plan(uint256 callbacks_, uint256 requested_, address payOut_) external {
        (callbacks, requested, payOut) = (callbacks_, requested_, payOut_);
    }

    function swap(address recipient, bool, int256 amount, uint160, bytes calldata) external returns (int256, int256) {
        return _swap(recipient, amount);
    }

    function swap(address recipient, int256 amount, bool, uint160, bytes calldata) external returns (int256, int256) {
        return _swap(recipient, amount);
    }

    function _swap(address recipient, int256 amount) private returns (int256, int256) {
        _intrude();
        for (uint256 k; k < callbacks; ++k) {
            (bool ok, bytes memory revertData) = msg.sender.call(
                abi.encodeWithSignature("anyName(int256,int256,bytes)", int256(requested == 0 ? uint256(amount) : requested), int256(0), "")
            );
            if (!ok) {
                assembly ("memory-safe") {
                    revert(add(revertData, 0x20), mload(revertData))
                }
            }
        }
        _intrude();
        if (payOut != address(0)) {
            (bool sent,) = payOut.call(abi.encodeWithSignature("transfer(address,uint256)", recipient, uint256(amount)));
            require(sent, "no output");
        }
        return (0, 0);
    }

    function _intrude() private {
        if (intrusion.target == address(0)) return;
        bool ok;
        (ok, answer) = intrusion.target.call(intrusion.data);
        if (ok) ++entered;
    }
}
