! SPDX-License-Identifier: MIT
! Variables of procedures, used by their names: with an argument while an operation has them, else
! when it is complete. One process.
program named
  use mpi
  implicit none
  logical :: wrong
  integer :: error, total
  total = 0
  wrong = command_argument_count() > 0
  call MPI_Init(error)
  call stores(total)
  call stores_element(total)
  call stores_automatic(7, total)
  print *, total
  call MPI_Finalize(error)
contains
  subroutine stores(total)
    integer, intent(inout) :: total
    integer :: value, request
    call MPI_Irecv(value, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, error)
    if (wrong) value = 7
    call finish(request, 1)
    total = total + value
  end subroutine

  subroutine stores_element(total)
    integer, intent(inout) :: total
    integer :: values(8), request
    call MPI_Irecv(values, 8, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, error)
    if (wrong) values(3) = 7
    call finish(request, 8)
    total = total + values(3)
  end subroutine

  subroutine stores_automatic(n, total)
    integer, intent(in) :: n
    integer, intent(inout) :: total
    integer :: values(n), request
    call MPI_Irecv(values, 5, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, error)
    if (wrong) values(2) = 7
    call finish(request, 5)
    total = total + values(2)
  end subroutine

  subroutine finish(request, n)
    integer, intent(inout) :: request
    integer, intent(in) :: n
    integer :: values(8)
    values = [1, 2, 3, 4, 5, 6, 7, 8]
    call MPI_Send(values, n, MPI_INTEGER, 0, 0, MPI_COMM_SELF, error)
    call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  end subroutine
end program
