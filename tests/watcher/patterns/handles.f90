! SPDX-License-Identifier: MIT
! Where MPI has a Fortran layer: handles are INTEGERs.
module handles
  implicit none
  integer, parameter :: handle = kind(0)
contains
  subroutine get_handles()
  end subroutine
end module
