#pragma once

namespace stride {

// Joins the MPI run where mpirun started the program, and installs its ranks (learn/ranks.h);
// elsewhere does nothing, since MPI takes half a second to start. Throws InputError. Call it once,
// at the start of the program's work, from the thread that creates Workers.
void UseMpiRanks();

}  // namespace stride
