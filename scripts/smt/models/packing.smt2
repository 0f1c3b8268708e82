; Loan: Executor, payer, payment method, and input token in two words, for all addresses.
(declare-const executor Word)
(declare-const token Word)
(declare-const payer Word)
(declare-const by Word)
(define-fun LOCKED () Word (shl (_ bv160 256) one))
(define-fun WRAPPED () Word (shl (_ bv161 256) one))
(define-fun PERMITTED () Word (shl (_ bv162 256) one))
; Orders.check refuses wider words of an order; the payer is the caller.
(assert (and (clean executor) (clean token) (clean payer)))
(assert (or (= by LOCKED) (= by (bvor LOCKED WRAPPED)) (= by (bvor LOCKED PERMITTED))))
; first := or(executor, shl(160, token))
(define-fun first () Word (bvor executor (shl (_ bv160 256) token)))
; second := or(or(caller(), by), shl(192, shr(96, token)))
(define-fun second () Word (bvor (bvor payer by) (shl (_ bv192 256) (shr (_ bv96 256) token))))
(define-fun low160 ((x Word)) Word (shr (_ bv96 256) (shl (_ bv96 256) x)))
; StorageSlots: an unwritten word is zero, and a written one its value plus one.
(define-fun stored ((x Word)) Word (bvadd x one))
(define-fun loaded ((x Word)) Word (bvsub x (iszero (iszero x))))
(declare-const value Word)

; property: the first word contains the Executor
(push 1)
(assert (not (= (low160 first) executor)))
(check-sat)
(pop 1)
; property: the two words contain the input token
(push 1)
(assert (not (= (bvor (shr (_ bv160 256) first) (shl (_ bv96 256) (shr (_ bv192 256) second))) token)))
(check-sat)
(pop 1)
; property: the second word contains the payer
(push 1)
(assert (not (= (low160 second) payer)))
(check-sat)
(pop 1)
; property: the second word contains the payment method
(push 1)
(assert (not (= (bvand second (bvor WRAPPED PERMITTED)) (bvand by (bvor WRAPPED PERMITTED)))))
(check-sat)
(pop 1)
; property: the lock is never zero
(push 1)
(assert (= second zero))
(check-sat)
(pop 1)
; property: the lock is never all ones, which the london build cannot distinguish from zero
(push 1)
(assert (= second ones))
(check-sat)
(pop 1)
; property: the london build reads every word except all ones as it was written
(push 1)
(assert (and (not (= value ones)) (not (= (loaded (stored value)) value))))
(check-sat)
(pop 1)
; property: the london build reads an unwritten word as zero, and never clears a word other than all ones
(push 1)
(assert (or (not (= (loaded zero) zero)) (and (not (= value ones)) (= (stored value) zero))))
(check-sat)
(pop 1)
