;;; emacs_client.el --- A session of mpipp dap in Emacs's dap-mode  -*- lexical-binding: t -*-
;; SPDX-License-Identifier: MIT
;; emacs -batch -l emacs_client.el PROVIDER SOURCE LINE PROGRAM MPIEXEC OPTIONS, as
;; tests/dap/test_clients.py starts it.

(require 'package)
(package-initialize)
(require 'dap-mode)

(setq dap-auto-configure-features nil
      dap-breakpoints-file (make-temp-file "breakpoints")
      dap-print-io nil)
(load (expand-file-name (pop command-line-args-left))) ; from the documents

(defun wait-until (what done)
  "Wait until DONE returns a value, and return it; WHAT names it if it does not come."
  (let ((end (+ (float-time) 100)) found) ; seconds: the machine may be busy
    (while (not (setq found (funcall done)))
      (when (> (float-time) end) (error "It does not come: %s" what))
      (accept-process-output nil 1))
    found))

(pcase-let* ((`(,source ,line ,program ,mpiexec ,options) command-line-args-left)
             (session nil))
  (setq command-line-args-left nil)
  (find-file source)
  (goto-char (point-min))
  (forward-line (1- (string-to-number line)))
  (dap-breakpoint-add)
  (dap-debug
   (list :type "mpipp" :request "launch" :name "ring" :program program :ranks 2
         :mpiexec mpiexec :gdbOptions options))
  (setq session (dap--cur-session))
  (wait-until "the stop" (lambda () (dap--debug-session-active-frame session)))
  (princ (format "stopped at %s:%d\n" (file-name-nondirectory (buffer-file-name))
                 (line-number-at-pos)))
  (let (names value)
    (dap--send-message (dap--make-request "threads")
                       (lambda (answer)
                         (setq names (mapcar (lambda (thread) (gethash "name" thread))
                                             (gethash "threads" (gethash "body" answer)))))
                       session)
    (wait-until "the threads" (lambda () names))
    (princ (format "%s\n" (string-join (sort names #'string<) "; ")))
    (dap--send-message
     (dap--make-request "evaluate" (list :expression "mpipp on all print n" :context "repl"))
     (lambda (answer) (setq value (gethash "result" (gethash "body" answer))))
     session)
    (wait-until "the value" (lambda () value))
    (princ (format "%s\n" value)))
  (dap-breakpoint-delete-all)
  (dap-continue session (dap--debug-session-thread-id session))
  (wait-until "the end" (lambda () (eq (dap--debug-session-state session) 'terminated)))
  (princ (format "the session is %s\n" (dap--debug-session-state session))))
