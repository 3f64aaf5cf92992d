! SPDX-License-Identifier: MIT
! The second process receives less than it is sent, and MPI ends it.
program ends
  use mpi
  implicit none
  integer :: error, rank
  double precision :: sent(4)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  sent = 0
  if (rank == 0) then
    call MPI_Ssend(sent, 4, MPI_DOUBLE_PRECISION, 1, 3, MPI_COMM_WORLD, error)
    call MPI_Barrier(MPI_COMM_WORLD, error)
  else
    call MPI_Recv(sent, 1, MPI_DOUBLE_PRECISION, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  end if
  call MPI_Finalize(error)
end program ends
