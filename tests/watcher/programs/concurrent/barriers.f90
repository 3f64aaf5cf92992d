! SPDX-License-Identifier: MIT
! barriers [critical]: threads of rank 0 call MPI_Barrier on one communicator, with or without order.
program barriers
  use mpi
  use omp_lib
  use iso_c_binding, only: c_int
  implicit none
  interface
    integer(c_int) function usleep(microseconds) bind(c)
      import :: c_int
      integer(c_int), value :: microseconds
    end function
  end interface
  integer :: rank, provided, token, error, begun, seen
  character(16) :: way

  call get_command_argument(1, way)
  token = 0
  begun = 0
  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided, error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  if (rank == 0) then
    !$omp parallel num_threads(3) private(error, seen)
    if (omp_get_thread_num() == 2) then
      seen = 0
      do while (seen < 2)
        !$omp atomic read
        seen = begun
      end do
      error = usleep(500000_c_int)
      call MPI_Send(token, 1, MPI_INTEGER, 1, 7, MPI_COMM_WORLD, error)
    else
      !$omp atomic
      begun = begun + 1
      if (way == 'critical') then
        !$omp critical
        call MPI_Barrier(MPI_COMM_WORLD, error)
        !$omp end critical
      else
        call MPI_Barrier(MPI_COMM_WORLD, error) ! barrier
      end if
    end if
    !$omp end parallel
  else
    call MPI_Recv(token, 1, MPI_INTEGER, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end if
  call MPI_Finalize(error)
end program
