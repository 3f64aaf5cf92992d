! SPDX-License-Identifier: MIT
! Two ranks that do different things: tests/gdb/processes/test_all_ranks.py.
program look
  use mpi
  implicit none
  integer :: rank, error
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  print '(i0,1x,i0)', rank, getpid()
  flush (6)
  call exchange(rank)
  call MPI_Finalize(error)
contains
  subroutine exchange(rank)
    integer, intent(in) :: rank
    integer :: ierror, world
    double precision :: field(2, 0:2), received(1)
    world = MPI_COMM_WORLD
    field = reshape([1d0, 2d0, 3d0, 4d0, 5d0, 6d0], [2, 3])
    if (rank == 1) field(2, 1) = 9
    if (rank == 0) then
      call MPI_Recv(received, 1, MPI_DOUBLE_PRECISION, 1, 7, world, MPI_STATUS_IGNORE, ierror)
    end if
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    print *, field
  end subroutine
end program
