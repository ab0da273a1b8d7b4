/* Solves a local problem of FCLib in three dimensions by Siconos' NSGS, with its default settings, for jobs/compare-fclib.sh.
 *
 *   compare-fclib FILE TOLERANCE MAX_SWEEPS
 *
 * Prints sweeps,seconds,error,velocity: Siconos' error recomputed from its impulses, and how far its velocities are from those of the
 * group `solution` in the file, |u - u_file|/max(|u_file|, |q|) (nan where the file has none). Exit status 1: cannot be read. */
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "FrictionContactProblem.h"
#include "Friction_cst.h"
#include "NonSmoothDrivers.h"
#include "NumericsMatrix.h"
#include "SolverOptions.h"
#include "SparseBlockMatrix.h"
#include "fc3d_compute_error.h"

static void *room(size_t bytes) {
    void *p = calloc(bytes ? bytes : 1, 1);
    if (!p) { fputs("no memory\n", stderr); exit(1); }
    return p;
}

/* A dataset in memory as numbers of one kind; *n is how many. NULL: there is none. */
static void *list(hid_t file, const char *path, hid_t kind, size_t bytes, hsize_t *n) {
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    if (set < 0) return NULL;
    hid_t space = H5Dget_space(set);
    hssize_t points = H5Sget_simple_extent_npoints(space);
    void *to = room((size_t)points * bytes);
    if (points < 0 || H5Dread(set, kind, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) < 0) { free(to); to = NULL; }
    *n = (hsize_t)points;
    H5Sclose(space);
    H5Dclose(set);
    return to;
}

static void *must(hid_t file, const char *path, hid_t kind, size_t bytes, hsize_t *n) {
    void *p = list(file, path, kind, bytes, n);
    if (!p) { fprintf(stderr, "no %s\n", path); exit(1); }
    return p;
}

static int number(hid_t file, const char *path) {
    hsize_t n;
    int *p = must(file, path, H5T_NATIVE_INT, sizeof(int), &n), x = p[0];
    free(p);
    return x;
}

typedef struct { int row, column; double x; } Entry;

/* By block row, block column. */
static int in_order(const void *a, const void *b) {
    const Entry *p = a, *q = b;
    if (p->row / 3 != q->row / 3) return p->row / 3 < q->row / 3 ? -1 : 1;
    return (p->column / 3 > q->column / 3) - (p->column / 3 < q->column / 3);
}

static double norm(const double *x, int n) {
    double s = 0;
    for (int k = 0; k < n; k++) s += x[k] * x[k];
    return sqrt(s);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    if (argc != 4) { fputs("compare-fclib FILE TOLERANCE MAX_SWEEPS\n", stderr); return 1; }
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = H5Fopen(argv[1], H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) { fprintf(stderr, "cannot open %s\n", argv[1]); return 1; }
    hsize_t np, ni, nx, nq, nc, nu = 0;
    int nz = number(file, "/fclib_local/W/nz");
    if (number(file, "/fclib_local/spacedim") != 3) { fputs("not of three dimensions\n", stderr); return 1; }
    int *p = must(file, "/fclib_local/W/p", H5T_NATIVE_INT, sizeof(int), &np);
    int *i = must(file, "/fclib_local/W/i", H5T_NATIVE_INT, sizeof(int), &ni);
    double *x = must(file, "/fclib_local/W/x", H5T_NATIVE_DOUBLE, sizeof(double), &nx);
    double *q = must(file, "/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, sizeof(double), &nq);
    double *mu = must(file, "/fclib_local/vectors/mu", H5T_NATIVE_DOUBLE, sizeof(double), &nc);
    double *u_file = list(file, "/solution/u", H5T_NATIVE_DOUBLE, sizeof(double), &nu);
    H5Fclose(file);
    int n = (int)nq, contacts = (int)nc;

    /* Entries, and for every contact its diagonal. */
    int stored = nz >= 0 ? nz : p[np - 1], count = 0;
    Entry *all = room(((size_t)stored + nc) * sizeof(Entry));
    if (nz >= 0) {
        for (int k = 0; k < nz; k++) all[count++] = (Entry){i[k], p[k], x[k]};
    } else {
        for (int line = 0; line + 1 < (int)np; line++)
            for (int k = p[line]; k < p[line + 1]; k++)
                all[count++] = nz == -1 ? (Entry){i[k], line, x[k]} : (Entry){line, i[k], x[k]};
    }
    for (int k = 0; k < contacts; k++) all[count++] = (Entry){3 * k, 3 * k, 0.0};
    qsort(all, (size_t)count, sizeof(Entry), in_order);

    unsigned blocks = 0;
    for (int k = 0; k < count; k++) blocks += k == 0 || in_order(&all[k - 1], &all[k]) != 0;
    SparseBlockStructuredMatrix *w = SBM_new();
    w->nbblocks = blocks;
    w->block = room(blocks * sizeof(double *));
    w->blocknumber0 = w->blocknumber1 = (unsigned)contacts;
    w->blocksize0 = room(nc * sizeof(unsigned));
    w->blocksize1 = room(nc * sizeof(unsigned));
    for (int k = 0; k < contacts; k++) w->blocksize0[k] = w->blocksize1[k] = 3u * (unsigned)(k + 1);
    w->filled1 = nc + 1;
    w->filled2 = blocks;
    w->index1_data = room((nc + 1) * sizeof(size_t));
    w->index2_data = room(blocks * sizeof(size_t));
    size_t block = 0;
    for (int k = 0; k < count; k++) {
        if (k > 0 && in_order(&all[k - 1], &all[k]) != 0) block++;
        if (!w->block[block]) w->block[block] = room(9 * sizeof(double));
        w->index2_data[block] = (size_t)(all[k].column / 3);
        w->index1_data[all[k].row / 3 + 1] = block + 1;
        w->block[block][all[k].row % 3 + 3 * (all[k].column % 3)] += all[k].x;
    }

    NumericsMatrix *m = NM_create_from_data(NM_SPARSE_BLOCK, n, n, w);
    FrictionContactProblem *problem = frictionContactProblem_new_with_data(3, contacts, m, q, mu);
    SolverOptions *options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
    options->dparam[SICONOS_DPARAM_TOL] = atof(argv[2]);
    options->iparam[SICONOS_IPARAM_MAX_ITER] = atoi(argv[3]);
    double *r = room(nq * sizeof(double)), *u = room(nq * sizeof(double));
    double begin = now();
    fc3d_driver(problem, r, u, options);
    double seconds = now() - begin, error = NAN;
    fc3d_compute_error(problem, r, u, atof(argv[2]), options, norm(q, n), &error);
    double off = NAN;
    if (u_file && nu == nq) {
        double scale = fmax(norm(u_file, n), norm(q, n));
        for (int k = 0; k < n; k++) u_file[k] -= u[k];
        off = norm(u_file, n) / scale;
    }
    printf("%d,%.6f,%.6e,%.6e\n", options->iparam[SICONOS_IPARAM_ITER_DONE], seconds, error, off);
    return 0;
}
