! SPDX-License-Identifier: MIT
! Handles of the module mpi_f08. A comment that begins with a dollar says what gdb prints at mark().
subroutine mark()
end subroutine mark

program handles08
  use mpi_f08
  implicit none
  ! $world: {name = 'MPI_COMM_WORLD', rank = 0, size = 1}
  type(MPI_Comm) :: world
  ! $vec: {kind = VECTOR, count = 3, blocklength = 2, stride = 4, type = 'MPI_DOUBLE_PRECISION'}
  type(MPI_Datatype) :: vec
  ! $[mpich4] request: {operation = 'MPI_Irecv', state = active, source = 0, tag = 3, comm = 'MPI_COMM_SELF', buf = {address = %p, count = 1, type = {kind = VECTOR, count = 3, blocklength = 2, stride = 4, type = 'MPI_DOUBLE_PRECISION'}}}
  type(MPI_Request) :: request
  double precision, asynchronous :: a(12)
  ! $a: {address = %p, call = 'MPI_Irecv', request = 1, count = 1, type = {kind = VECTOR, count = 3, blocklength = 2, stride = 4, type = 'MPI_DOUBLE_PRECISION'}, data = {{1.5, 2.5}, {5.5, 6.5}, {9.5, 10.5}}}
  integer :: i
  call MPI_Init()
  world = MPI_COMM_WORLD
  do i = 1, 12
    a(i) = i + 0.5d0
  end do
  call MPI_Type_vector(3, 2, 4, MPI_DOUBLE_PRECISION, vec)
  call MPI_Type_commit(vec)
  call MPI_Irecv(a, 1, vec, 0, 3, MPI_COMM_SELF, request)
  call mark()
  call MPI_Cancel(request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_Finalize()
end program handles08
