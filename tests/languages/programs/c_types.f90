! SPDX-License-Identifier: MIT
! A subroutine that calls MPI, with types of C in its caller's frame: see c_types.c.
subroutine inside(number) bind(c)
  use iso_c_binding
  use mpi
  implicit none
  integer(c_int) :: number(2)
  integer :: ierr
  call MPI_Init(ierr)
  call MPI_Bcast(number, 2, MPI_INTEGER, 0, MPI_COMM_SELF, ierr)
  call MPI_Finalize(ierr)
end subroutine
