! SPDX-License-Identifier: MIT
! Calls MPI after MPI_Finalize; "fixed": does not.
program late_call
  implicit none
  include 'mpif.h'
  integer :: rank, ierr
  character(len=16) :: which, how
  call get_command_argument(1, which)
  call get_command_argument(2, how)
  call MPI_Init(ierr)
  call MPI_Finalize(ierr)
  if (how == 'fixed') stop
  if (which == 'rank') call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  if (which == 'barrier') call MPI_Barrier(MPI_COMM_WORLD, ierr)
end program
