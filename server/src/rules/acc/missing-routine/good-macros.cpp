// The directive is a macro of a header that is not in sight, which one of several folders would bring.
#include "folder_of_the_build.h"

DEVICE_ROUTINE
inline void weigh(double distance, double& weight) {
  weight = distance > 1.0 ? 1.0 / (distance * distance) : 1.0;
}

/// How far from the cut.
DEVICE_ROUTINE static double taper(double distance) { return 1.0 - distance; }

void weighAll(int pairs, double* distances) {
#pragma acc parallel loop independent deviceptr(distances)
  for (int pair = 0; pair < pairs; ++pair) {
    double weight;
    weigh(distances[pair], weight);
    distances[pair] = weight * taper(distances[pair]);
  }
}
