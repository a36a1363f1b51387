/* graph.c: strongly connected components, by Tarjan's algorithm, without recursion. */
#include "automaton_internal.h"

bool graph_components(int n, int letters, const int *next, int *class, at_arena *scratch)
{
    int *low = at_new(scratch, int, n), *index = at_new(scratch, int, n), *stack = at_new(scratch, int, n);
    int *path = at_new(scratch, int, n), *edge = at_new(scratch, int, n);
    if (!low || !index || !stack || !path || !edge)
        return false;
    int time = 0, n_stack = 0, classes = 0;
    for (int v = 0; v < n; v++)
        class[v] = -1;
    for (int root = 0; root < n; root++) {
        int depth = 0;
        if (index[root])
            continue;
        path[depth++] = root;
        index[root] = low[root] = ++time;
        stack[n_stack++] = root;
        while (depth) {
            int v = path[depth - 1];
            if (edge[v] < letters) {
                int to = next[v * letters + edge[v]++];
                if (to < 0)
                    continue;
                if (!index[to]) {
                    path[depth++] = to;
                    index[to] = low[to] = ++time;
                    stack[n_stack++] = to;
                } else if (class[to] < 0 && index[to] < low[v])
                    low[v] = index[to];
                continue;
            }
            if (--depth && low[v] < low[path[depth - 1]])
                low[path[depth - 1]] = low[v];
            if (low[v] == index[v]) {
                int u;
                do {
                    u = stack[--n_stack];
                    class[u] = classes;
                } while (u != v);
                classes++;
            }
        }
    }
    return true;
}
