// The edge columns of a field: its rows are as long as they are, and the lanes of a loop over two layers would idle.
struct Field {
  double *data;
  int rows, columns;
  int width() const;
};

// The other loop is widened by the depth at both ends.
void packLeft(Field &field, double *outgoing, int first, int last, int depth, int offset) {
  double *values = field.data;
  const int width = field.width();
#pragma acc parallel loop gang worker vector present(outgoing, values)
  for (int row = first - depth + 1; row < last + depth + 2; row++) {
    for (int layer = 0; layer < depth; ++layer) {
      int place = offset + layer + row * depth;
      outgoing[place] = values[(first + 1 + layer) + row * width];
    }
  }
}

// A mirror at the edge.
void reflect(double *values, int left, int rows, int width, int layers, double sign) {
#pragma acc parallel loop gang vector present(values)
  for (int row = 0; row < rows; row++) {
    for (int layer = 0; layer < layers; ++layer)
      values[left - 1 - layer + row * width] = sign * values[left + layer + row * width];
  }
}

// Rows with a margin at both ends.
void clearEdge(double *values, int columns, int rows, int ghosts) {
#pragma acc parallel loop gang vector present(values)
  for (int row = 0; row < rows; row++) {
    for (int layer = 0; layer < ghosts; ++layer) values[row * (columns + 2 * ghosts) + layer] = 0.0;
  }
}

// A buffer whose rows are as short as the loop.
void packColumns(const double *values, double *outgoing, int rows, int width, int from, int few) {
#pragma acc parallel loop gang vector present(values, outgoing)
  for (int row = 0; row < rows; row++) {
    for (int column = 0; column < few; ++column) outgoing[row * few + column] = values[row * width + from + column];
  }
}

// Both sides of an edge, beside a loop over the whole row with its margins.
struct Grid {
  double *values, *below;
  int pitch, margin[2][2], size[2];
};

void exchangeEdge(Grid *grid) {
  const int pitch = grid->pitch;
  double *const __restrict__ values = grid->values;
  double *const __restrict__ below = grid->below;
#pragma acc parallel loop independent collapse(2)
  for (int column = -grid->margin[0][0]; column < grid->size[0] + grid->margin[0][1]; column++) {
    for (int layer = -grid->margin[1][0]; layer < grid->margin[1][1]; layer++) {
      if (layer < 0)
        values[column + layer * pitch] = below[column + (layer + grid->margin[1][0]) * pitch];
      else
        below[column + (layer + grid->margin[1][0]) * pitch] = values[column + layer * pitch];
    }
  }
}
