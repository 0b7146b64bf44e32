;;; eglot.el --- Emacs' client: opens the files, prints the shown findings, applies a fix  -*- lexical-binding: t -*-

;; See README.md for inputs and outputs.

(require 'cl-lib)
(require 'eglot)

(setq make-backup-files nil
      create-lockfiles nil
      vc-handled-backends nil
      eglot-sync-connect 15
      eglot-connect-timeout 15)

(defun fixture-list (name)
  (split-string (getenv name) "\n" t))

;; As in docs/editors.md, except for the path of the program.
(add-to-list 'eglot-server-programs
             `((prog-mode text-mode conf-mode fundamental-mode)
               . ,(fixture-list "AIDD_SERVER")))

(defun fixture-listen (seconds)
  (let ((end (+ (float-time) seconds)))
    (while (< (float-time) end) (accept-process-output nil 0.02))))

(defun fixture-shown (file)
  "What is shown in the current buffer: its lines in the form of README.md, sorted."
  (sort
   (mapcar
    (lambda (item)
      (let* ((lsp (cdr (assoc 'eglot-lsp-diag (flymake-diagnostic-data item))))
             (beg (flymake-diagnostic-beg item))
             (end (flymake-diagnostic-end item)))
        (save-excursion
          (goto-char beg)
          (format "%s:%d:%d %s %s %s %s" file
                  (line-number-at-pos beg t)
                  (1+ (- beg (line-beginning-position)))
                  (plist-get lsp :code)
                  (nth (plist-get lsp :severity) '(nil "error" "warning" "info" "hint"))
                  (or (plist-get (plist-get lsp :data) :id) "-")
                  (buffer-substring-no-properties beg (min end (line-end-position)))))))
    (flymake-diagnostics))
   #'string<))

(defun fixture-settled (file before)
  "Wait until other lines than BEFORE are shown, and until they no longer change."
  (let ((end (+ (float-time) 15)) last)
    (while (equal before (fixture-shown file))
      (when (> (float-time) end) (error "%s: no findings received" file))
      (fixture-listen 0.02))
    (while (not (equal last (setq last (fixture-shown file))))
      (fixture-listen 0.4))
    last))

(defun fixture-open (file)
  (find-file (expand-file-name file (getenv "AIDD_ROOT")))
  (unless (eglot-managed-p)
    (apply #'eglot (eglot--guess-contact)))
  ;; Without a command loop, nothing else processes the output.
  (flymake-start))

(defun fixture-fix (line)
  "Take the preferred action of the first finding on LINE, as a user would from the list."
  (goto-char (point-min))
  (forward-line (1- line))
  (goto-char (apply #'min (mapcar #'flymake-diagnostic-beg
                                  (flymake-diagnostics (point) (line-end-position)))))
  (let ((last-nonmenu-event ?\r))
    (cl-letf (((symbol-function 'completing-read)
               (lambda (_prompt menu _filter _must _first _history default)
                 (unless (eq t (plist-get (cdr (assoc default menu)) :isPreferred))
                   (error "No preferred action among %d" (length menu)))
                 default)))
      (eglot-code-actions (point) nil nil t)))
  (eglot--signal-textDocument/didChange))

(defun fixture-run (say)
  (let* ((place (split-string (getenv "AIDD_FIX") ":"))
         (line (string-to-number (cadr place))))
    (dolist (file (fixture-list "AIDD_FILES"))
      (fixture-open file)
      (mapc say (fixture-settled file nil)))
    (find-file (expand-file-name (car place) (getenv "AIDD_ROOT")))
    (let ((before (fixture-shown (car place))))
      (fixture-fix line)
      (funcall say "-- fixed")
      (goto-char (point-min))
      (forward-line (1- line))
      (funcall say (buffer-substring-no-properties (point) (line-end-position)))
      (mapc say (fixture-settled (car place) before)))
    (save-buffer)
    (eglot-shutdown (eglot-current-server))))

(let ((coding-system-for-write 'utf-8-unix) (inhibit-message t) out)
  (condition-case problem
      (fixture-run (lambda (line) (push line out)))
    (error (push (format "failed: %s" (error-message-string problem)) out)))
  (write-region (concat (string-join (reverse out) "\n") "\n") nil (getenv "AIDD_OUT")))
