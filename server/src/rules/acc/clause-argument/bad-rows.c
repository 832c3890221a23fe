// Sections of rows that pointers lead to, beside rows that lie in one block.
void scale(int n, int m, double **rows, double (*block)[64], double grid[n][m]) {
#pragma acc parallel loop collapse(2) copy(rows[0:n][0:m]) copyin(block[0:n][0:64], grid[0:n][0:m])
    //                                     ^^^^^^^^^^^^^^ rows information
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) rows[i][j] += block[i][j % 64] * grid[i][j];
}
