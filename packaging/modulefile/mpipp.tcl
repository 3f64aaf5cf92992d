#%Module1.0
# SPDX-License-Identifier: MIT
# An environment module for mpipp. Write your path into `root`, and save this file as
# mpipp/0.1.0 in a directory of MODULEPATH.
set version 0.1.0
set root    /sw/mpipp

module-whatis "mpipp $version: see MPI handles and buffers in gdb, and check MPI programs"
proc ModulesHelp {} {
    puts stderr "Type mpipp --help, or man mpipp."
}
conflict mpipp
prepend-path PATH $root/bin
# bash and fish find the completion of mpipp here. The variable needs its default value, too.
if {![info exists env(XDG_DATA_DIRS)]} {
    append-path XDG_DATA_DIRS /usr/local/share
    append-path XDG_DATA_DIRS /usr/share
}
prepend-path XDG_DATA_DIRS $root/share
