! SPDX-License-Identifier: MIT
! A status of the module mpi_f08.
subroutine mark()
end subroutine mark

program statuses08
  use mpi_f08
  implicit none
  integer :: out(10), in(10)
  type(MPI_Status) :: state
  call MPI_Init()
  out = 1
  call MPI_Sendrecv(out, 10, MPI_INTEGER, 0, 5, in, 10, MPI_INTEGER, 0, 5, MPI_COMM_SELF, state)
  state%MPI_ERROR = MPI_SUCCESS
  call mark()
  call MPI_Finalize()
end program statuses08
