; GuardCore: branchless growth, for all words; and the fee, in integers, because Solidity checks its product for overflow.
(declare-const before Word)
(declare-const later Word)
; grown := mul(gt(later, before), sub(later, before))
(define-fun rose () Word (evmGt later before))
(declare-const amount Int)
(declare-const feePpm Int)
(declare-const fee Int)
(declare-const product Int)
(define-fun MAX_FEE_PPM () Int 100000)
(assert (and (<= 0 amount) (<= 0 feePpm) (<= feePpm MAX_FEE_PPM)))

; property: the factor of growth is one if the balance rose, else zero
(push 1)
(assert (not (= rose (ite (bvugt later before) one zero))))
(check-sat)
(pop 1)
; property: growth is the difference if the factor is one
(push 1)
(assert (not (= (bvmul one (bvsub later before)) (bvsub later before))))
(check-sat)
(pop 1)
; property: growth is zero if the factor is zero
(push 1)
(assert (not (= (bvmul zero (bvsub later before)) zero)))
(check-sat)
(pop 1)
; property: amount * feePpm is at most the amount times the cap
(push 1)
(assert (< (* amount (- MAX_FEE_PPM feePpm)) 0))
(check-sat)
(pop 1)
; uint256 fee = amount * payout.feePpm / PPM, rounded down
(assert (and (<= 0 product) (<= product (* MAX_FEE_PPM amount))))
(assert (and (<= (* 1000000 fee) product) (< product (* 1000000 (+ fee 1)))))
; property: the fee is at most a tenth of the amount, so that kept = amount - fee does not wrap
(push 1)
(assert (not (and (<= 0 fee) (<= (* 10 fee) amount) (<= 0 (- amount fee)))))
(check-sat)
(pop 1)
