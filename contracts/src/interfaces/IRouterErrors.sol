// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Custom errors of widely used routers and Permit2. The simulation decodes revert data with them. Names and
///   types are those of the published sources. The first four bytes of the revert data are the selector of the error.
interface IRouterErrors {
    // Permit2
    error AllowanceExpired(uint256 deadline);
    error InsufficientAllowance(uint256 amount);
    error ExcessiveInvalidation();
    error LengthMismatch();
    error InvalidAmount(uint256 maxAmount);
    error InvalidSigner();
    error InvalidSignature();
    error InvalidSignatureLength();
    error InvalidContractSignature();
    error InvalidNonce();
    error SignatureExpired(uint256 signatureDeadline);

    // Uniswap routers
    error ExecutionFailed(uint256 commandIndex, bytes message);
    error ETHNotAccepted();
    error TransactionDeadlinePassed();
    error InvalidCommandType(uint256 commandType);
    error InvalidEthSender();
    error InsufficientETH();
    error InsufficientToken();
    error InvalidBips();
    error InvalidPath();
    error InvalidReserves();
    error V2TooLittleReceived();
    error V2TooMuchRequested();
    error V2InvalidPath();
    error V3InvalidSwap();
    error V3TooLittleReceived();
    error V3TooMuchRequested();
    error V3InvalidAmountOut();
    error V3InvalidCaller();
    error V4TooLittleReceived(uint256 minAmountOutReceived, uint256 amountReceived);
    error V4TooMuchRequested(uint256 maxAmountInRequested, uint256 amountRequested);
    error DeadlinePassed(uint256 deadline);
    error SliceOutOfBounds();

    // Uniswap V4
    error CurrencyNotSettled();
    error PoolNotInitialized();
    error ManagerLocked();
    error SwapAmountCannotBeZero();
    error PriceLimitAlreadyExceeded(uint160 sqrtPriceCurrentX96, uint160 sqrtPriceLimitX96);
    error PriceLimitOutOfBounds(uint160 sqrtPriceLimitX96);
    error WrappedError(address target, bytes4 selector, bytes reason, bytes details);
    error HookCallFailed();

    // 1inch
    error ReturnAmountIsNotEnough(uint256 result, uint256 minReturn);
    error InvalidMsgValue();
    error EthDepositRejected();

    // 0x Settler
    error TooMuchSlippage(address token, uint256 expected, uint256 actual);
    error ConfusedDeputy();
    error ActionInvalid(uint256 i, bytes4 action, bytes data);

    // KyberSwap, LI.FI, Odos and others
    error CumulativeSlippageTooHigh(uint256 minAmount, uint256 receivedAmount);
    error InsufficientOutputAmount();
    error SlippageLimitExceeded();
    error SlippageExceeded();
    error Expired();
}
