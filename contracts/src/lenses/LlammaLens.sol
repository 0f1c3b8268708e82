// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ILlamma, ILlammaLendFactory, ILlammaMintFactory} from "../interfaces/ILlamma.sol";
import {SampleLens} from "./SampleLens.sol";

/// @title LlammaLens
/// @notice Finds and samples pools of crvUSD and LlamaLend; never deployed.
/// @dev The pool's own quote reports the used input and the output, so no tokens are needed.
contract LlammaLens is SampleLens {
    struct Request {
        address pool;
        Trials trials;
    }

    struct Found {
        address pool;
        address borrowed;
        address collateral;
    }

    /// @dev The pool has too little of the output.
    error NotWhole();

    /// @notice Finds the first `max` pools of a factory; zero for a market that cannot be read.
    function find(address factory, uint256 max) external view returns (Found[] memory found) {
        uint256 count = _word(factory, abi.encodeCall(ILlammaMintFactory.n_collaterals, ()), 0);
        if (count == 0) count = _word(factory, abi.encodeCall(ILlammaLendFactory.market_count, ()), 0);
        found = new Found[](count < max ? count : max);
        for (uint256 i = 0; i < found.length; ++i) {
            uint256 pool = _word(factory, abi.encodeCall(ILlammaMintFactory.amms, (i)), 0);
            if (pool == 0) pool = _word(factory, abi.encodeCall(ILlammaLendFactory.markets, (i)), 2);
            address at = address(uint160(pool));
            found[i] = Found(at, _coin(at, 0), _coin(at, 1));
        }
    }

    /// @notice Returns the pool's quotes at several amounts.
    /// @return outputs0 Output for each amount of the borrowed token; zero if the pool does not take it whole.
    /// @return outputs1 Output for each amount of the collateral.
    /// @return stamp Changes with each swap.
    function sample(Request calldata request)
        external
        returns (uint256[] memory outputs0, uint256[] memory outputs1, bytes32 stamp)
    {
        (outputs0, outputs1) = _sample(abi.encode(request.pool), request.trials);
        ILlamma pool = ILlamma(request.pool);
        int256 band = pool.active_band();
        stamp = keccak256(abi.encode(band, pool.bands_x(band), pool.bands_y(band)));
    }

    /// @inheritdoc SampleLens
    function _swap(bytes calldata pool, bool zeroForOne, uint256 amount) internal view override returns (uint256) {
        ILlamma at = ILlamma(abi.decode(pool, (address)));
        (uint256 used, uint256 paid) = zeroForOne ? at.get_dxdy(0, 1, amount) : at.get_dxdy(1, 0, amount);
        if (used != amount) revert NotWhole();
        return paid;
    }

    /// @dev Returns a coin of a pool; zero if the call fails.
    function _coin(address pool, uint256 index) private view returns (address) {
        return address(uint160(_word(pool, abi.encodeCall(ILlamma.coins, (index)), 0)));
    }

    /// @dev Returns a word of the return data; zero if the call fails or returns too little.
    function _word(address target, bytes memory call, uint256 index) private view returns (uint256 word) {
        (bool ok, bytes memory data) = target.staticcall(call);
        if (!ok || data.length < 32 * (index + 1)) return 0;
        assembly ("memory-safe") {
            word := mload(add(data, mul(add(index, 1), 0x20)))
        }
    }
}
