-- SPDX-License-Identifier: MIT
-- An environment module for mpipp, for Lmod. Write your path into `root`, and save this file as
-- mpipp/0.1.0.lua in a directory of MODULEPATH.
local version = "0.1.0"
local root = "/sw/mpipp"

whatis("Name: mpipp")
whatis("Version: " .. version)
whatis("Description: see MPI handles and buffers in gdb, and check MPI programs")
help("Type mpipp --help, or man mpipp.")
conflict("mpipp")
prepend_path("PATH", pathJoin(root, "bin"))
-- bash and fish find the completion of mpipp here. The variable needs its default value, too.
if not os.getenv("XDG_DATA_DIRS") then
  append_path("XDG_DATA_DIRS", "/usr/local/share")
  append_path("XDG_DATA_DIRS", "/usr/share")
end
prepend_path("XDG_DATA_DIRS", pathJoin(root, "share"))
