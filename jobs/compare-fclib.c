/* Solves a local problem of FCLib (2, 3, or with rolling friction 5 numbers a contact) by Siconos' NSGS, with its default settings, for
 * jobs/compare-fclib.sh and jobs/test-siconos.sh.
 *
 *   compare-fclib FILE TOLERANCE MAX_SWEEPS [RUNS]
 *
 * Prints sweeps,seconds,error,velocity: the shortest of so many runs, each from nothing (one, if it takes longer than a second); Siconos' error recomputed from its impulses, and how far its velocities are from those of the
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
#include "RollingFrictionContactProblem.h"
#include "SolverOptions.h"
#include "SparseBlockMatrix.h"
#include "fc2d_compute_error.h"
#include "fc3d_compute_error.h"
#include "rolling_fc3d_compute_error.h"

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
    void *to = points < 0 ? NULL : room((size_t)points * bytes);
    if (to && H5Dread(set, kind, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) < 0) { free(to); to = NULL; }
    *n = points < 0 ? 0 : (hsize_t)points;
    H5Sclose(space);
    H5Dclose(set);
    return to;
}

static const char *root = "/fclib_local";

/* A dataset of the problem. */
static void *must(hid_t file, const char *name, hid_t kind, size_t bytes, hsize_t *n) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", root, name);
    void *p = list(file, path, kind, bytes, n);
    if (!p) { fprintf(stderr, "no %s\n", path); exit(1); }
    return p;
}

static int number(hid_t file, const char *name) {
    hsize_t n;
    int *p = must(file, name, H5T_NATIVE_INT, sizeof(int), &n), x = p[0];
    free(p);
    return x;
}

static int d = 3;

typedef struct { int row, column; double x; } Entry;

/* By block row, block column. */
static int in_order(const void *a, const void *b) {
    const Entry *p = a, *q = b;
    if (p->row / d != q->row / d) return p->row / d < q->row / d ? -1 : 1;
    return (p->column / d > q->column / d) - (p->column / d < q->column / d);
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
    if (argc < 4 || argc > 5) { fputs("compare-fclib FILE TOLERANCE MAX_SWEEPS [RUNS]\n", stderr); return 1; }
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = H5Fopen(argv[1], H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) { fprintf(stderr, "cannot open %s\n", argv[1]); return 1; }
    int rolls = H5Lexists(file, "/fclib_local_rolling", H5P_DEFAULT) > 0;
    if (rolls) root = "/fclib_local_rolling";
    hsize_t np, ni, nx, nq, nc, nr, nu = 0;
    d = number(file, "spacedim");
    if (rolls ? d != 5 : d != 2 && d != 3) { fprintf(stderr, "spacedim %d\n", d); return 1; }
    int nz = number(file, "W/nz");
    int *p = must(file, "W/p", H5T_NATIVE_INT, sizeof(int), &np);
    int *i = must(file, "W/i", H5T_NATIVE_INT, sizeof(int), &ni);
    double *x = must(file, "W/x", H5T_NATIVE_DOUBLE, sizeof(double), &nx);
    double *q = must(file, "vectors/q", H5T_NATIVE_DOUBLE, sizeof(double), &nq);
    double *mu = must(file, "vectors/mu", H5T_NATIVE_DOUBLE, sizeof(double), &nc);
    double *mu_r = rolls ? must(file, "vectors/mu_r", H5T_NATIVE_DOUBLE, sizeof(double), &nr) : NULL;
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
    for (int k = 0; k < contacts; k++) all[count++] = (Entry){d * k, d * k, 0.0};
    qsort(all, (size_t)count, sizeof(Entry), in_order);

    unsigned blocks = 0;
    for (int k = 0; k < count; k++) blocks += k == 0 || in_order(&all[k - 1], &all[k]) != 0;
    SparseBlockStructuredMatrix *w = SBM_new();
    w->nbblocks = blocks;
    w->block = room(blocks * sizeof(double *));
    w->blocknumber0 = w->blocknumber1 = (unsigned)contacts;
    w->blocksize0 = room(nc * sizeof(unsigned));
    w->blocksize1 = room(nc * sizeof(unsigned));
    for (int k = 0; k < contacts; k++) w->blocksize0[k] = w->blocksize1[k] = (unsigned)(d * (k + 1));
    w->filled1 = nc + 1;
    w->filled2 = blocks;
    w->index1_data = room((nc + 1) * sizeof(size_t));
    w->index2_data = room(blocks * sizeof(size_t));
    size_t block = 0;
    for (int k = 0; k < count; k++) {
        if (k > 0 && in_order(&all[k - 1], &all[k]) != 0) block++;
        if (!w->block[block]) w->block[block] = room((size_t)(d * d) * sizeof(double));
        w->index2_data[block] = (size_t)(all[k].column / d);
        w->index1_data[all[k].row / d + 1] = block + 1;
        w->block[block][all[k].row % d + d * (all[k].column % d)] += all[k].x;
    }

    NumericsMatrix *m;
    if (rolls) { /* Siconos' sweeps with rolling friction do not take blocks. */
        m = NM_create(NM_DENSE, n, n);
        for (int k = 0; k < count; k++) m->matrix0[all[k].row + (size_t)n * (size_t)all[k].column] += all[k].x;
    } else {
        m = NM_create_from_data(NM_SPARSE_BLOCK, n, n, w);
    }
    double tolerance = atof(argv[2]);
    int runs = argc > 4 ? atoi(argv[4]) : 1, sweeps = 0;
    double *r = room(nq * sizeof(double)), *u = room(nq * sizeof(double));
    double seconds = INFINITY, error = NAN;
    for (int run = 0; run < runs && (run == 0 || seconds < 1); run++) {
        SolverOptions *options = solver_options_create(
            d == 2 ? SICONOS_FRICTION_2D_NSGS : d == 3 ? SICONOS_FRICTION_3D_NSGS : SICONOS_ROLLING_FRICTION_3D_NSGS);
        options->dparam[SICONOS_DPARAM_TOL] = tolerance;
        options->iparam[SICONOS_IPARAM_MAX_ITER] = atoi(argv[3]);
        memset(r, 0, nq * sizeof(double));
        memset(u, 0, nq * sizeof(double));
        double begin;
        if (rolls) {
            RollingFrictionContactProblem *problem = rollingFrictionContactProblem_new_with_data(5, contacts, m, q, mu, mu_r);
            begin = now();
            rolling_fc3d_driver(problem, r, u, options);
            seconds = fmin(seconds, now() - begin);
            rolling_fc3d_compute_error(problem, r, u, tolerance, options, norm(q, n), &error);
        } else {
            FrictionContactProblem *problem = frictionContactProblem_new_with_data(d, contacts, m, q, mu);
            begin = now();
            if (d == 2) fc2d_driver(problem, r, u, options);
            else fc3d_driver(problem, r, u, options);
            seconds = fmin(seconds, now() - begin);
            if (d == 2) fc2d_compute_error(problem, r, u, tolerance, norm(q, n), &error);
            else fc3d_compute_error(problem, r, u, tolerance, options, norm(q, n), &error);
        }
        sweeps = options->iparam[SICONOS_IPARAM_ITER_DONE];
    }
    double off = NAN;
    if (u_file && nu == nq) {
        double scale = fmax(norm(u_file, n), norm(q, n));
        for (int k = 0; k < n; k++) u_file[k] -= u[k];
        off = norm(u_file, n) / scale;
    }
    printf("%d,%.7f,%.6e,%.6e\n", sweeps, seconds, error, off);
    return 0;
}
