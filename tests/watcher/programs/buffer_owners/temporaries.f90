! SPDX-License-Identifier: MIT
! Nonblocking calls with array sections. The compiler passes a temporary copy of a section with a
! stride. With an argument, all sections are contiguous.
program temporaries
  use mpi
  implicit none
  integer :: ierr, rank, request
  real(8) :: u(8, 8), line(8)
  character(8) :: word

  call get_command_argument(1, word)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  u = rank
  line = 0
  if (rank == 0) then
    if (word == 'fixed') then
      call MPI_Isend(u(:, 2), 8, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, request, ierr)
    else
      call MPI_Isend(u(2, :), 8, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, request, ierr)
    end if
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  else if (rank == 1) then
    if (word == 'fixed') then
      call MPI_Irecv(u(1:8, 3), 8, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, request, ierr)
    else
      call MPI_Irecv(u(3, 1:8), 8, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, request, ierr)
    end if
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  end if
  call whole()
  call MPI_Finalize(ierr)
contains
  ! Buffers of all kinds that lie in a stack frame.
  subroutine whole()
    integer :: requests(3), ierror
    real(8) :: sums(4), parts(4), pair(2, 4)
    real(8), target :: target_of(4)
    real(8), pointer :: pointer_to(:)
    parts = 1
    pair = 2
    target_of = 3
    pointer_to => target_of
    call MPI_Iallreduce(parts, sums, 4, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, &
                        requests(1), ierror)
    call MPI_Ibcast(pair(:, 2:3), 4, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, requests(2), ierror)
    call MPI_Ibcast(pointer_to, 4, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, requests(3), ierror)
    call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE, ierror)
  end subroutine
end program
