// SPDX-License-Identifier: MIT
// Boost.MPI: values with datatypes, serialized values, skeletons, collective calls.
#include <boost/mpi.hpp>
#include <boost/serialization/list.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <functional>
#include <iostream>
#include <list>

namespace mpi = boost::mpi;

struct point {
  int id;
  double x[3];
  template <class Archive> void serialize(Archive &archive, unsigned) {
    archive &id &x;
  }
};
BOOST_IS_MPI_DATATYPE(point)

int main(int argc, char **argv) {
  mpi::environment environment(argc, argv);
  mpi::communicator world;
  int next = (world.rank() + 1) % world.size();
  int before = (world.rank() + world.size() - 1) % world.size();
  double total = 0;
  for (int turn = 0; turn < 10; turn++) {
    point mine = {world.rank(), {1.0 * turn, 2, 3}}, other = {};
    std::string text(10 * static_cast<std::size_t>(turn), 'x'), heard;
    mpi::request requests[4] = {world.isend(next, 1, mine), world.irecv(before, 1, other),
                                world.isend(next, 2, text), world.irecv(before, 2, heard)};
    mpi::wait_all(requests, requests + 4);
    std::list<int> numbers(5, world.rank() ? 0 : turn);
    mpi::broadcast(world, numbers, 0);
    mpi::broadcast(world, mpi::skeleton(numbers), 0);
    mpi::broadcast(world, mpi::get_content(numbers), 0);
    double part = other.x[0] + static_cast<double>(heard.size()) + numbers.front();
    total += mpi::all_reduce(world, part, std::plus<double>());
  }
  std::vector<std::string> words;
  mpi::gather(world, std::string(static_cast<std::size_t>(world.rank()) + 1, 'w'), words, 0);
  if (!world.rank()) std::cout << total << ' ' << words.back() << std::endl;
  return 0;
}
