(add-to-list 'auto-mode-alist '("\\.cuh?\\'" . c++-mode))
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               '((c++-mode c-mode f90-mode)
                 . ("warplens" "server" "--stdio"))))
(setq-default eglot-workspace-configuration '(:warplens (:gpu "H100")))
