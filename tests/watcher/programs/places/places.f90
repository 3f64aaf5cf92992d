! SPDX-License-Identifier: MIT
! What is wrong in calls of Fortran's layer: a value that is got and used before the fence, and a
! buffer that two threads receive into. Two processes.
program places
  use mpi
  implicit none
  integer, parameter :: n = 20000
  integer :: rank, provided, ierr, win, total
  integer, save :: mine(n), theirs(n) ! not on the stack
  integer(MPI_ADDRESS_KIND) :: bytes = n * 4, disp = 0
  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  mine = 1
  call MPI_Win_create(mine, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  call MPI_Get(theirs, n, MPI_INTEGER, 1 - rank, disp, n, MPI_INTEGER, win, ierr) ! got
  total = sum(theirs) ! used
  call MPI_Win_fence(0, win, ierr)
  call MPI_Win_free(win, ierr)
  if (rank == 0) then
    !$omp parallel sections num_threads(2)
    !$omp section
    call exchange()
    !$omp section
    call receive()
    !$omp end parallel sections
  else
    call answer()
  end if
  print *, total - total
  call MPI_Finalize(ierr)

contains

  ! The other process hears that this is under way.
  subroutine exchange()
    integer :: word(1) = 0, error
    associate (none => MPI_STATUS_IGNORE, all => MPI_COMM_WORLD)
      call MPI_Sendrecv(word, 1, MPI_INTEGER, 1, 0, theirs, n, MPI_INTEGER, 1, 1, all, none, error) ! one
    end associate
  end subroutine

  subroutine receive()
    integer :: word(1), error
    call MPI_Recv(word, 1, MPI_INTEGER, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call MPI_Recv(theirs, n, MPI_INTEGER, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) ! other
  end subroutine

  subroutine answer()
    integer :: word(1), error
    call MPI_Recv(word, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call MPI_Send(word, 1, MPI_INTEGER, 0, 2, MPI_COMM_WORLD, error)
    call MPI_Send(mine, n, MPI_INTEGER, 0, 3, MPI_COMM_WORLD, error)
    call MPI_Send(mine, n, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, error)
  end subroutine
end program
