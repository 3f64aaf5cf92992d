! SPDX-License-Identifier: MIT
! A communicator is freed through a copy of its handle, and again; "fixed": once.
program freed_twice
  use mpi
  implicit none
  integer :: ierr, comm, copy
  character(len=16) :: second
  call get_command_argument(2, second)
  call MPI_Init(ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
  copy = comm
  call MPI_Comm_free(copy, ierr)
  if (second /= "fixed") call MPI_Comm_free(comm, ierr)
  call MPI_Finalize(ierr)
end program
