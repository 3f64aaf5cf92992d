! SPDX-License-Identifier: MIT
! Errors that do not show, in Fortran, and the same done right. Two processes; prints what was
! received.
program latent
  use mpi
  implicit none
  integer, parameter :: n = 16
  integer :: rank, error, request, statuses(MPI_STATUS_SIZE, 2), requests(2)
  integer :: values(n), more(n)

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call sends(.false.)
  call sends(.true.)
  call persistent(.false.)
  call persistent(.true.)
  call MPI_Finalize(error)

contains

  subroutine sends(is_right)
    logical, intent(in) :: is_right
    if (rank == 1) then
      values = 1
      call MPI_Isend(values, n, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, request, error)
      if (is_right) call MPI_Wait(request, MPI_STATUS_IGNORE, error)
      values = 2
      if (.not. is_right) call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    else
      call MPI_Recv(values, n, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
      print '(a, i0)', 'sum ', sum(values)
    end if
  end subroutine

  ! Each gets what the other one has.
  subroutine persistent(is_right)
    logical, intent(in) :: is_right
    call MPI_Send_init(values, n, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, requests(1), error)
    call MPI_Recv_init(more, n, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, requests(2), error)
    values = 3
    call MPI_Startall(2, requests, error)
    if (.not. is_right) values = 4
    call MPI_Waitall(2, requests, statuses, error)
    if (rank == 0) print '(a, i0)', 'sum ', sum(more)
    call MPI_Request_free(requests(1), error)
    call MPI_Request_free(requests(2), error)
  end subroutine
end program
