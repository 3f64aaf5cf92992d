! SPDX-License-Identifier: MIT
! INTEGER handles of the module mpi. What gdb says is in test_languages.py.
subroutine mark()
end subroutine mark

program handles
  use mpi
  implicit none
  integer :: vec, ierror, request
  double precision :: a(12)
  integer :: i
  logical :: flags(2)
  call MPI_Init(ierror)
  do i = 1, 12
    a(i) = i + 0.5d0
  end do
  flags = (/ .true., .false. /)
  call MPI_Type_vector(3, 2, 4, MPI_DOUBLE_PRECISION, vec, ierror)
  call MPI_Type_commit(vec, ierror)
  call MPI_Irecv(a, 1, vec, 0, 3, MPI_COMM_SELF, request, ierror)
  call mark()
  call MPI_Bcast(flags, 2, MPI_LOGICAL, 0, MPI_COMM_WORLD, ierror)
  call MPI_Cancel(request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Finalize(ierror)
end program handles
