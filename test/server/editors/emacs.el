;; Carries out the steps of editors.test.ts in Emacs, and writes what each "see" saw.
(require 'eglot)
(setq eglot-confirm-server-initiated-edits nil
      make-backup-files nil)

(defun shown-in (file)
  (with-current-buffer (get-file-buffer file)
    (mapcar #'flymake-diagnostic-text (flymake-diagnostics))))

(defun is-seen (file text)
  (let ((all (string-join (shown-in file) "\n")))
    (if (stringp text) (string-search text all) (string-empty-p all))))

(defun carry-out (step)
  (let ((file (plist-get step :file)))
    (pcase (plist-get step :do)
      ("open"
       (find-file file)
       (unless (eglot-current-server) (apply #'eglot--connect (eglot--guess-contact)))
       (flymake-start)
       nil)
      ("see"
       (let ((end (+ (float-time) 20)) (text (plist-get step :text)))
         (while (and (< (float-time) end) (not (is-seen file text))) (accept-process-output nil 0.05))
         (list (vconcat (shown-in file)))))
      ("replace"
       (with-current-buffer (get-file-buffer file)
         (goto-char (point-min))
         (search-forward (plist-get step :from))
         (replace-match (plist-get step :to) t t)
         ;; What Emacs does when it is idle, which it never is in a batch.
         (eglot--signal-textDocument/didChange)
         nil))
      ("configure"
       (setq-default eglot-workspace-configuration (plist-get step :settings))
       (eglot-signal-didChangeConfiguration (eglot-current-server))
       nil)
      ("fix"
       (with-current-buffer (get-file-buffer file)
         (eglot-code-actions (point-min) (point-max) "source.fixAll.warplens" t)
         (save-buffer)
         nil)))))

(let* ((steps (with-temp-buffer
                (insert-file-contents (getenv "WARPLENS_STEPS"))
                (json-parse-buffer :object-type 'plist)))
       (shown (mapcan #'carry-out (append steps nil))))
  (with-temp-file (getenv "WARPLENS_SHOWN") (insert (json-serialize (vconcat shown)))))
