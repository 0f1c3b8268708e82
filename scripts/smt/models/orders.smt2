; Orders: the branchless checks reject the orders that the documentation of the errors names, for all words.
(declare-const amountIn Word)
(declare-const minOutput Word)
(declare-const deadline Word)
(declare-const timestamp Word)
(declare-const value Word)
(declare-const tokenIn Word)
(declare-const tokenOut Word)
(declare-const executor Word)
(declare-const recipient Word)
(declare-const self Word)
(assert (clean self))
; if shr(160, or(or(tokenIn, tokenOut), executor)) { revert(0, 0) }
(define-fun wide () Bool (isTrue (shr (_ bv160 256) (bvor (bvor tokenIn tokenOut) executor))))
; late := gt(timestamp(), deadline)
(define-fun late () Word (evmGt timestamp deadline))
; nothing := or(iszero(amountIn), iszero(minOutput))
(define-fun nothing () Word (bvor (iszero amountIn) (iszero minOutput)))
; free := iszero(or(tokenIn, callvalue()))
(define-fun unpaid () Word (iszero (bvor tokenIn value)))
; same := or(eq(tokenIn, tokenOut), iszero(or(tokenOut, iszero(callvalue()))))
(define-fun same () Word (bvor (evmEq tokenIn tokenOut) (iszero (bvor tokenOut (iszero value)))))
; refused := or(eq(executor, address()), or(eq(executor, tokenIn), eq(executor, tokenOut)))
(define-fun refused () Word (bvor (evmEq executor self) (bvor (evmEq executor tokenIn) (evmEq executor tokenOut))))
; wrong := or(or(late, nothing), or(free, or(same, refused)))
(define-fun wrong () Word (bvor (bvor late nothing) (bvor unpaid (bvor same refused))))
; checkRecipient
(define-fun noRecipient () Word
  (bvor
    (bvor (iszero recipient) (evmEq recipient self))
    (bvor (evmEq recipient executor) (bvor (evmEq recipient tokenIn) (evmEq recipient tokenOut)))))

; property: exactly the words that are wider than an address are rejected
(push 1)
(assert (not (= wide (not (and (clean tokenIn) (clean tokenOut) (clean executor))))))
(check-sat)
(pop 1)
; property: an order passes only if no error applies
(push 1)
(assert
  (not
    (= (isTrue wrong)
      (or
        (bvugt timestamp deadline)
        (= amountIn zero)
        (= minOutput zero)
        (and (= tokenIn zero) (= value zero))
        (= tokenIn tokenOut)
        (and (not (= value zero)) (= tokenOut zero))
        (= executor self)
        (= executor tokenIn)
        (= executor tokenOut)))))
(check-sat)
(pop 1)
; property: a recipient passes unless it is zero, the Guard, the Executor, or a token of the order
(push 1)
(assert
  (not
    (= (isTrue noRecipient)
      (or (= recipient zero) (= recipient self) (= recipient executor) (= recipient tokenIn) (= recipient tokenOut)))))
(check-sat)
(pop 1)
